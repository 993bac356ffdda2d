// SPDX-License-Identifier: Apache-2.0
// location_aware: the additive score that also sees where the last step looked.
#include <algorithm>

#include "heed/attention/scores/additive_scores.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"
#include "heed/nn/lengths.h"

namespace heed::attention {
namespace {

struct LocationAware {
  static constexpr bool kLooksBack = true;

  std::int64_t width = 31;
  std::int64_t channels = 10;
  std::int64_t size = 128;
  AdditiveWeights weights;
  Variable F;  // [channels,width]: shared by the heads
  Variable U;  // [size,channels] or [H,size,channels]

  static Card card() {
    return {.name = "location_aware",
            .summary =
                "The additive score that also sees where the last step looked; the first step "
                "starts from uniform weights.",
            .formula = "vᵀ tanh(W₁k_j + W₂q + U (F∗a)_j), a the last step's weights",
            .source = "Chorowski et al. 2015",
            .examples = {"width=3, channels=3, size=3"}};
  }
  void declare(Options& options) {
    options.add("width", width, "past weights read together; odd").range(1, 4095);
    options.add("channels", channels, "features read from them").range(1, 65536);
    options.add("size", size, "units of the hidden layer").range(1, 65536);
  }
  void build(const ScoreShape& shape, Random& random) {
    if (width % 2 == 0) {
      throw UsageError("location_aware: width {}; an odd one has a middle, such as {}", width,
                       width + 1);
    }
    weights = AdditiveWeights(shape, size, random);
    F = nn::parameter(nn::glorot_uniform({channels, width}, random));
    U = head_parameter(shape.heads, [&] { return nn::glorot_uniform({size, channels}, random); });
  }
  void visit(nn::ParameterVisitor& visitor) {
    weights.visit(visitor);
    visitor("F", F);
    visitor("U", U);
  }
  Variable project(const Variable& keys) const { return project_heads(keys, weights.W1); }

  // [B,H,K] -> [B,H,K,channels]
  Variable features(const Variable& past) const {
    const std::int64_t batch = past.size(0), heads = past.size(1), count = past.size(2);
    const Variable rows = reshape(past, {batch * heads, 1, count});
    const Variable filters = reshape(F, {channels, 1, width});
    const Variable seen = convolution_1d(rows, filters, {}, {.padding = (width - 1) / 2});
    return reshape(transpose(seen), {batch, heads, count, channels});
  }
  // Weights [B,H,K] before the first step: one over the length, and none on padding.
  static Tensor everywhere_alike(const Shape& shape, const ScoreCall& call) {
    Tensor weights = Tensor::zeros(shape);
    const std::int64_t heads = shape[1], keys = shape[2];
    for (std::int64_t row = 0; row < shape[0] * heads; ++row) {
      const std::int64_t length = nn::length_of(call.lengths, row / heads, keys);
      const auto shared = static_cast<Real>(std::max<std::int64_t>(length, 1));
      std::fill_n(weights.mutable_data() + row * keys, length, 1 / shared);
    }
    return weights;
  }
  Variable score(const Variable& query, const Variable& keys, const ScoreCall& call) const {
    check_one_query(query, "location_aware");
    const Variable& past = call.state.previous;
    const Variable looked =
        past.defined() ? past
                       : everywhere_alike({query.size(0), query.size(1), keys.size(2)}, call);
    const Variable seen = with_features(keys, project_heads(features(looked), U));
    return additive_scores(project_heads(query, weights.W2), seen, weights.v, Activation::tanh);
  }
};

const ListedScore<LocationAware> kListed;

}  // namespace
}  // namespace heed::attention
