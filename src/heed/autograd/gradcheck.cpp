// SPDX-License-Identifier: Apache-2.0
// Finite differences, one element at a time.
#include "heed/autograd/gradcheck.h"

#include <algorithm>
#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed {
namespace {

// Weights of the projection: irregular, of both signs, none near zero.
Tensor projection(const Shape& shape) {
  Tensor weights(shape);
  Real* data = weights.mutable_data();
  for (std::int64_t i = 0; i < weights.size(); ++i) {
    data[i] = static_cast<Real>((i % 3 == 1 ? -1 : 1) *
                                (0.6 + 0.4 * std::sin(1.7 * static_cast<double>(i))));
  }
  return weights;
}

std::set<std::string>& passed() {
  static std::set<std::string> ops;
  return ops;
}

Real projected(const CheckedFunction& f, std::span<const Variable> leaves) {
  const NoGradient no_graph;
  const Variable y = f(leaves);
  return sum(y * Variable(projection(y.shape()))).item();
}

}  // namespace

GradcheckResult gradcheck(const CheckedFunction& f, std::span<const Tensor> inputs,
                          const GradcheckOptions& options) {
  std::vector<Variable> leaves;
  for (const Tensor& input : inputs) leaves.push_back(Variable::leaf(input.clone()));

  GradcheckResult result;
  const Variable y = f(leaves);
  result.ops = recorded_ops(y);
  backward(sum(y * Variable(projection(y.shape()))));

  result.passed = true;
  for (std::size_t which = 0; which < leaves.size(); ++which) {
    const Tensor gradient = leaves[which].gradient().defined()
                                ? leaves[which].gradient().packed()
                                : Tensor::zeros(inputs[which].shape());
    Real* x = leaves[which].mutable_value().mutable_data();
    for (std::int64_t i = 0; i < gradient.size(); ++i) {
      const Real centre = x[i];
      x[i] = centre + options.step;
      const Real above = projected(f, leaves);
      x[i] = centre - options.step;
      const Real below = projected(f, leaves);
      x[i] = centre;
      const Real numeric = (above - below) / (2 * options.step);
      const Real analytic = gradient.data()[i];
      const Real scale = std::max({Real{1}, std::abs(analytic), std::abs(numeric)});
      const Real error = std::abs(analytic - numeric) / scale;
      if (!(error <= result.worst)) {  // also true for NaN
        result.worst = error;
        result.where =
            fmt::format("element {} of input {} {}: backward {:.9g}, finite difference {:.9g}", i,
                        which, inputs[which].shape().text(), analytic, numeric);
      }
      result.passed = result.passed && error <= options.tolerance;
    }
  }
  if (result.passed) passed().insert(result.ops.begin(), result.ops.end());
  return result;
}

const std::set<std::string>& passed_ops() {
  return passed();
}

}  // namespace heed
