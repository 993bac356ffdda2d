// SPDX-License-Identifier: Apache-2.0
// Modules: plain structs of parameters and other modules. visit() names each once; all else follows
// from it.
#pragma once  // public header

#include <concepts>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "heed/autograd/variable.h"

namespace heed::nn {

class ParameterVisitor;

// struct Gate {
//   Linear inner;
//   Variable bias;
//   void visit(ParameterVisitor& visitor) {
//     visitor("inner", inner);
//     visitor("bias", bias);
//   }
// };
template <typename M>
concept Module = requires(M& module, ParameterVisitor& visitor) {
  module.visit(visitor);
};

// Walks a module and calls back with each parameter and its path, such as "encoder.0.weight".
class ParameterVisitor {
 public:
  using Callback = std::function<void(const std::string& path, Variable& parameter)>;
  explicit ParameterVisitor(Callback callback) : callback_(std::move(callback)) {}

  // A parameter that is not defined (a bias that was not asked for) is passed over. Without a name
  // it has the path of its module, which then holds no other.
  void operator()(std::string_view name, Variable& parameter);
  template <Module M>
  void operator()(std::string_view name, M& module) {
    within(name, [&] { module.visit(*this); });
  }
  // name.0, name.1, ...
  template <typename M>
  void operator()(std::string_view name, std::vector<M>& modules) {
    within(name, [&] {
      for (std::size_t i = 0; i < modules.size(); ++i) (*this)(std::to_string(i), modules[i]);
    });
  }
  template <Module M>
  void operator()(std::string_view name, std::unique_ptr<M>& module) {
    if (module) (*this)(name, *module);
  }

 private:
  std::string path_to(std::string_view name) const;
  void within(std::string_view name, const std::function<void()>& body);

  Callback callback_;
  std::string path_;
};

// Shares value and gradient with the module it was taken from.
struct Parameter {
  std::string name;
  Variable variable;
};

using Parameters = std::vector<Parameter>;

// In visiting order. A variable visited twice (tied weights) is listed once, under its first name.
template <Module M>
Parameters parameters(M& module);

std::int64_t parameter_count(const Parameters& parameters);  // elements
void clear_gradients(Parameters& parameters);

// Writes the parameters to a safetensors file, atomically, with this as its metadata.
void save(const Parameters& parameters, const std::string& path,
          const std::map<std::string, std::string>& metadata = {});
// Reads them back by name. Missing, extra or mis-shaped tensors are a DataError that lists all of
// them, and then no parameter has changed.
void load(Parameters& parameters, const std::string& path);

class ParameterList {
 public:
  void add(const std::string& path, const Variable& parameter);
  Parameters take() { return std::move(parameters_); }

 private:
  Parameters parameters_;
};

template <Module M>
Parameters parameters(M& module) {
  ParameterList list;
  ParameterVisitor visitor([&](const std::string& path, Variable& v) { list.add(path, v); });
  module.visit(visitor);
  return list.take();
}

}  // namespace heed::nn
