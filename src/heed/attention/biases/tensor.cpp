// SPDX-License-Identifier: Apache-2.0
// tensor: the user's own numbers are added.
#include "heed/attention/bias.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

struct GivenTensor {
  static Card card() {
    return {.name = "tensor",
            .summary = "Adds numbers that are given with the memory, after the scale.",
            .formula = "s + given[i, j]",
            .source = "PyTorch: a float mask"};
  }
  void declare(Options&) {}
  // given [B or 1, H or 1, Q, K], H all heads of the mechanism or those of this group
  Variable transform(const Variable& scores, const BiasCall& call) const {
    Tensor given = call.given;
    if (!given.defined()) {
      throw UsageError("tensor: no numbers were given; it takes a bias of shape [{},{},{},{}]",
                       scores.size(0), scores.size(1), scores.size(2), scores.size(3));
    }
    const std::int64_t heads = scores.size(1);
    if (given.rank() == 4 && given.size(1) == call.all_heads && given.size(1) > heads) {
      given = given.slice(1, call.first_head, call.first_head + heads);
    }
    const auto fits = [&](int axis, bool may_be_one) {
      return given.size(axis) == scores.size(axis) || (may_be_one && given.size(axis) == 1);
    };
    if (given.rank() != 4 || !fits(0, true) || !fits(1, true) || !fits(2, false) ||
        !fits(3, false)) {
      throw UsageError(
          "tensor: a bias of shape {}; the scores are {}, and batch and heads may be 1",
          call.given.shape().text(), scores.shape().text());
    }
    return scores + Variable(given);
  }
};

const ListedBias<GivenTensor> kListed;

}  // namespace
}  // namespace heed::attention
