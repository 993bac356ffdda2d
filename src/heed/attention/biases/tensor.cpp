// SPDX-License-Identifier: Apache-2.0
// tensor: the user's own numbers are added.
#include "heed/attention/bias.h"
#include "heed/base/error.h"
#include "heed/kernels/elementwise.h"

namespace heed::attention {
namespace {

class GivenChange final : public ScoreChange {
 public:
  // given [B or 1, H or 1, Q, K]
  explicit GivenChange(const Tensor& given)
      : given_(given.packed()),
        version_(given_.version()),
        batch_stride_(given.size(0) == 1 ? 0 : static_cast<std::size_t>(given_.stride(0))),
        head_stride_(given.size(1) == 1 ? 0 : static_cast<std::size_t>(given_.stride(1))),
        keys_(static_cast<std::size_t>(given.size(3))) {}
  void change(const ScoreTile& scores) const override {
    if (given_.version() != version_) {  // backward makes the scores again
      throw UsageError("tensor: the bias was written in place before backward; write to a clone()");
    }
    const Real* from = given_.data() + scores.batch * batch_stride_ + scores.head * head_stride_;
    for (std::size_t r = 0; r < scores.rows; ++r) {
      kernels::add_scaled<Real>(1, from + (scores.query + r) * keys_ + scores.key, scores.row(r),
                                scores.columns);
    }
  }
  void derivative(const ScoreTileBefore&, Real*, Real*) const noexcept override {}
  bool adds() const noexcept override { return true; }

 private:
  Tensor given_;
  std::uint32_t version_;
  std::size_t batch_stride_, head_stride_, keys_;
};

struct GivenTensor {
  static Card card() {
    return {.name = "tensor",
            .summary = "Adds numbers that are given with the memory, after the scale.",
            .formula = "s + given[i, j]",
            .source = "Paszke et al. 2019 (PyTorch, a float mask)",
            .reads = {Given::bias}};
  }
  void declare(Options&) {}
  // given [B or 1, H or 1, Q, K], H all heads of the mechanism or those of this group
  TileChange tile_change(const BiasCall& call) const {
    const Shape scores{call.batch(), call.heads(), call.queries(), call.key_count()};
    Tensor given = call.given;
    if (!given.defined()) {
      throw UsageError("tensor: no numbers were given; it takes a bias of shape {}", scores.text());
    }
    if (given.rank() == 4 && given.size(1) == call.all_heads && given.size(1) > scores[1]) {
      given = given.slice(1, call.first_head, call.first_head + scores[1]);
    }
    const auto fits = [&](int axis, bool may_be_one) {
      return given.size(axis) == scores[axis] || (may_be_one && given.size(axis) == 1);
    };
    if (given.rank() != 4 || !fits(0, true) || !fits(1, true) || !fits(2, false) ||
        !fits(3, false)) {
      throw UsageError(
          "tensor: a bias of shape {}; the scores are {}, and batch and heads may be 1",
          call.given.shape().text(), scores.text());
    }
    return {std::make_shared<GivenChange>(given)};
  }
};

const ListedBias<GivenTensor> kListed;

}  // namespace
}  // namespace heed::attention
