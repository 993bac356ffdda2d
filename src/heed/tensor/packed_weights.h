// SPDX-License-Identifier: Apache-2.0
// Weights laid out for products with few rows, once for many steps. Packing 256 x 256 takes half as
// long as multiplying 32 rows with it.
#pragma once  // public header

#include <cstdint>
#include <map>

#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

// While a Scope of it lives, linear() on this thread packs each weight it meets, and takes that
// form from then on. One thread at a time. A weight that is written is packed again.
//
//   PackedWeights packed;
//   for (...) {
//     const PackedWeights::Scope scope(packed);
//     y = linear(x, w, bias);
//   }
class PackedWeights {
 public:
  // w [out,in], contiguous, as kernels::gemm_packed takes it.
  const Real* packed(const Tensor& w);
  std::int64_t packings() const { return packings_; }  // how many there were so far

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
    Tensor packed;
  };
  std::map<const Real*, Entry> entries_;
  std::int64_t packings_ = 0;
};

}  // namespace heed

#pragma GCC visibility pop
