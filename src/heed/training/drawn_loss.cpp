// SPDX-License-Identifier: Apache-2.0
// Draws of a batch and the baseline that each is compared with.
#include "heed/training/drawn_loss.h"

#include <algorithm>
#include <numeric>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"

namespace heed::training {
namespace {

constexpr const char* kState = "draws.baseline";

struct DrawnBatch {
  Variable total;              // summed over the draws
  std::vector<Tensor> losses;  // [B] of each draw
  Variables log_probabilities;
  Variables entropies;

  void add(const SequenceLosses& found, const attention::Draws& draws) {
    total = total.defined() ? total + found.total : found.total;
    {
      const NoGradient values_only;
      losses.push_back(found.each());
    }
    log_probabilities.push_back(draws.log_probability());
    entropies.push_back(draws.entropy());
  }
  DrawnLogs logs() const { return {stack(log_probabilities, 0), stack(entropies, 0)}; }
};

Tensor stacked(const std::vector<Tensor>& losses) {
  Variables all(losses.begin(), losses.end());
  return stack(all, 0).value();
}

Tensor units_of(const SequenceLosses& found, std::int64_t sequences) {
  return found.units.defined() ? found.units : Tensor::full({sequences}, Real{1});
}

}  // namespace

const std::vector<std::string>& baseline_names() {
  static const std::vector<std::string> names = {"automatic", "none", "running", "leave-one-out",
                                                 "self-critical"};
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
              "2 or more, else the running mean");
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
  attention::Draws draws;
  SequenceLosses found = read({.noise = &noise, .watch = &draws}, draws);
  if (draws.entries().empty()) return found.total;

  DrawnBatch batch;
  batch.add(found, draws);
  for (std::int64_t draw = 1; draw < options_.draws; ++draw) {
    attention::Draws more;
    batch.add(read({.noise = &noise, .watch = &more}, more), more);
  }
  const auto scale = Real{1} / static_cast<Real>(options_.draws);
  const std::int64_t sequences = batch.losses.front().size();
  const Tensor units = units_of(found, sequences);

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
  if (baseline == Baseline::running) options.baseline = units * running_.baseline();
  if (baseline == Baseline::self_critical) {
    const NoGradient values_only;
    attention::Draws unused;
    options.baseline = read({.watch = &unused}, unused).each();
  }
  for (std::size_t draw = 0; draw < batch.losses.size(); ++draw) {
    const Tensor& losses = batch.losses[draw];
    const Variable taught =
        score_function(losses, {batch.log_probabilities[draw], batch.entropies[draw]}, options);
    loss = loss + sum(taught) * scale;
    if (baseline == Baseline::running) running_.update(losses / units);
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
    return all;
  };
  task.carry = [this, before = task.carry](const std::map<std::string, Tensor>& carried) {
    std::map<std::string, Tensor> others = carried;
    running_ = {};
    batches_ = 0;
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

Tensor sums_by_sequence(const Tensor& losses, const Ids& lengths) {
  std::int64_t units = 0;
  for (const std::int32_t length : lengths.span()) units += length;
  if (losses.rank() != 1 || losses.size() != units) {
    throw UsageError(
        "sums_by_sequence: losses {} of sequences with {} units together; it takes a loss per unit",
        losses.shape().text(), units);
  }
  Tensor sums({lengths.size()});
  const std::vector<Real> each = losses.values();
  auto next = each.begin();
  std::ranges::transform(lengths.span(), sums.mutable_data(), [&](std::int32_t length) {
    const auto begin = next;
    next += length;
    return static_cast<Real>(std::accumulate(begin, next, 0.0));
  });
  return sums;
}

Tensor units_by_sequence(const Ids& lengths) {
  Tensor units({lengths.size()});
  std::ranges::transform(lengths.span(), units.mutable_data(),
                         [](std::int32_t length) { return static_cast<Real>(length); });
  return units;
}

}  // namespace heed::training
