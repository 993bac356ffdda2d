// SPDX-License-Identifier: Apache-2.0
// convolution: a key is read together with its neighbours.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/attention/scores/additive_scores.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

// A key with NaN or infinity in it counts in its own score only. Its neighbours read zeros in its
// place: a query that may not see it must not meet it in them.
struct KeysThatAreNumbers {
  Variable keys;  // [B,G,K,D], such keys replaced by zeros
  Tensor marks;   // [B,G,K,1], NaN for them and 0 for others; not defined: all are numbers

  explicit KeysThatAreNumbers(const Variable& given) : keys(given) {
    const Tensor rows = given.value().packed();
    const auto is_number = [](Real x) { return std::isfinite(x); };
    if (std::ranges::all_of(rows.span(), is_number)) return;
    const std::int64_t width = rows.size(3);
    Tensor kept = Tensor::zeros(rows.shape().with(3, 1));
    marks = Tensor::zeros(kept.shape());
    for (std::int64_t row = 0; row < kept.size(); ++row) {
      const Real* key = rows.data() + row * width;
      const bool numbers = std::all_of(key, key + width, is_number);
      kept.mutable_data()[row] = numbers ? Real{1} : Real{0};
      if (!numbers) marks.mutable_data()[row] = std::numeric_limits<Real>::quiet_NaN();
    }
    keys = where(kept, given, Variable(Tensor::zeros({1, 1, 1, 1})));
  }
};

struct Convolution {
  static constexpr bool kGrows = false;  // a new key changes what its neighbours are

  std::int64_t width = 3;
  std::int64_t channels = 128;
  AdditiveActivation bend = AdditiveActivation::tanh;
  Variable v;   // [channels] or [H,channels]
  Variable F;   // [channels,Dk,width] or [G,channels,Dk,width]
  Variable W2;  // [channels,Dq] or [H,channels,Dq]

  static Card card() {
    return {.name = "convolution",
            .summary =
                "The additive score over keys that are read together with their neighbours, "
                "masked ones included; beyond the ends of each sequence there are zeros.",
            .formula = "vᵀ act((F∗K)_j + W₂q)",
            .source = "Bahdanau et al. 2015, here over convolved keys",
            .examples = {"channels=3", "width=5, channels=3, activation=gelu"}};
  }
  void declare(Options& options) {
    options.add("width", width, "keys read together; odd").range(1, 4095);
    options.add("channels", channels, "features read from them").range(1, 65536);
    declare_activation(options, bend);
  }
  void build(const ScoreShape& shape, Random& random) {
    if (width % 2 == 0) {
      throw UsageError("convolution: width {}; an odd one has a middle, such as {}", width,
                       width + 1);
    }
    v = head_parameter(shape.heads, [&] {
      return nn::fan_in_uniform({1, channels}, random).reshape({channels});
    });
    F = head_parameter(shape.key_heads, [&] {
      return nn::glorot_uniform({channels, shape.key_width, width}, random);
    });
    W2 = head_parameter(shape.heads, [&] {
      return nn::glorot_uniform({channels, shape.query_width}, random);
    });
  }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("v", v);
    visitor("F", F);
    visitor("W2", W2);
  }
  // One convolution per key head: [B,K,D] -> [B,K,channels], stacked to [B,G,K,channels].
  Variable project(const Variable& keys) const {
    if (keys.size(2) == 0) return Tensor::zeros(keys.shape().with(3, channels));
    const KeysThatAreNumbers numbers(keys);
    std::vector<Variable> heads;
    for (std::int64_t head = 0; head < keys.size(1); ++head) {
      const Variable filters = F.rank() == 4 ? select(F, 0, head) : F;
      const Variable rows = transpose(select(numbers.keys, 1, head));
      heads.push_back(transpose(convolution_1d(rows, filters, {}, {.padding = (width - 1) / 2})));
    }
    const Variable seen = stack(heads, 1);
    return numbers.marks.defined() ? seen + Variable(numbers.marks) : seen;
  }
  Variable score(const Variable& query, const Variable& keys, const ScoreCall&) const {
    return additive_scores(project_heads(query, W2), keys, v, activation_of(bend));
  }
};

const ListedScore<Convolution> kListed;

}  // namespace
}  // namespace heed::attention
