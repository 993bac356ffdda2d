// SPDX-License-Identifier: Apache-2.0
// Adaptive span: how far back, or round itself, each head looks is learnt; keys beyond the spans
// are never touched, so that time falls with them.
#include <algorithm>
#include <cmath>
#include <vector>

#include "heed/attention/patterns/run_list.h"
#include "heed/attention/whole/seen.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

struct SpanShape {
  std::int64_t longest;             // S
  std::int64_t ramp;                // R
  std::vector<std::int64_t> first;  // [B], the position of the first query
  Tensor share;                     // z [H]

  // R + z S: where a head sees nothing any more.
  double end(std::int64_t head) const {
    return static_cast<double>(ramp) +
           static_cast<double>(share.data()[head]) * static_cast<double>(longest);
  }
  // Keys on either side that it sees.
  std::int64_t reach(std::int64_t head) const {
    return static_cast<std::int64_t>(std::ceil(end(head))) - 1;
  }
};

// Adds log m, m(x) = clamp((R + z S - x) / R, 0, 1) at the distance x; m is 0 for keys that the
// pattern hides.
class SpanMask final : public ScoreChange {
 public:
  explicit SpanMask(SpanShape shape) : shape_(std::move(shape)) {}
  void change(const ScoreTile& scores) const override {
    const auto head = static_cast<std::int64_t>(scores.head);
    const double end = shape_.end(head), ramp = static_cast<double>(shape_.ramp);
    on_ramp(scores, [&](std::size_t r, std::size_t c, double distance) {
      scores.row(r)[c] += static_cast<Real>(std::log((end - distance) / ramp));
    });
  }
  // d log m / dz = S / (R + z S - x).
  void derivative(const ScoreTileBefore& before, Real* gradient, Real* parameters) const override {
    const auto head = static_cast<std::int64_t>(before.head);
    const double end = shape_.end(head), longest = static_cast<double>(shape_.longest);
    double sum = 0;
    on_ramp(before, [&](std::size_t r, std::size_t c, double distance) {
      sum += static_cast<double>(gradient[r * before.stride + c]) * longest / (end - distance);
    });
    parameters[head] += static_cast<Real>(sum);
  }
  std::size_t parameter_count() const noexcept override {
    return static_cast<std::size_t>(shape_.share.size());
  }
  bool adds() const noexcept override { return true; }

 private:
  // body(row, column, distance) wherever 0 < m < 1.
  template <typename Tile, typename Body>
  void on_ramp(const Tile& tile, const Body& body) const {
    const double end = shape_.end(static_cast<std::int64_t>(tile.head));
    const double flat = end - static_cast<double>(shape_.ramp);
    for (std::size_t r = 0; r < tile.rows; ++r) {
      const std::int64_t place =
          shape_.first[tile.batch] + static_cast<std::int64_t>(tile.query + r);
      for (std::size_t c = 0; c < tile.columns; ++c) {
        const auto distance =
            static_cast<double>(std::abs(place - static_cast<std::int64_t>(tile.key + c)));
        if (distance > flat && distance < end) body(r, c, distance);
      }
    }
  }
  SpanShape shape_;
};

struct AdaptiveSpan {
  std::int64_t longest = 512;
  std::int64_t ramp = 32;
  double start = 0.1;
  double loss = 2e-6;
  Variable a;  // [H]

  static Card card() {
    return {.name = "adaptive_span",
            .summary =
                "Softmax over the keys within a span that each head learns; its loss makes spans "
                "short where that costs nothing, and time falls with them.",
            .formula =
                "m_j exp(q k_j / √d) / Σ m_j exp(q k_j / √d), m_j = clamp((R + z S − |i − j|) "
                "/ R, 0, 1), z = σ(a); loss λ S mean z",
            .source = "Sukhbaatar et al. 2019",
            .examples = {"longest=4, ramp=2", "longest=6, ramp=3, start=0.45"}};
  }
  void declare(Options& options) {
    options.add("longest", longest, "S, the longest span").range(1, 1 << 24);
    options.add("ramp", ramp, "R, keys over which a span ends").range(1, 1 << 20);
    options.add("start", start, "z at the start, as a part of the longest").range(1e-4, 0.9999);
    options.add("loss", loss, "λ: what a key of the mean span adds to the loss of a token")
        .at_least(0);
  }
  void build(const MechanismShape& shape, Random&) {
    require_equal_widths("adaptive_span", shape);
    a = nn::parameter(
        Tensor::full({shape.heads}, static_cast<Real>(std::log(start / (1 - start)))));
  }
  void visit(nn::ParameterVisitor& visitor) { visitor("a", a); }

  Variable context(const WholeCall& call) const { return softmax_context(inputs(call)); }
  Variable weights(const WholeCall& call) const { return softmax_matrix(inputs(call)); }
  Variable penalty() const {
    if (loss == 0) return {};
    return mean(sigmoid(a)) * static_cast<Real>(loss * static_cast<double>(longest));
  }

 private:
  SoftmaxInputs inputs(const WholeCall& call) const {
    const SeenKeys seen = seen_keys(call);
    const Variable share = sigmoid(a);
    const SpanShape shape{longest, ramp, call.first, share.value().packed()};
    const auto rows = [shape, visible = call.visible, queries = call.query.size(2)](
                          std::int64_t batch, std::int64_t head, std::int64_t query,
                          std::vector<KeyRun>& runs) {
      runs.clear();
      const std::int64_t place = shape.first[static_cast<std::size_t>(batch)] + query;
      const std::int64_t reach = shape.reach(head);
      append_run(runs, {std::max<std::int64_t>(place - reach, 0),
                        std::min(visible[static_cast<std::size_t>(batch * queries + query)],
                                 place + reach + 1),
                        1});
    };
    return {call.query,
            seen.keys,
            seen.values,
            pattern_of_rows({call.query.size(0), call.query.size(1), call.query.size(2)}, rows),
            {{std::make_shared<SpanMask>(shape), share}}};
  }
};

const ListedWhole<AdaptiveSpan> kListed;

}  // namespace
}  // namespace heed::attention
