// SPDX-License-Identifier: Apache-2.0
// OfNormaliser: the normaliser that another one is made of, an option in its written form, such as
// of="entmax(alpha=1.5)"; and rows in double, in which it is drawn from.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "heed/attention/normalisers/row_math.h"

namespace heed::attention {

// A normaliser of rows that can be drawn from, with a gradient of its own. Copies have parts of
// their own, which share learnable tensors as copies of parts do.
class OfNormaliser {
 public:
  OfNormaliser() : OfNormaliser("softmax") {}
  explicit OfNormaliser(const std::string& written) { read(written); }
  OfNormaliser(const OfNormaliser& other) : part_(copy_of(other)) {}
  OfNormaliser& operator=(const OfNormaliser& other) {
    part_ = copy_of(other);
    return *this;
  }

  std::string text() const { return part_->written(); }
  // UsageError for what is no normaliser, for one of matrices, for one that draws or whose gradient
  // is a surrogate, and for one that cannot be drawn from.
  void read(const std::string& written);

  const RowNormaliser& operator*() const { return *part_; }
  const RowNormaliser* operator->() const { return part_.get(); }
  RowNormaliser* operator->() { return part_.get(); }

 private:
  static std::unique_ptr<RowNormaliser> copy_of(const OfNormaliser& other);
  std::unique_ptr<RowNormaliser> part_;
};

// What a part made of another one has of it: its learnable tensors, its bounds, its demands.
struct MadeOfNormaliser {
  OfNormaliser of = {};

  void check(std::int64_t n) const { of->check(n); }
  void build(const NormaliserShape& shape, Random& random) { of->build(shape, random); }
  void visit(nn::ParameterVisitor& visitor) { of->visit(visitor); }
  Variable parameters() const { return of->parameters(); }
  bool takes_bounds() const { return of->takes_bounds(); }
};

template <Purpose kPurpose, typename T>
std::span<const double> in_double(std::span<const T> values) {
  if constexpr (std::is_same_v<T, double>) {
    return values;
  } else {
    const auto wide = row_memory<double, kPurpose>(values.size());
    std::copy(values.begin(), values.end(), wide.begin());
    return wide;
  }
}

// The row in double: itself, or a copy in memory of this thread.
template <typename T>
Row<double> row_in_double(const Row<T>& row) {
  return {.scores = in_double<Purpose::of_scores>(row.scores),
          .keys = row.keys,
          .head = row.head,
          .parameters = in_double<Purpose::of_parameters>(row.parameters),
          .bounds = in_double<Purpose::of_bounds>(row.bounds),
          .random = row.random};
}

// A gradient in double, all zeros, in memory of this thread.
template <typename T>
RowGradient<double> gradient_in_double(const RowGradient<T>& wanted) {
  const RowGradient<double> wide{
      .scores = row_memory<double, Purpose::of_gradient>(wanted.scores.size()),
      .parameters = row_memory<double, Purpose::of_parameter_gradient>(wanted.parameters.size()),
      .bounds = row_memory<double, Purpose::of_bound_gradient>(wanted.bounds.size())};
  for (const std::span<double> part : {wide.scores, wide.parameters, wide.bounds}) {
    std::fill(part.begin(), part.end(), 0.0);
  }
  return wide;
}

// Hands it over: scores are overwritten, the others added to.
template <typename T>
void hand_over(const RowGradient<double>& wide, const RowGradient<T>& gradient) {
  const auto narrow = [](double value) { return static_cast<T>(value); };
  std::transform(wide.scores.begin(), wide.scores.end(), gradient.scores.begin(), narrow);
  const auto add = [](T there, double more) { return static_cast<T>(there + more); };
  std::transform(gradient.parameters.begin(), gradient.parameters.end(), wide.parameters.begin(),
                 gradient.parameters.begin(), add);
  std::transform(gradient.bounds.begin(), gradient.bounds.end(), wide.bounds.begin(),
                 gradient.bounds.begin(), add);
}

}  // namespace heed::attention
