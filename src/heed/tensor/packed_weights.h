// SPDX-License-Identifier: Apache-2.0
// Weights laid out for products with few rows, once for many steps. Packing 256 x 256 takes half as
// long as multiplying 32 rows with it.
#pragma once  // public header

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "heed/tensor/matmul.h"
#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

// How weights are kept for products: as they are, as bfloat16, or as whole numbers of 8 bits with a
// scale for each row (the largest of a row is 127).
enum class WeightForm { f32, bf16, int8 };
// "f32", "bf16", "int8", in the order of the enumerators.
const std::vector<std::string>& weight_form_names();

// While a Scope of it lives, linear() on this thread keeps each weight it meets in the form of the
// scope, and takes that from then on. One thread at a time. A weight that is written is read again.
//
//   PackedWeights packed;
//   for (...) {
//     const PackedWeights::Scope scope(packed);
//     y = linear(x, w, bias);
//   }
class PackedWeights {
 public:
  // In the form of the innermost scope on this thread; without one, as they are.
  PackedWeights();
  explicit PackedWeights(WeightForm form) : form_(form) {}

  WeightForm form() const { return form_; }
  // activation(x w^T + bias), x [m,in] contiguous, w [out,in] contiguous -> y [m,out]. Of one row,
  // weights as they are are read where they lie; of more rows they are packed first.
  void multiply(const Tensor& x, const Tensor& w, const Tensor& bias, Activation activation,
                Tensor& y);
  std::int64_t packings() const { return packings_; }  // how many there were so far
  // Bytes of what is kept.
  std::int64_t bytes() const;

  class Scope {
   public:
    explicit Scope(PackedWeights& weights);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    PackedWeights* before_;
  };
  // Of the innermost scope on this thread, or nullptr.
  static PackedWeights* current();

 private:
  struct Entry {
    Tensor weight;  // kept, so that no other tensor takes its address
    std::uint32_t version = 0;
    Tensor packed{};  // as they are
    std::vector<std::uint16_t> bf16{};
    std::vector<std::int8_t> whole{};
    std::vector<Real> scales{};
  };
  const Entry& entry(const Tensor& w);

  WeightForm form_;
  std::map<const Real*, Entry> entries_;
  std::int64_t packings_ = 0;
};

}  // namespace heed

#pragma GCC visibility pop
