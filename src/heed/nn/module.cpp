// SPDX-License-Identifier: Apache-2.0
// Listing, saving and loading the parameters of modules.
#include "heed/nn/module.h"

#include <algorithm>
#include <set>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/safetensors.h"
#include "heed/base/text.h"

namespace heed::nn {
namespace {

std::vector<std::size_t> sizes_of(const Shape& shape) {
  return {shape.begin(), shape.end()};
}

std::string shape_text(const std::vector<std::size_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

// Everything that keeps `file` from being loaded into `parameters`, one line each.
std::vector<std::string> differences(const Parameters& parameters, const SafetensorsFile& file) {
  std::vector<std::string> problems;
  std::set<std::string> wanted;
  for (const Parameter& parameter : parameters) {
    wanted.insert(parameter.name);
    const TensorInfo* info = file.find(parameter.name);
    const auto shape = sizes_of(parameter.variable.shape());
    if (info == nullptr) {
      problems.push_back(fmt::format("missing: {} {}", parameter.name, shape_text(shape)));
    } else if (info->shape != shape) {
      problems.push_back(fmt::format("wrong shape: {} is {}, the model takes {}", parameter.name,
                                     shape_text(info->shape), shape_text(shape)));
    }
  }
  for (const TensorInfo& info : file.tensors()) {
    if (!wanted.contains(info.name)) {
      problems.push_back(fmt::format("not in the model: {} {}", info.name, shape_text(info.shape)));
    }
  }
  return problems;
}

}  // namespace

void ParameterVisitor::operator()(std::string_view name, Variable& parameter) {
  if (parameter.defined()) callback_(path_to(name), parameter);
}

std::string ParameterVisitor::path_to(std::string_view name) const {
  if (path_.empty() || name.empty()) return path_ + std::string(name);
  return fmt::format("{}.{}", path_, name);
}

void ParameterVisitor::within(std::string_view name, const std::function<void()>& body) {
  const std::string outer = std::exchange(path_, path_to(name));
  body();
  path_ = outer;
}

void ParameterList::add(const std::string& path, const Variable& parameter) {
  for (const Parameter& known : parameters_) {
    if (known.variable.node() == parameter.node() && parameter.needs_gradient()) return;
    if (known.name == path) throw InternalError("module: two parameters are named {}", path);
  }
  parameters_.push_back({path, parameter});
}

std::int64_t parameter_count(const Parameters& parameters) {
  std::int64_t count = 0;
  for (const Parameter& parameter : parameters) count += parameter.variable.value().size();
  return count;
}

void clear_gradients(const Parameters& parameters) {
  for (Parameter parameter : parameters) parameter.variable.clear_gradient();
}

void save(const Parameters& parameters, const std::string& path,
          const std::map<std::string, std::string>& metadata, DType dtype) {
  SafetensorsWriter writer;
  for (const auto& [key, value] : metadata) writer.set_metadata(key, value);
  std::vector<Tensor> straight;  // keeps packed copies alive until they are written
  straight.reserve(parameters.size());
  for (const Parameter& parameter : parameters) {
    straight.push_back(parameter.variable.value().packed());
    if (dtype == dtype_of<Real>()) {
      writer.add(parameter.name, sizes_of(parameter.variable.shape()), straight.back().span());
    } else {
      writer.add_rounded(parameter.name, dtype, sizes_of(parameter.variable.shape()),
                         straight.back().span());
    }
  }
  writer.write(path);
}

void load(const Parameters& parameters, const std::string& path) {
  const SafetensorsFile file(path);
  const std::vector<std::string> problems = differences(parameters, file);
  if (!problems.empty()) {
    throw DataError("{}: {} of its tensors do not fit the model:\n  {}", path, problems.size(),
                    join(problems, "\n  "));
  }
  // Numbers of the tensors' own type are read where they belong, in one pass, and cannot be wrong.
  const bool straight = std::ranges::all_of(parameters, [&](const Parameter& parameter) {
    return file.at(parameter.name).dtype == dtype_of<Real>() &&
           parameter.variable.value().contiguous();
  });
  if (straight) {
    for (const Parameter& parameter : parameters) {
      Tensor value = parameter.variable.value();  // shares its elements
      file.read<Real>(file.at(parameter.name),
                      {value.mutable_data(), static_cast<std::size_t>(value.size())});
    }
    return;
  }
  // Read all before writing any, so that a bad dtype leaves the model as it was.
  std::vector<std::vector<Real>> values;
  values.reserve(parameters.size());
  for (const Parameter& parameter : parameters)
    values.push_back(file.read<Real>(file.at(parameter.name)));
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Tensor value = parameters[i].variable.value();  // shares its elements
    value.assign(Tensor::over(std::as_const(values[i]).data(), value.shape()));
  }
}

void assign(const Parameters& to, const Parameters& from) {
  std::map<std::string, Tensor> given;
  for (const Parameter& parameter : from) given.emplace(parameter.name, parameter.variable.value());
  std::vector<std::string> problems;
  for (const Parameter& parameter : to) {
    const auto found = given.find(parameter.name);
    const Shape& shape = parameter.variable.shape();
    if (found == given.end()) {
      problems.push_back(fmt::format("missing: {} {}", parameter.name, shape.text()));
    } else if (found->second.shape() != shape) {
      problems.push_back(fmt::format("wrong shape: {} is {}, it takes {}", parameter.name,
                                     found->second.shape().text(), shape.text()));
    }
  }
  std::set<std::string> wanted;
  for (const Parameter& parameter : to) wanted.insert(parameter.name);
  for (const auto& [name, value] : given) {
    if (!wanted.contains(name)) {
      problems.push_back(fmt::format("too much: {} {}", name, value.shape().text()));
    }
  }
  if (!problems.empty()) {
    throw UsageError("assign: {} of the parameters do not fit:\n  {}", problems.size(),
                     join(problems, "\n  "));
  }
  for (const Parameter& parameter : to) {
    Tensor value = parameter.variable.value();  // shares its elements
    value.assign(given.at(parameter.name));
  }
}

void ParameterCloner::operator()(Variable& parameter) {
  for (const auto& [of, clone] : clones_) {
    const bool same = parameter.needs_gradient() ? of.node() == parameter.node()
                                                 : of.value().data() == parameter.value().data();
    if (!same) continue;
    parameter = clone;
    return;
  }
  const Tensor value = parameter.value().clone();
  Variable clone = parameter.needs_gradient() ? Variable::leaf(value) : Variable(value);
  clones_.emplace_back(std::exchange(parameter, clone), std::move(clone));
}

void ParameterCloner::undo(Variable& parameter) const {
  for (const auto& [of, clone] : clones_) {
    if (clone.value().data() == parameter.value().data()) parameter = of;
  }
}

void refuse_copy(const std::string& parameter) {
  throw UsageError(
      "copy: the copy of the module has a pointer to its parameter {}; the module needs a method "
      "separate() that clones what is shared, or make a second one and assign() its parameters",
      parameter);
}

}  // namespace heed::nn
