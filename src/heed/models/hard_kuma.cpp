// SPDX-License-Identifier: Apache-2.0
// With F(k) = 1 - (1 - k^a)^b and the interval (l, r): P(0) = F(-l/(r - l)), P(1) = 1 - F((1 - l) /
// (r - l)). Powers are exponentials of logarithms, and differences from 1 are expm1 and log1p: in
// plain arithmetic small shapes lose every digit.
#include "heed/models/hard_kuma.h"

#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/tensor/arithmetic.h"

namespace heed::models {
namespace {

constexpr double kLow = -.1;
constexpr double kHigh = 1.1;
constexpr double kZeroPoint = -kLow / (kHigh - kLow);
constexpr double kOnePoint = (1 - kLow) / (kHigh - kLow);

double within(double shape) {
  return std::clamp(shape, kLeastShape, kMostShape);
}

// log(1 - k^a)
double log_rest(double k, double a) {
  return std::log(-std::expm1(a * std::log(k)));
}

void check(const KumaShapes& shapes, const char* what) {
  if (shapes.a.shape() != shapes.b.shape()) {
    throw UsageError("{}: shapes a {} and b {}; they are of the same gates", what,
                     shapes.a.shape().text(), shapes.b.shape().text());
  }
}

// A function of each gate with its two derivatives.
template <typename Function>
Variable each_gate(const char* name, const KumaShapes& shapes, const Function& function) {
  const Tensor a = shapes.a.value().packed(), b = shapes.b.value().packed();
  Tensor y(a.shape()), da(a.shape()), db(a.shape());
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const double raw_a = a.data()[i], raw_b = b.data()[i];
    const KumaGate gate{within(raw_a), within(raw_b)};
    const KumaGate::Draw found = function(gate, i);
    y.mutable_data()[i] = static_cast<Real>(found.z);
    // A shape beyond its bounds is at them, whatever it is.
    da.mutable_data()[i] = gate.a == raw_a ? static_cast<Real>(found.da) : 0;
    db.mutable_data()[i] = gate.b == raw_b ? static_cast<Real>(found.db) : 0;
  }
  return record(name, y, {shapes.a, shapes.b}, [da, db](const Tensor& dy) -> Gradients {
    return {dy * da, dy * db};
  });
}

}  // namespace

KumaGate::Draw KumaGate::draw(double u) const {
  const double log_left = std::log1p(-u);      // log(1 - u)
  const double s = -std::expm1(log_left / b);  // 1 - (1 - u)^(1/b)
  const double log_k = std::log(s) / a;
  const double k = std::exp(log_k);
  const double stretched = kLow + (kHigh - kLow) * k;
  if (stretched <= 0 || stretched >= 1) return {.z = std::clamp(stretched, 0.0, 1.0)};
  const double width = kHigh - kLow;
  return {.z = stretched,
          .da = -width * k * log_k / a,
          .db = width * k / (a * s) * std::exp(log_left / b) * log_left / (b * b)};
}

KumaGate::Draw KumaGate::zero() const {
  const double log_c = std::log(kZeroPoint);
  const double q = std::exp(a * log_c);
  const double log_left = log_rest(kZeroPoint, a);  // log(1 - q)
  return {.z = -std::expm1(b * log_left),
          .da = b * std::exp((b - 1) * log_left) * q * log_c,
          .db = -std::exp(b * log_left) * log_left};
}

double KumaGate::one() const {
  return std::exp(b * log_rest(kOnePoint, a));
}

// E[z] = integral over (0, 1) of P(z > t) dt, where P(z > t) = (1 - k(t)^a)^b is smooth; Simpson's
// rule on 200 intervals gives ten digits for shapes of .1 and more.
double KumaGate::mean() const {
  constexpr int kIntervals = 200;
  const auto above = [this](double t) {
    return std::exp(b * log_rest((t - kLow) / (kHigh - kLow), a));
  };
  double sum = above(0) + above(1);
  for (int i = 1; i < kIntervals; ++i) {
    sum += (i % 2 == 1 ? 4 : 2) * above(static_cast<double>(i) / kIntervals);
  }
  return sum / (3 * kIntervals);
}

double KumaGate::likeliest() const {
  const double nothing = zero().z, all = one();
  const double between = 1 - nothing - all;
  if (nothing >= all && nothing >= between) return 0;
  return all >= between ? 1 : mean();
}

Variable hard_kuma(const KumaShapes& shapes, const Tensor& uniform) {
  check(shapes, "hard_kuma");
  if (uniform.shape() != shapes.a.shape()) {
    throw UsageError("hard_kuma: uniform numbers {} for gates {}; each has one",
                     uniform.shape().text(), shapes.a.shape().text());
  }
  const Tensor u = uniform.packed();
  return each_gate("hard_kuma", shapes, [&u](const KumaGate& gate, std::int64_t i) {
    return gate.draw(std::clamp(static_cast<double>(u.data()[i]), .001, .999));
  });
}

Variable chance_of_zero(const KumaShapes& shapes) {
  check(shapes, "chance_of_zero");
  return each_gate("chance_of_zero", shapes,
                   [](const KumaGate& gate, std::int64_t) { return gate.zero(); });
}

Tensor likeliest(const KumaShapes& shapes) {
  check(shapes, "likeliest");
  const Tensor a = shapes.a.value().packed(), b = shapes.b.value().packed();
  Tensor z(a.shape());
  for (std::int64_t i = 0; i < a.size(); ++i) {
    const KumaGate gate{within(a.data()[i]), within(b.data()[i])};
    z.mutable_data()[i] = static_cast<Real>(gate.likeliest());
  }
  return z;
}

}  // namespace heed::models
