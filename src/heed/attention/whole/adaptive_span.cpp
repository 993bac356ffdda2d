// SPDX-License-Identifier: Apache-2.0
// Adaptive span: how far back, or round itself, each head looks is learnt, or each token of each
// head says it; keys beyond the spans are never touched, so that time falls with them.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "heed/attention/compose/head_weights.h"
#include "heed/attention/patterns/run_list.h"
#include "heed/attention/whole/seen.h"
#include "heed/attention/written/learnt.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

// What a span belongs to.
enum class SpanOf { head, token };
const std::vector<std::string>& span_of_names() {
  static const std::vector<std::string> names = {"head", "token"};
  return names;
}

// A query of a call.
struct Asked {
  std::int64_t batch, head, query;
};

struct SpanShape {
  std::int64_t longest;             // S
  std::int64_t ramp;                // R
  std::vector<std::int64_t> first;  // [B], the position of the first query
  Tensor share;                     // z [H], or [B,H,Q] of tokens

  // Where the z of a query is.
  std::int64_t place(const Asked& asked) const {
    if (share.rank() == 1) return asked.head;
    return (asked.batch * share.size(1) + asked.head) * share.size(2) + asked.query;
  }
  // R + z S: where it sees nothing any more.
  double end(const Asked& asked) const {
    return static_cast<double>(ramp) +
           static_cast<double>(share.data()[place(asked)]) * static_cast<double>(longest);
  }
  // Keys on either side that it sees.
  std::int64_t reach(const Asked& asked) const {
    return static_cast<std::int64_t>(std::ceil(end(asked))) - 1;
  }
};

// Adds log m, m(x) = clamp((R + z S - x) / R, 0, 1) at the distance x; m is 0 for keys that the
// pattern hides.
class SpanMask final : public ScoreChange {
 public:
  explicit SpanMask(SpanShape shape) : shape_(std::move(shape)) {}
  void change(const ScoreTile& scores) const override {
    const double ramp = static_cast<double>(shape_.ramp);
    on_ramp(scores, [&](std::size_t r, std::size_t c, const Asked&, double left) {
      scores.row(r)[c] += static_cast<Real>(std::log(left / ramp));
    });
  }
  // d log m / dz = S / (R + z S - x).
  void derivative(const ScoreTileBefore& before, Real* gradient, Real* parameters) const override {
    const double longest = static_cast<double>(shape_.longest);
    on_ramp(before, [&](std::size_t r, std::size_t c, const Asked& asked, double left) {
      parameters[shape_.place(asked)] +=
          static_cast<Real>(static_cast<double>(gradient[r * before.stride + c]) * longest / left);
    });
  }
  std::size_t parameter_count() const noexcept override {
    return static_cast<std::size_t>(shape_.share.size());
  }
  bool adds() const noexcept override { return true; }

 private:
  // body(row, column, query, R + z S - x) wherever 0 < m < 1.
  template <typename Tile, typename Body>
  void on_ramp(const Tile& tile, const Body& body) const {
    for (std::size_t r = 0; r < tile.rows; ++r) {
      const Asked asked{static_cast<std::int64_t>(tile.batch), static_cast<std::int64_t>(tile.head),
                        static_cast<std::int64_t>(tile.query + r)};
      const double end = shape_.end(asked);
      const double flat = end - static_cast<double>(shape_.ramp);
      const std::int64_t place = shape_.first[tile.batch] + asked.query;
      for (std::size_t c = 0; c < tile.columns; ++c) {
        const auto distance =
            static_cast<double>(std::abs(place - static_cast<std::int64_t>(tile.key + c)));
        if (distance > flat && distance < end) body(r, c, asked, end - distance);
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
  SpanOf of = SpanOf::head;
  Variable a;  // [H]
  Variable v;  // [D] or [H,D], of tokens: what a query's features say of its span

  static Card card() {
    return {
        .name = "adaptive_span",
        .summary =
            "Softmax over the keys within a span that each head learns, or that each token says "
            "(of=token); its loss makes spans short where that costs nothing, and time falls "
            "with them.",
        .formula =
            "m_j exp(q k_j / √d) / Σ m_j exp(q k_j / √d), m_j = clamp((R + z S − |i − j|) "
            "/ R, 0, 1), z = σ(a), of=token: z_i = σ(v q_i + a); loss λ S mean z",
        .source = "Sukhbaatar et al. 2019",
        .examples = {"longest=4, ramp=2", "longest=6, ramp=3, start=0.45",
                     "longest=6, ramp=3, start=0.45, of=token"}};
  }
  void declare(Options& options) {
    options.add("longest", longest, "S, the longest span").range(1, 1 << 24);
    options.add("ramp", ramp, "R, keys over which a span ends").range(1, 1 << 20);
    options.add("start", start, "z at the start, as a part of the longest").range(1e-4, 0.9999);
    options.add("loss", loss, "λ: what a key of the mean span adds to the loss of a token")
        .at_least(0);
    options.add("of", of, span_of_names(), "whether each head has a span, or each token in it");
  }
  void build(const MechanismShape& shape, Random&) {
    require_equal_widths("adaptive_span", shape);
    a = nn::parameter(
        Tensor::full({shape.heads}, static_cast<Real>(std::log(start / (1 - start)))));
    if (of == SpanOf::head) return;
    v = head_parameter(shape.heads, [&] { return Tensor::zeros({shape.query_width}); });
  }
  void visit(nn::ParameterVisitor& visitor) {
    visitor("a", a);
    visitor("v", v);
  }

  Variable context(const WholeCall& call) const { return softmax_context(inputs(call)); }
  Variable weights(const WholeCall& call) const { return softmax_matrix(inputs(call)); }
  Variable penalty(const WholeCall& call) const {
    if (loss == 0) return {};
    return mean(shares(call)) * static_cast<Real>(loss * static_cast<double>(longest));
  }

  // R + z S of a head; tokens have none in common.
  double learnt_reach(double value) const {
    if (of == SpanOf::token) return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(ramp) + static_cast<double>(longest) / (1 + std::exp(-value));
  }

 private:
  // z [H], or [B,H,Q] of tokens.
  Variable shares(const WholeCall& call) const {
    if (of == SpanOf::head) return sigmoid(a);
    const Variable said = sum(call.query * along_heads(v, 1), 3);
    return sigmoid(said + reshape(a, {a.size(0), 1}));
  }
  SoftmaxInputs inputs(const WholeCall& call) const {
    const SeenKeys seen = seen_keys(call);
    const Variable share = shares(call);
    const SpanShape shape{longest, ramp, call.first, share.value().packed()};
    const auto rows = [shape, visible = call.visible, queries = call.query.size(2)](
                          std::int64_t batch, std::int64_t head, std::int64_t query,
                          std::vector<KeyRun>& runs) {
      runs.clear();
      const std::int64_t place = shape.first[static_cast<std::size_t>(batch)] + query;
      const std::int64_t reach = shape.reach({batch, head, query});
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
const ListedReading<AdaptiveSpan> kReach("a", "reach", &AdaptiveSpan::learnt_reach);

}  // namespace
}  // namespace heed::attention
