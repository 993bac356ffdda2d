// SPDX-License-Identifier: Apache-2.0
// Forms by the address of their weight.
#include "heed/tensor/packed_weights.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/products/gemm.h"
#include "heed/kernels/products/weight_rows.h"

namespace heed {
namespace {

thread_local PackedWeights* innermost = nullptr;

// With more rows a weight in fewer bits is written out once instead of row by row.
constexpr std::int64_t kFewRows = 8;

std::size_t size_of(const Tensor& x, int axis) {
  return static_cast<std::size_t>(x.size(axis));
}

void activate(Activation activation, Tensor& y) {
  const auto count = static_cast<std::size_t>(y.size());
  Real* const values = y.mutable_data();
  switch (activation) {
    case Activation::none:
      return;
    case Activation::relu:
      return kernels::relu<Real>(values, values, count);
    case Activation::gelu:
      return kernels::gelu<Real>(values, values, count);
    case Activation::gelu_tanh:
      return kernels::gelu_tanh<Real>(values, values, count);
    case Activation::tanh:
      return kernels::tanh<Real>(values, values, count);
    case Activation::sigmoid:
      return kernels::sigmoid<Real>(values, values, count);
    case Activation::swish:
      return kernels::swish<Real>(values, values, count);
  }
}

}  // namespace

const std::vector<std::string>& weight_form_names() {
  static const std::vector<std::string> names = {"f32", "bf16", "int8"};
  return names;
}

PackedWeights::Scope::Scope(PackedWeights& weights) : before_(innermost) {
  innermost = &weights;
}

PackedWeights::Scope::~Scope() {
  innermost = before_;
}

PackedWeights* PackedWeights::current() {
  return innermost;
}

PackedWeights::PackedWeights()
    : form_(innermost == nullptr ? WeightForm::f32 : innermost->form()) {}

std::int64_t PackedWeights::bytes() const {
  std::size_t bytes = 0;
  for (const auto& [address, one] : entries_) {
    if (one.packed.defined()) bytes += static_cast<std::size_t>(one.packed.size()) * sizeof(Real);
    bytes += one.bf16.size() * 2 + one.whole.size() + one.scales.size() * sizeof(Real);
  }
  return static_cast<std::int64_t>(bytes);
}

const PackedWeights::Entry& PackedWeights::entry(const Tensor& w) {
  Entry& one = entries_[w.data()];
  if (one.weight.defined() && one.version == w.version() && one.weight.shape() == w.shape()) {
    return one;
  }
  one = {.weight = w, .version = w.version()};
  const std::size_t n = size_of(w, 0), k = size_of(w, 1);
  if (form_ == WeightForm::f32) {
    const kernels::PackOptions options{.k = k, .n = n, .transpose_b = true};
    one.packed = Tensor(Shape{static_cast<std::int64_t>(kernels::packed_size<Real>(k, n))});
    kernels::pack(w.data(), options, one.packed.mutable_data());
  } else {
    const auto finite = [](Real value) { return std::isfinite(value); };
    if (!std::all_of(w.data(), w.data() + w.size(), finite)) {
      entries_.erase(w.data());
      throw DataError("weights: one of them is no finite number, and has no form of fewer bits");
    }
    if (form_ == WeightForm::bf16) {
      one.bf16.resize(n * k);
      kernels::round_to_bf16(w.data(), n * k, one.bf16.data());
    } else {
      one.whole.resize(n * k);
      one.scales.resize(n);
      kernels::round_to_whole(w.data(), n, k, one.whole.data(), one.scales.data());
    }
  }
  ++packings_;
  return one;
}

void PackedWeights::multiply(const Tensor& x, const Tensor& w, const Tensor& bias,
                             Activation activation, Tensor& y) {
  const std::size_t n = size_of(w, 0), k = size_of(w, 1);
  const std::int64_t rows = y.size() / w.size(0);
  const auto m = static_cast<std::size_t>(rows);
  const Real* const added = bias.defined() ? bias.data() : nullptr;
  kernels::WeightRows<Real> form{.n = n, .k = k};
  if (form_ == WeightForm::f32) {
    if (rows > 1) {
      kernels::gemm_packed(x.data(), entry(w).packed.data(), y.mutable_data(),
                           {.m = m, .n = n, .k = k, .bias = added, .activation = activation});
      return;
    }
    form.values = w.data();
  } else {
    const Entry& kept = entry(w);
    if (form_ == WeightForm::bf16) {
      form.bf16 = kept.bf16.data();
    } else {
      form.whole = kept.whole.data();
      form.scales = kept.scales.data();
    }
  }
  if (rows <= kFewRows) {
    kernels::weight_rows(x.data(), m, form, added, y.mutable_data());
    activate(activation, y);
    return;
  }
  Tensor written(w.shape());
  kernels::values_of(form, written.mutable_data());
  kernels::gemm(
      x.data(), written.data(), y.mutable_data(),
      {.m = m, .n = n, .k = k, .transpose_b = true, .bias = added, .activation = activation});
}

}  // namespace heed
