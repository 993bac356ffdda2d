// SPDX-License-Identifier: Apache-2.0
// Attention over hashed keys as an op: each round is one call of the fused kernel on sorted rows.
// Rounds are joined by their log-sum-exp, and a pair that c rounds show has its score less log c in
// each, so that it counts once: together they are one softmax over all keys of any round. Backward
// gives the kernel the joined context and log-sum-exp, from which each round's part of the gradient
// follows as that of one call.
#include "heed/attention/whole/hashed_attention.h"

#include <array>
#include <cmath>
#include <limits>

#include "heed/attention/compose/products.h"
#include "heed/attention/fused/operands.h"
#include "heed/attention/patterns/run_list.h"
#include "heed/attention/whole/seen.h"
#include "heed/autograd/ops.h"
#include "heed/base/threads.h"

namespace heed::attention {
namespace {

using Hashed = std::shared_ptr<const HashedKeys>;

// What a query sees of one round, in slots.
void seen_slots(const HashedKeys& hashed, std::int64_t batch, std::int64_t head,
                const HashRound& round, std::int64_t query, std::vector<KeyRun>& runs) {
  runs.clear();
  const auto q = static_cast<std::size_t>(query);
  const std::int64_t own = round.own[q];
  if (own < 0 || !hashed.hides_own(batch, head, query)) {
    append_run(runs, {round.begin[q], round.end[q], 1});
    return;
  }
  append_run(runs, {round.begin[q], own, 1});
  append_run(runs, {own + 1, round.end[q], 1});
}

// -log c of a pair that c rounds show.
class SharedPairs final : public ScoreChange {
 public:
  SharedPairs(Hashed hashed, std::int64_t round, std::int64_t heads, std::int64_t keys,
              std::int64_t batch)
      : hashed_(std::move(hashed)), round_(round), heads_(heads), keys_(keys) {
    codes_.assign(static_cast<std::size_t>(batch * heads * hashed_->rounds() * keys), -1);
    for (std::int64_t row = 0; row < batch * heads; ++row) {
      const std::int64_t b = row / heads, h = row % heads;
      const std::vector<std::int32_t>& slots = hashed_->round(b, h, round).keys;
      for (std::int64_t r = 0; r < hashed_->rounds(); ++r) {
        const std::vector<std::int32_t>& chunks = hashed_->round(b, h, r).key_chunk;
        std::int32_t* code = codes_.data() + (row * hashed_->rounds() + r) * keys;
        for (const std::int32_t key : slots) *code++ = chunks[static_cast<std::size_t>(key)];
      }
    }
    for (std::int64_t count = 0; count <= hashed_->rounds(); ++count) {
      logarithms_.push_back(static_cast<Real>(std::log(std::max(static_cast<double>(count), 1.0))));
    }
  }
  void change(const ScoreTile& scores) const override {
    const auto batch = static_cast<std::int64_t>(scores.batch),
               head = static_cast<std::int64_t>(scores.head);
    const HashRound& mine = hashed_->round(batch, head, round_);
    constexpr std::size_t kColumns = 64;
    std::array<std::int32_t, kColumns> counts{};
    for (std::size_t r = 0; r < scores.rows; ++r) {
      const auto query = static_cast<std::size_t>(mine.queries[scores.query + r]);
      for (std::size_t from = 0; from < scores.columns; from += kColumns) {
        const std::size_t n = std::min(kColumns, scores.columns - from);
        counts.fill(0);
        for (std::int64_t other = 0; other < hashed_->rounds(); ++other) {
          const HashRound& round = hashed_->round(batch, head, other);
          const std::int32_t chunk = round.chunk[query], before = round.before[query];
          const std::int32_t* code = codes_.data() +
                                     ((batch * heads_ + head) * hashed_->rounds() + other) * keys_ +
                                     scores.key + from;
          for (std::size_t c = 0; c < n; ++c) {
            counts[c] += static_cast<std::int32_t>(code[c] == chunk) +
                         static_cast<std::int32_t>(code[c] == before);
          }
        }
        Real* row = scores.row(r) + from;
        for (std::size_t c = 0; c < n; ++c) {
          row[c] -= logarithms_[static_cast<std::size_t>(counts[c])];
        }
      }
    }
  }
  void derivative(const ScoreTileBefore&, Real*, Real*) const override {}
  bool adds() const noexcept override { return true; }

 private:
  Hashed hashed_;
  std::int64_t round_, heads_, keys_;
  std::vector<std::int32_t> codes_;  // [B,H,rounds,K]: of each slot, its key's chunk in each round
  std::vector<Real> logarithms_;     // of 0 to rounds; log 0 is never used
};

// Rows of one call in the order of one round, and back.
struct RoundOrder {
  const HashedKeys& hashed;
  std::int64_t round, heads, key_heads;

  enum class Of { queries, keys };
  // Calls body(head, slot, row) for every slot, heads in parallel.
  template <typename Body>
  void for_each(Of of, std::int64_t batch, const Body& body) const {
    parallel_for(static_cast<std::size_t>(batch * heads), 1, [&](std::size_t from, std::size_t to) {
      for (auto row = static_cast<std::int64_t>(from); row < static_cast<std::int64_t>(to); ++row) {
        const HashRound& mine = hashed.round(row / heads, row % heads, round);
        const std::vector<std::int32_t>& ids = of == Of::queries ? mine.queries : mine.keys;
        for (std::size_t slot = 0; slot < ids.size(); ++slot) {
          body(row, static_cast<std::int64_t>(slot), static_cast<std::int64_t>(ids[slot]));
        }
      }
    });
  }
  std::int64_t key_row(std::int64_t row) const {
    return row / heads * key_heads + row % heads / (heads / key_heads);
  }
  // x [B,H or G,N,D], packed -> [B,H,N,D]; slots without a row are zero.
  Tensor sorted(Of of, const Tensor& x) const {
    Tensor found = Tensor::zeros({x.size(0), heads, x.size(2), x.size(3)});
    const std::int64_t rows = x.size(2), width = x.size(3);
    const bool spread = of == Of::keys && key_heads != heads;
    Real* to = found.mutable_data();
    const Real* from = x.data();
    for_each(of, x.size(0), [&](std::int64_t head, std::int64_t slot, std::int64_t row) {
      const std::int64_t source = spread ? key_row(head) : head;
      std::copy_n(from + (source * rows + row) * width, width, to + (head * rows + slot) * width);
    });
    return found;
  }
  // Adds [B,H,N,D] in slots to `sums` of the same shape in rows.
  void add_back(Of of, const Tensor& slots, Tensor& sums) const {
    const std::int64_t rows = slots.size(2), width = slots.size(3);
    Real* to = sums.mutable_data();
    const Real* from = slots.data();
    for_each(of, slots.size(0), [&](std::int64_t head, std::int64_t slot, std::int64_t row) {
      const Real* source = from + (head * rows + slot) * width;
      Real* target = to + (head * rows + row) * width;
      for (std::int64_t d = 0; d < width; ++d) target[d] += source[d];
    });
  }
};
using Of = RoundOrder::Of;

// One call's tensors, packed, kept for backward.
struct Operands {
  Hashed hashed;
  Tensor query, keys, values;

  RoundOrder order(std::int64_t round) const {
    return {*hashed, round, query.size(1), keys.size(1)};
  }
  FusedOperands round(std::int64_t round) const {
    const RoundOrder rows = order(round);
    FusedInputs inputs{
        .query = Variable(rows.sorted(Of::queries, query)),
        .keys = Variable(rows.sorted(Of::keys, keys)),
        .values = Variable(rows.sorted(Of::keys, values)),
        .scale = static_cast<Real>(1 / std::sqrt(static_cast<double>(query.size(3)))),
        .pattern =
            pattern_of_rows({query.size(0), query.size(1), query.size(2)},
                            [hashed = hashed, round](std::int64_t batch, std::int64_t head,
                                                     std::int64_t slot, std::vector<KeyRun>& runs) {
                              const HashRound& mine = hashed->round(batch, head, round);
                              seen_slots(*hashed, batch, head, mine,
                                         mine.queries[static_cast<std::size_t>(slot)], runs);
                            })};
    if (hashed->rounds() > 1) {
      inputs.changes.push_back(
          {std::make_shared<SharedPairs>(hashed, round, query.size(1), keys.size(2), query.size(0)),
           {}});
    }
    return FusedOperands(inputs);
  }
};

// Adds one round, in slots, to what the rounds before gave, in rows.
void join(const RoundOrder& order, const Tensor& context, const Tensor& log_sum_exp, Tensor& all,
          Tensor& all_log_sum_exp) {
  const std::int64_t rows = context.size(2), width = context.size(3);
  const Real* more = context.data();
  const Real* more_log = log_sum_exp.data();
  Real* sums = all.mutable_data();
  Real* logs = all_log_sum_exp.mutable_data();
  order.for_each(Of::queries, context.size(0),
                 [&](std::int64_t head, std::int64_t slot, std::int64_t row) {
                   const Real a = logs[head * rows + row], b = more_log[head * rows + slot];
                   const Real most = std::max(a, b);
                   if (b == -std::numeric_limits<Real>::infinity()) return;
                   const Real total = most + std::log(std::exp(a - most) + std::exp(b - most));
                   const Real before = std::exp(a - total), now = std::exp(b - total);
                   const Real* from = more + (head * rows + slot) * width;
                   Real* to = sums + (head * rows + row) * width;
                   for (std::int64_t d = 0; d < width; ++d) to[d] = before * to[d] + now * from[d];
                   logs[head * rows + row] = total;
                 });
}

// [B,H,...] -> [B,G,...]: what the heads that read one of G gave, added up.
Tensor of_key_heads(const Tensor& x, std::int64_t key_heads) {
  if (x.size(1) == key_heads) return x;
  return sum(x.reshape({x.size(0), key_heads, x.size(1) / key_heads, x.size(2), x.size(3)}), 2);
}

// False where some number is not finite.
bool attend_rounds(const Operands& of, Tensor& context, Tensor& log_sum_exp) {
  for (std::int64_t r = 0; r < of.hashed->rounds(); ++r) {
    Tensor found(context.shape());
    Tensor found_log(log_sum_exp.shape());
    const bool finite = of.round(r).with_call([&](const kernels::AttentionCall<Real>& call) {
      return kernels::attention_forward<Real>(call, mutable_view(found), found_log.mutable_data());
    });
    if (!finite) return false;
    join(of.order(r), found, found_log, context, log_sum_exp);
  }
  return true;
}

bool back_through_rounds(const Operands& of, const Tensor& context, const Tensor& log_sum_exp,
                         const Tensor& d_context, std::array<Tensor, 3>& gradients) {
  const Tensor logs = log_sum_exp.reshape(log_sum_exp.shape().then(1));
  for (std::int64_t r = 0; r < of.hashed->rounds(); ++r) {
    const RoundOrder order = of.order(r);
    const FusedOperands operands = of.round(r);
    const Tensor my_context = order.sorted(Of::queries, context),
                 my_gradient = order.sorted(Of::queries, d_context),
                 my_logs = order.sorted(Of::queries, logs);
    Tensor d_query(operands.query.shape()), d_keys(operands.keys.shape()),
        d_values(operands.values.shape());
    const bool finite = operands.with_call([&](const kernels::AttentionCall<Real>& call) {
      return kernels::attention_backward<Real>(call, {.context = view(my_context),
                                                      .d_context = view(my_gradient),
                                                      .log_sum_exp = my_logs.data(),
                                                      .d_query = mutable_view(d_query),
                                                      .d_keys = mutable_view(d_keys),
                                                      .d_values = mutable_view(d_values)});
    });
    if (!finite) return false;
    order.add_back(Of::queries, d_query, gradients[0]);
    order.add_back(Of::keys, d_keys, gradients[1]);
    order.add_back(Of::keys, d_values, gradients[2]);
  }
  return true;
}

Variable composed(const Hashed& hashed, const WholeCall& call, const Variable& keys,
                  const Variable& values) {
  return combine(hashed_weights(hashed, call, keys), values);
}

}  // namespace

Variable hashed_context(const std::shared_ptr<const HashedKeys>& hashed, const WholeCall& call,
                        const Variable& keys, const Variable& values) {
  const Operands of{hashed, call.query.value().packed(), keys.value().packed(),
                    values.value().packed()};
  Tensor context = Tensor::zeros(call.query.shape().with(3, values.size(3)));
  Tensor log_sum_exp = Tensor::full({call.query.size(0), call.query.size(1), call.query.size(2)},
                                    -std::numeric_limits<Real>::infinity());
  if (!attend_rounds(of, context, log_sum_exp)) return composed(hashed, call, keys, values);
  const auto backward = [of, context, log_sum_exp, visible = call.visible,
                         first = call.first](const Tensor& dy) -> Gradients {
    const Shape all_keys = of.keys.shape().with(1, of.query.size(1));
    std::array<Tensor, 3> gradients{Tensor::zeros(of.query.shape()), Tensor::zeros(all_keys),
                                    Tensor::zeros(all_keys.with(3, of.values.size(3)))};
    if (back_through_rounds(of, context, log_sum_exp, dy.packed(), gradients)) {
      return {gradients[0], of_key_heads(gradients[1], of.keys.size(1)),
              of_key_heads(gradients[2], of.keys.size(1))};
    }
    const Variable query = Variable::leaf(of.query), keys = Variable::leaf(of.keys),
                   values = Variable::leaf(of.values), none;
    heed::backward(composed(of.hashed, {query, {keys, values, none}, visible, first}, keys, values),
                   dy);
    return {query.gradient(), keys.gradient(), values.gradient()};
  };
  return record("hashed_attention", context, {call.query, keys, values}, backward);
}

Variable hashed_weights(const std::shared_ptr<const HashedKeys>& hashed, const WholeCall& call,
                        const Variable& keys) {
  const auto rows = [hashed, visible = call.visible, first = call.first,
                     queries = call.query.size(2)](std::int64_t batch, std::int64_t head,
                                                   std::int64_t query, std::vector<KeyRun>& runs) {
    runs.clear();
    const std::int64_t own =
        hashed->hides_own(batch, head, query) ? first[static_cast<std::size_t>(batch)] + query : -1;
    for (std::int64_t key = 0; key < visible[static_cast<std::size_t>(batch * queries + query)];
         ++key) {
      if (key == own || hashed->count(batch, head, query, key) == 0) continue;
      append_run(runs, {key, key + 1, 1});
    }
  };
  return softmax_matrix(
      {call.query,
       keys,
       {},
       pattern_of_rows({call.query.size(0), call.query.size(1), call.query.size(2)}, rows)});
}

}  // namespace heed::attention
