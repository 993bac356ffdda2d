// SPDX-License-Identifier: Apache-2.0
// soft_cap: keeps scores between -cap and cap.
#include "heed/attention/bias.h"
#include "heed/autograd/ops.h"
#include "heed/kernels/elementwise.h"
#include "heed/tensor/arithmetic.h"

namespace heed::attention {
namespace {

struct SoftCap {
  double cap = 50;

  static Card card() {
    return {.name = "soft_cap",
            .summary = "Keeps scores between -cap and cap, small ones as they are.",
            .formula = "c tanh(s/c)",
            .source = "Bello et al. 2017; Gemma Team 2024"};
  }
  void declare(Options& options) { options.add("cap", cap, "c: no score goes beyond").above(0); }
  // ds = (1 - tanh²(s/c)) dy; where dy is 0 the score may be that of a masked key, NaN.
  Variable transform(const Variable& scores, const BiasCall&) const {
    const auto c = static_cast<Real>(cap);
    const Tensor t = map(kernels::tanh<Real>, scores.value() * (1 / c));
    return record("soft_cap", t * c, {scores}, [t](const Tensor& dy) -> Gradients {
      return {where(dy, map(kernels::tanh_backward<Real>, t, dy), Tensor::scalar(0))};
    });
  }
};

const ListedBias<SoftCap> kListed;

}  // namespace
}  // namespace heed::attention
