// SPDX-License-Identifier: Apache-2.0
// Packed forms by the address of their weight.
#include "heed/tensor/packed_weights.h"

#include "heed/kernels/products/gemm.h"

namespace heed {
namespace {

thread_local PackedWeights* innermost = nullptr;

}  // namespace

PackedWeights::Scope::Scope(PackedWeights& weights) : before_(innermost) {
  innermost = &weights;
}

PackedWeights::Scope::~Scope() {
  innermost = before_;
}

PackedWeights* PackedWeights::current() {
  return innermost;
}

const Real* PackedWeights::packed(const Tensor& w) {
  Entry& entry = entries_[w.data()];
  if (entry.packed.defined() && entry.version == w.version() && entry.weight.shape() == w.shape()) {
    return entry.packed.data();
  }
  const kernels::PackOptions options{.k = static_cast<std::size_t>(w.size(1)),
                                     .n = static_cast<std::size_t>(w.size(0)),
                                     .transpose_b = true};
  const auto size = static_cast<std::int64_t>(kernels::packed_size<Real>(options.k, options.n));
  entry = {w, w.version(), Tensor(Shape{size})};
  kernels::pack(w.data(), options, entry.packed.mutable_data());
  ++packings_;
  return entry.packed.data();
}

}  // namespace heed
