// SPDX-License-Identifier: Apache-2.0
// Variable: a tensor that may remember how it was computed. record() is how an op makes one.
#pragma once  // public header

#include <array>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "heed/autograd/node.h"
#include "heed/tensor/pooled_vector.h"
#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

class Variable {
 public:
  Variable() = default;
  Variable(Tensor value) : value_(std::move(value)) {}  // a constant
  Variable(Tensor value, Ref<Node> node) : value_(std::move(value)), node_(std::move(node)) {}
  // A value whose gradient backward() collects.
  static Variable leaf(Tensor value);

  const Tensor& value() const { return value_; }
  // For optimisers and initialisers: writes are seen by every copy of this variable.
  Tensor& mutable_value() { return value_; }
  const Shape& shape() const { return value_.shape(); }
  int rank() const { return value_.rank(); }
  std::int64_t size(int axis) const { return value_.size(axis); }
  bool defined() const { return value_.defined(); }
  Real item() const { return value_.item(); }

  bool needs_gradient() const { return static_cast<bool>(node_); }
  // What backward() has added up so far; not defined when nothing arrived. Leaves keep it, other
  // variables only after keep_gradient().
  const Tensor& gradient() const;
  void clear_gradient();
  void keep_gradient();
  const Ref<Node>& node() const { return node_; }

 private:
  Tensor value_;
  Ref<Node> node_;
};

// Made and dropped at every step, so pooled.
using Variables = PooledVector<Variable>;

struct BackwardOptions {
  // Keeps what the ops captured, so that backward may run again from the same or another variable.
  bool keep_graph = false;
};

// Adds d(loss)/d(leaf) to the gradient of every leaf that loss was computed from. `seed` is the
// gradient of the loss itself; without one the loss must be a single number, and it is 1.
void backward(const Variable& loss, const Tensor& seed = {}, const BackwardOptions& options = {});

// The names of the ops a variable was computed by.
std::set<std::string> recorded_ops(const Variable& variable);

// Within this scope, on this thread, ops keep no graph.
class NoGradient {
 public:
  NoGradient();
  ~NoGradient();
  NoGradient(const NoGradient&) = delete;
  NoGradient& operator=(const NoGradient&) = delete;

 private:
  bool before_;
};
bool recording();

// The inputs of an op, by reference, so that listing them in braces copies no variable.
class Inputs {
 public:
  struct Input {
    Input(const Variable& given) : variable(&given) {}
    const Variable* variable;
  };
  // At most kMostListed; an op of more inputs gives a span.
  Inputs(std::initializer_list<Input> inputs);
  Inputs(std::span<const Variable> variables) : variables_(variables), size_(variables.size()) {}
  Inputs(const Variables& variables) : Inputs(std::span(variables)) {}

  std::size_t size() const { return size_; }
  const Variable& operator[](std::size_t i) const {
    return variables_.empty() ? *listed_[i] : variables_[i];
  }
  // Whether the op must be recorded at all.
  bool any_needs_gradient() const;

 private:
  static constexpr std::size_t kMostListed = 8;
  std::array<const Variable*, kMostListed> listed_;
  std::span<const Variable> variables_;
  std::size_t size_;
};

void connect(Node& node, const Inputs& inputs, std::span<const Tensor> outputs);

void stop_point();  // of base/stop.h: work that was asked to end does so between ops

// The result of an op: its value, the variables it depends on, and its gradient as a function
// (const Tensor& dy) or (const Tensor& dy, Needs needs) -> Gradients, one per input. The closure
// captures the tensors it needs; nothing is kept when no input needs a gradient.
//
//   return record("tanh", y, {x}, [y](const Tensor& dy) -> Gradients { return {dy * (1 - y * y)};
//   });
template <typename Backward>
Variable record(const char* name, Tensor value, const Inputs& inputs, Backward&& backward) {
  stop_point();
  if (!inputs.any_needs_gradient()) return Variable(std::move(value));
  Ref<Node> node(new ClosureNode<std::decay_t<Backward>>(name, value.shape(),
                                                         std::forward<Backward>(backward)));
  connect(*node, inputs, std::span<const Tensor>(&value, 1));
  return Variable(std::move(value), std::move(node));
}

// The same for several outputs: the function gets (std::span<const Tensor> dys[, Needs]), where a
// gradient that never arrived is not defined.
template <typename Backward>
Variables record_many(const char* name, PooledVector<Tensor> values, const Inputs& inputs,
                      Backward&& backward) {
  stop_point();
  Variables outputs;
  outputs.reserve(values.size());
  if (!inputs.any_needs_gradient()) {
    for (Tensor& value : values) outputs.emplace_back(std::move(value));
    return outputs;
  }
  Ref<Node> op(new ManyClosureNode<std::decay_t<Backward>>(name, values.size(),
                                                           std::forward<Backward>(backward)));
  connect(*op, inputs, values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    Ref<Node> output(new OutputNode(name, values[i].shape(), op, i));
    outputs.emplace_back(std::move(values[i]), std::move(output));
  }
  return outputs;
}

}  // namespace heed

#pragma GCC visibility pop
