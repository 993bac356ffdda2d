// SPDX-License-Identifier: Apache-2.0
// What a backward function returns: for each input a gradient, a product still to be computed, or
// none.
#pragma once  // public header

#include <cstdint>
#include <utility>

#include "heed/tensor/inline_vector.h"
#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

class Gradient {
 public:
  Gradient() = default;  // none: nothing flows to this input
  Gradient(Tensor value) : value_(std::move(value)) {}
  // matmul(a, b), left to the tape: a second one for the same input is added by GEMM with beta 1,
  // so that a decoder of T steps never writes T full gradients of its weights.
  static Gradient product(Tensor a, Tensor b) {
    Gradient pending(std::move(a));
    pending.factor_ = std::move(b);
    return pending;
  }

  bool none() const { return !value_.defined(); }
  bool is_product() const { return factor_.defined(); }
  const Tensor& left() const { return value_; }  // of a product
  const Tensor& right() const { return factor_; }
  // The shape of the gradient. The product's factors fit each other, or this throws.
  Shape shape() const;
  // sum += this, where a sum that is not defined counts as zero. Writes in place only where nothing
  // else sees the elements.
  void add_to(Tensor& sum) &&;

 private:
  Tensor value_;
  Tensor factor_;  // defined: the gradient is value_ x factor_
};

// One entry per input of the op, in order.
class Gradients {
 public:
  Gradients() = default;
  template <typename First, typename... Rest>
  requires(!std::is_same_v<std::decay_t<First>, Gradients>)
      Gradients(First&& first, Rest&&... rest) {
    items_.emplace_back(std::forward<First>(first));
    (items_.emplace_back(std::forward<Rest>(rest)), ...);
  }
  void add(Gradient gradient) { items_.emplace_back(std::move(gradient)); }
  std::size_t size() const { return items_.size(); }
  Gradient& operator[](std::size_t i) { return items_[i]; }

 private:
  InlineVector<Gradient, 3> items_;
};

// Which inputs of an op need a gradient; a backward function that takes it may skip the others.
class Needs {
 public:
  explicit Needs(std::uint64_t bits, bool last = false) : bits_(bits), last_(last) {}
  // Inputs beyond the 64th count as needed.
  bool operator[](std::size_t input) const { return input >= 64 || (bits_ >> input & 1u) != 0; }
  // Whether the graph ends with this pass, so that what was captured may be written over.
  bool last() const { return last_; }

 private:
  std::uint64_t bits_;
  bool last_;
};

// Room for a kernel to write a gradient into, or an undefined tensor where none is needed.
inline Tensor room_for_gradient(bool needed, const Shape& shape) {
  return needed ? Tensor(shape) : Tensor();
}

}  // namespace heed

#pragma GCC visibility pop
