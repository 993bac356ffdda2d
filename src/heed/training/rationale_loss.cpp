// SPDX-License-Identifier: Apache-2.0
// cost = rise (size sum of z_s + changes sum of |z_s - z_{s+1}|) + lambda (share - target), where
// lambda <- clip(lambda e^{eta c}, least, most) and c is a running mean of share - target.
#include "heed/training/rationale_loss.h"

#include <algorithm>
#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/warning.h"

namespace heed::training {
namespace {

constexpr const char* kState = "rationale.rate";
constexpr double kFirstMultiplier = 1e-2;
constexpr double kLeastMultiplier = 1e-6;
// No more than a loss of the classes is worth: beyond, it is cheaper to keep nothing for ever.
constexpr double kMostMultiplier = 2;
constexpr double kStep = .05;  // eta
constexpr double kDecay = .5;  // of the running mean
constexpr double kNearlyAll = .9;
constexpr double kNearlyNone = .01;
constexpr std::int64_t kStuck = 200;

Tensor counts_of(const Ids& words) {
  Tensor counts({words.size()});
  std::ranges::transform(words.span(), counts.mutable_data(),
                         [](std::int32_t count) { return static_cast<Real>(count); });
  return counts;
}

double sum_of(const Tensor& x) {
  double total = 0;
  for (const Real one : x.packed().span()) total += static_cast<double>(one);
  return total;
}

}  // namespace

void RationaleLossOptions::declare(Options& options) {
  options.add("rationale-size", size, "what each word that is kept costs").at_least(0);
  options
      .add("rationale-changes", changes,
           "what each step from a word kept to one left out, or back, costs: neighbours are kept "
           "together")
      .at_least(0);
  options
      .add("rationale-rise", rise,
           "batches in which both costs rise from 0, so that the predictor "
           "has learnt something before words are left out")
      .at_least(0);
  options
      .add("rationale-warm", warm,
           "batches at first in which words are kept at random: the predictor learns what words "
           "say before the generator can agree with it on a code")
      .at_least(0);
  options.add("rationale-rate", rate,
              "the share of words to keep, such as 0.1; none: as many as the costs leave");
}

std::optional<double> RationaleLossOptions::target() const {
  if (rate == "none") return std::nullopt;
  const double share = parse_number(rate, "--rationale-rate");
  if (!(share > 0 && share < 1)) {
    throw UsageError(
        "--rationale-rate {}: it is a share of the words between 0 and 1, and neither of them: "
        "none and all are no rationale; give 0.1, or none for no share to aim at",
        rate);
  }
  return share;
}

RationaleLoss::RationaleLoss(const RationaleLossOptions& options)
    : options_(options),
      target_(options.target()),
      multiplier_(static_cast<Real>(kFirstMultiplier)) {}

Variable selection_changes(const models::Selection& selection) {
  const Variable& z = selection.kept;
  const std::int64_t batch = z.size(0), width = z.size(1);
  if (width < 2) return Variable(Tensor::zeros({batch}));
  Tensor mask = Tensor::zeros({batch, width - 1});
  for (std::int64_t b = 0; b < batch; ++b) {
    std::fill_n(mask.mutable_data() + b * (width - 1), selection.words.at({b}) - 1, Real{1});
  }
  const Variable steps = absolute(slice(z, 1, 1, width) - slice(z, 1, 0, width - 1));
  return sum(steps * Variable(mask), 1);
}

double kept_share(const models::Selection& selection) {
  double kept = 0, words = 0;
  for (const Real one : selection.kept.value().packed().span()) kept += one > 0 ? 1 : 0;
  for (const std::int32_t count : selection.words.span()) words += count;
  return kept / words;
}

Variable RationaleLoss::of_kept(const models::Selection& selection, double risen) const {
  return sum(selection.kept, 1) * static_cast<Real>(risen * options_.size) +
         selection_changes(selection) * static_cast<Real>(risen * options_.changes);
}

Tensor RationaleLoss::full(const models::Selection& selection) const {
  const NoGradient values_only;
  Tensor cost = of_kept(selection, 1).value().clone();
  if (!target_) return cost;
  const Tensor shares =
      (sum(selection.chances, 1) / Variable(counts_of(selection.words))).value().packed();
  for (std::int64_t b = 0; b < cost.size(); ++b) {
    const double beyond = std::max(static_cast<double>(shares.data()[b]) - *target_, 0.0);
    cost.mutable_data()[b] += static_cast<Real>(kMostMultiplier * beyond);
  }
  return cost;
}

RationaleCost RationaleLoss::operator()(const models::Selection& selection) const {
  const double risen = options_.rise == 0
                           ? 1
                           : std::clamp(static_cast<double>(batches_ - options_.warm) /
                                            static_cast<double>(options_.rise),
                                        0.0, 1.0);
  RationaleCost cost{.kept = of_kept(selection, risen)};
  if (target_) {
    const Variable share = sum(selection.chances, 1) / Variable(counts_of(selection.words));
    cost.expected = (share - static_cast<Real>(*target_)) * multiplier_;
  }
  return cost;
}

void RationaleLoss::update(const models::Selection& selection) {
  ++batches_;
  if (target_) {
    const double share = sum_of(selection.chances.value()) / sum_of(counts_of(selection.words));
    running_ = static_cast<Real>(kDecay * running_ + (1 - kDecay) * (share - *target_));
    multiplier_ = static_cast<Real>(
        std::clamp(multiplier_ * std::exp(kStep * running_), kLeastMultiplier, kMostMultiplier));
  }
  const double kept = kept_share(selection);
  all_ = kept >= kNearlyAll ? all_ + 1 : 0;
  none_ = kept <= kNearlyNone ? none_ + 1 : 0;
  // The first batches keep about half, whatever the generator will learn.
  if (all_ == kStuck && batches_ > options_.warm + options_.rise) {
    warn(
        "rationale: all or nothing: for 200 batches the generator has kept nine words in ten and "
        "more, so that its selection says nothing; raise --rationale-size, or give "
        "--rationale-rate");
  }
  if (none_ == kStuck) {
    warn(
        "rationale: all or nothing: for 200 batches the generator has kept next to no word, and "
        "the predictor knows nothing of the text; lower --rationale-size or raise "
        "--rationale-rise");
  }
}

void RationaleLoss::join(Task& task) {
  task.carried = [this, before = task.carried] {
    std::map<std::string, Tensor> all;
    if (before) all = before();
    if (batches_ > 0) {
      all.emplace(kState, Tensor::of({5}, {multiplier_, running_, static_cast<Real>(batches_),
                                           static_cast<Real>(all_), static_cast<Real>(none_)}));
    }
    return all;
  };
  task.carry = [this, before = task.carry](const std::map<std::string, Tensor>& carried) {
    std::map<std::string, Tensor> others = carried;
    multiplier_ = static_cast<Real>(kFirstMultiplier);
    running_ = 0;
    batches_ = all_ = none_ = 0;
    if (const auto mine = others.find(kState); mine != others.end()) {
      if (mine->second.shape() != Shape{5}) {
        throw DataError("a checkpoint's {} is {}; it must be [5]", kState,
                        mine->second.shape().text());
      }
      multiplier_ = mine->second.at({0});
      running_ = mine->second.at({1});
      batches_ = static_cast<std::int64_t>(mine->second.at({2}));
      all_ = static_cast<std::int64_t>(mine->second.at({3}));
      none_ = static_cast<std::int64_t>(mine->second.at({4}));
      others.erase(mine);
    }
    if (before) before(others);
  };
}

}  // namespace heed::training
