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
#include "heed/base/dtype.h"

#pragma GCC visibility push(default)  // exported

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
  // One that gives a copy parts of its own where it shares them by pointers: it calls separate() of
  // the modules that have one before it visits them.
  static ParameterVisitor separating(Callback callback) {
    ParameterVisitor visitor(std::move(callback));
    visitor.separates_ = true;
    return visitor;
  }

  // A parameter that is not defined (a bias that was not asked for) is passed over. Without a name
  // it has the path of its module, which then holds no other.
  void operator()(std::string_view name, Variable& parameter);
  template <Module M>
  void operator()(std::string_view name, M& module) {
    within(name, [&] { enter(module); });
  }
  // The whole of a module, without a name.
  template <Module M>
  void enter(M& module) {
    if constexpr (requires { module.separate(); }) {
      if (separates_) module.separate();
    }
    module.visit(*this);
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
  bool separates_ = false;
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
// The same of a const module: its values, which nothing is learnt from, to be counted and saved.
template <Module M>
Parameters parameters(const M& module) requires(!Module<const M>);

std::int64_t parameter_count(const Parameters& parameters);  // elements
void clear_gradients(const Parameters& parameters);

// Writes the parameters to a safetensors file, atomically, with this as its metadata. Half numbers,
// F16 or BF16, take half the room of F32 and are rounded to nearest; UsageError for a weight that
// is too large for F16.
void save(const Parameters& parameters, const std::string& path,
          const std::map<std::string, std::string>& metadata = {}, DType dtype = dtype_of<Real>());
// Reads them back by name, from numbers of any floating dtype. Missing, extra or mis-shaped tensors
// are a DataError that lists all of them, and then no parameter has changed.
void load(const Parameters& parameters, const std::string& path);

// Gives `to` the values of `from`, name by name; UsageError that lists what does not fit, and then
// nothing has changed. Makes one model the twin of another that cannot be copied.
void assign(const Parameters& to, const Parameters& from);

// A module of its own weights: a plain copy of a module shares them. Weights that are tied stay
// tied, and gradients stay behind. A module that holds others by shared pointers has a method
// separate(), which gives it clones of them; without one this is a UsageError that names a weight.
template <Module M>
requires std::copy_constructible<M> M copy(const M& module);

class ParameterList {
 public:
  void add(const std::string& path, const Variable& parameter);
  Parameters take() { return std::move(parameters_); }

 private:
  Parameters parameters_;
};

template <Module M>
inline Parameters parameters(M& module) {
  ParameterList list;
  ParameterVisitor visitor([&](const std::string& path, Variable& v) { list.add(path, v); });
  module.visit(visitor);
  return list.take();
}

template <Module M>
inline Parameters parameters(const M& module) requires(!Module<const M>) {
  Parameters all = parameters(const_cast<M&>(module));  // a visit alone changes nothing
  for (Parameter& parameter : all) parameter.variable = Variable(parameter.variable.value());
  return all;
}

// Puts clones in the place of variables, the same clone wherever a variable is met again.
class ParameterCloner {
 public:
  void operator()(Variable& parameter);
  // Puts back what it took.
  void undo(Variable& parameter) const;

 private:
  std::vector<std::pair<Variable, Variable>> clones_;  // of, clone
};
[[noreturn]] void refuse_copy(const std::string& parameter);

template <Module M>
requires std::copy_constructible<M> M copy(const M& module) {
  M twin(module);
  ParameterCloner cloner;
  const Parameters before = parameters(module);
  ParameterVisitor::separating([&](const std::string&, Variable& v) { cloner(v); }).enter(twin);
  const Parameters after = parameters(module);
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (before[i].variable.value().data() == after[i].variable.value().data()) continue;
    // The copy holds a pointer to what the module itself holds: both have the clones.
    ParameterVisitor([&](const std::string&, Variable& v) { cloner.undo(v); }).enter(twin);
    refuse_copy(before[i].name);
  }
  return twin;
}

}  // namespace heed::nn

#pragma GCC visibility pop
