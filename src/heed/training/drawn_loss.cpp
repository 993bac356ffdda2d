// SPDX-License-Identifier: Apache-2.0
// Draws of a batch and the baseline that each is compared with.
#include "heed/training/drawn_loss.h"

#include <algorithm>

#include "heed/attention/expected_reads.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/training/token_baseline.h"

namespace heed::training {
namespace {

constexpr const char* kState = "draws.baseline";
constexpr const char* kTokens = "draws.tokens";

// x [B], or [B,T]: the sums from each step on, one after the other [B*T].
Tensor from_each_step(const Tensor& x) {
  if (x.rank() == 1) return x;
  return cumulative_sum(x, 1, Running::reverse).reshape({x.size()});
}

// A number of each sequence [B] for each of its steps, one after the other.
Tensor for_each_step(const Tensor& x, const Shape& losses) {
  if (losses.rank() == 1) return x;
  return (Tensor::full(losses, Real{1}) * x.reshape({x.size(), 1})).reshape({losses.size()});
}

// 1 for sequences that drew, 0 for those that read the mean: [B], or [B*T] of losses [B,T].
Tensor drawn_rows(const attention::ExpectedReads& expected, const Shape& losses) {
  Tensor rows({losses[0]});
  for (std::int64_t b = 0; b < losses[0]; ++b) {
    rows.mutable_data()[b] = expected.chosen(b) ? Real{0} : Real{1};
  }
  return for_each_step(rows, losses);
}

// The losses of a reading, as its draws answer for them.
Tensor losses_of(const SequenceLosses& found) {
  const NoGradient values_only;
  return found.each();
}

struct DrawnBatch {
  Variable total;               // summed over the draws
  std::vector<Tensor> losses;   // [B] or [B,T] of each draw
  Variables log_probabilities;  // [B] or [B*T]
  Variables entropies;

  void add(const SequenceLosses& found, const attention::Draws& draws,
           const attention::ExpectedReads& expected) {
    total = total.defined() ? total + found.total : found.total;
    losses.push_back(losses_of(found));
    const Tensor& mine = losses.back();
    const Variable drew(drawn_rows(expected, mine.shape()));
    const attention::DrawSteps steps =
        mine.rank() == 1 ? attention::DrawSteps{} : attention::DrawSteps{found.steps, mine.size(1)};
    log_probabilities.push_back(reshape(draws.log_probability(steps), {mine.size()}) * drew);
    entropies.push_back(reshape(draws.entropy(steps), {mine.size()}) * drew);
  }
  DrawnLogs logs() const { return {stack(log_probabilities, 0), stack(entropies, 0)}; }
};

Tensor stacked(const std::vector<Tensor>& losses) {
  Variables all;
  for (const Tensor& one : losses) all.emplace_back(from_each_step(one));
  return stack(all, 0).value();
}

Tensor units_of(const SequenceLosses& found, const Shape& losses) {
  return found.units.defined() ? found.units : Tensor::full(losses, Real{1});
}

// [B], of [B] or [B,T].
Tensor whole(const Tensor& x) {
  return x.rank() == 1 ? x : heed::sum(x, 1);
}

// With what attentions add to the loss of each unit.
SequenceLosses with_penalty(SequenceLosses found, const attention::Draws& draws) {
  if (!draws.penalty().defined()) return found;
  const Real units = found.units.defined() ? heed::sum(found.units).item()
                                           : static_cast<Real>(losses_of(found).size(0));
  found.total = found.total + draws.penalty() * units;
  return found;
}

}  // namespace

const std::vector<std::string>& baseline_names() {
  static const std::vector<std::string> names = {"automatic",     "none",          "running",
                                                 "leave-one-out", "self-critical", "learned"};
  return names;
}

void DrawOptions::declare(Options& options) {
  options.section("Attention that draws");
  options
      .add(
          "draws", draws,
          "draws of each batch, for attention such as \"additive | full | sample\": more cost time "
          "and make the gradient quieter")
      .range(1, 64);
  options.add("baseline", baseline, baseline_names(),
              "what the loss of a draw is compared with; automatic: leave-one-out where --draws is "
              "2 or more, else the running mean; learned: by the tokens of the input");
  options
      .add("expected-reads", expected,
           "the share of sequences, other ones for each draw, that read the mean of what could be "
           "drawn, by which scores learn as soft attention does (semi-sampling, Xu 2015: 0.5)")
      .range(0, 1);
  options
      .add("entropy-bonus", bonus,
           "what a nat of entropy of the draws is worth, so that they go on exploring")
      .at_least(0);
  options
      .add("bonus-updates", bonus_updates,
           "batches in which the entropy bonus falls to 0; 0: it stays")
      .at_least(0);
}

void DrawOptions::check() const {
  if (baseline == Baseline::leave_one_out && draws < 2) {
    throw UsageError(
        "--baseline leave-one-out compares draws with each other, and there is {}; give --draws 4, "
        "or --baseline running",
        draws);
  }
}

double DrawnLoss::bonus() const {
  if (options_.bonus_updates == 0) return options_.bonus;
  const double left =
      1 - static_cast<double>(batches_) / static_cast<double>(options_.bonus_updates);
  return options_.bonus * std::max(left, 0.0);
}

Variable DrawnLoss::operator()(Random& noise, const Read& read) {
  DrawnBatch batch;
  SequenceLosses found{};
  for (std::int64_t draw = 0; draw < options_.draws; ++draw) {
    attention::Draws draws;
    attention::ExpectedReads expected(options_.expected,
                                      options_.expected > 0 ? noise.next_u64() : 0);
    attention::Observers both{options_.expected > 0 ? &expected : nullptr, &draws};
    SequenceLosses one = with_penalty(read({.noise = &noise, .watch = both.get()}, draws), draws);
    if (draws.entries().empty()) return one.total;
    batch.add(one, draws, expected);
    if (draw == 0) found = std::move(one);
  }
  const auto scale = Real{1} / static_cast<Real>(options_.draws);
  const Shape shape = batch.losses.front().shape();
  const Tensor units = units_of(found, shape);

  Baseline baseline = options_.baseline;
  if (baseline == Baseline::automatic) {
    baseline = options_.draws > 1 ? Baseline::leave_one_out : Baseline::running;
  }
  const auto worth = static_cast<Real>(bonus());
  ++batches_;
  Variable loss = batch.total * scale;
  if (baseline == Baseline::leave_one_out) {
    return loss + sum(leave_one_out(stacked(batch.losses), batch.logs(), worth));
  }
  ScoreFunctionOptions options{.bonus = worth};
  if (baseline == Baseline::running) {
    options.baseline = from_each_step(units) * running_.baseline();
  }
  if (baseline == Baseline::learned) {
    if (!found.input.ids.defined()) {
      throw UsageError(
          "--baseline learned reads the tokens of the input, and this loss gives none; give "
          "--baseline running");
    }
    options.baseline =
        from_each_step(units) * for_each_step(expected_by_tokens(tokens_, found.input), shape);
  }
  if (baseline == Baseline::self_critical) {
    const NoGradient values_only;
    attention::Draws unused;
    options.baseline = from_each_step(read({.watch = &unused}, unused).each());
  }
  for (std::size_t draw = 0; draw < batch.losses.size(); ++draw) {
    const Tensor& losses = batch.losses[draw];
    const Variable taught = score_function(
        from_each_step(losses), {batch.log_probabilities[draw], batch.entropies[draw]}, options);
    loss = loss + sum(taught) * scale;
    const Tensor per_unit = whole(losses) / whole(units);
    if (baseline == Baseline::running) running_.update(per_unit);
    if (baseline == Baseline::learned) tokens_ = taught_by_tokens(tokens_, found.input, per_unit);
  }
  return loss;
}

void DrawnLoss::join(Task& task) {
  task.carried = [this, before = task.carried] {
    std::map<std::string, Tensor> all;
    if (before) all = before();
    if (batches_ > 0) {
      all.emplace(kState,
                  Tensor::of({3}, {running_.sum, running_.weight, static_cast<Real>(batches_)}));
    }
    if (tokens_.defined()) all.emplace(kTokens, tokens_);
    return all;
  };
  task.carry = [this, before = task.carry](const std::map<std::string, Tensor>& carried) {
    std::map<std::string, Tensor> others = carried;
    running_ = {};
    batches_ = 0;
    tokens_ = {};
    if (const auto learnt = others.find(kTokens); learnt != others.end()) {
      if (learnt->second.rank() != 1 || learnt->second.size() < 1) {
        throw DataError("a checkpoint's {} is {}; it must be a row of numbers", kTokens,
                        learnt->second.shape().text());
      }
      tokens_ = learnt->second;
      others.erase(learnt);
    }
    if (const auto mine = others.find(kState); mine != others.end()) {
      if (mine->second.shape() != Shape{3}) {
        throw DataError("a checkpoint's {} is {}; it must be [3]", kState,
                        mine->second.shape().text());
      }
      running_.sum = mine->second.at({0});
      running_.weight = mine->second.at({1});
      batches_ = static_cast<std::int64_t>(mine->second.at({2}));
      others.erase(mine);
    }
    if (before) before(others);
  };
}

Tensor losses_by_step(const Tensor& losses, const Ids& lengths) {
  std::int64_t units = 0;
  std::int32_t longest = 0;
  for (const std::int32_t length : lengths.span()) {
    units += length;
    longest = std::max(longest, length);
  }
  if (losses.rank() != 1 || losses.size() != units) {
    throw UsageError("losses {} of sequences with {} units together; it takes a loss per unit",
                     losses.shape().text(), units);
  }
  Tensor steps = Tensor::zeros({lengths.size(), longest});
  const std::vector<Real> each = losses.values();
  auto next = each.begin();
  Real* row = steps.mutable_data();
  for (const std::int32_t length : lengths.span()) {
    std::copy_n(next, length, row);
    next += length;
    row += longest;
  }
  return steps;
}

Tensor sums_by_sequence(const Tensor& losses, const Ids& lengths) {
  return heed::sum(losses_by_step(losses, lengths), 1);
}

}  // namespace heed::training
