// SPDX-License-Identifier: Apache-2.0
// Words are counted one by one, over all texts together.
#include "heed/pipeline/classify/rationale_quality.h"

#include <algorithm>
#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/pipeline/classify/classify_data.h"
#include "heed/text/batch_plan.h"
#include "heed/training/optimiser.h"

namespace heed::pipeline {
namespace {

struct KeptCounts {
  double words = 0, kept = 0, runs = 0, texts = 0;
  double right = 0, claimed = 0, decisive = 0;  // of texts with evidence

  void add(std::span<const double> weights, const std::set<int>* evidence) {
    ++texts;
    bool before = false;
    const bool counts = evidence != nullptr && !evidence->empty();
    for (std::size_t i = 0; i < weights.size(); ++i) {
      const bool is_kept = weights[i] > 0;
      ++words;
      kept += is_kept ? 1 : 0;
      runs += is_kept && !before ? 1 : 0;
      before = is_kept;
      if (!counts) continue;
      claimed += is_kept ? 1 : 0;
      right += is_kept && evidence->contains(static_cast<int>(i)) ? 1 : 0;
    }
    if (counts) decisive += static_cast<double>(evidence->size());
  }
  RationaleQuality quality() const {
    const double precision = claimed > 0 ? right / claimed : decisive > 0 ? 0 : std::nan("");
    const double recall = decisive > 0 ? right / decisive : std::nan("");
    return {.share = words > 0 ? kept / words : std::nan(""),
            .runs = texts > 0 ? runs / texts : std::nan(""),
            .precision = precision,
            .recall = recall,
            .f1 = right > 0      ? 2 * precision * recall / (precision + recall)
                  : decisive > 0 ? 0
                                 : std::nan("")};
  }
};

double right_ones(const std::vector<Variable>& logits, const text::PairBatch& batch,
                  const std::vector<bool>& counts) {
  double right = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const Ids classes = aspect_classes(batch, i);
    for (std::int64_t row = 0; row < classes.size(); ++row) {
      if (!counts[static_cast<std::size_t>(row)]) continue;
      const std::vector<Real> scores = logits[i].value().select(0, row).values();
      const auto best = std::ranges::max_element(scores) - scores.begin();
      right += best == classes.at({row}) ? 1 : 0;
    }
  }
  return right;
}

models::Classifier trained_outsider(const OutsiderTraining& training) {
  Random random(training.seed);
  models::Classifier outsider(training.model, random);
  training::Optimiser optimiser(nn::parameters(outsider), training::Adam{});
  for (std::int64_t update = 0; update < training.updates; ++update) {
    const text::PairBatch& batch = training.next();
    const models::Sequences text = models::sequences(batch.source);
    const std::vector<Variable> logits =
        outsider.judge_kept(text, kept_at_random(text, random), {.noise = &random});
    Variable loss;
    for (std::size_t i = 0; i < logits.size(); ++i) {
      const Variable one = cross_entropy(logits[i], aspect_classes(batch, i));
      loss = loss.defined() ? loss + one : one;
    }
    backward(loss);
    // The rate falls to 0: without it the outsider's accuracy hangs on the last few batches.
    const double left = 1 - static_cast<double>(update) / static_cast<double>(training.updates);
    optimiser.step({.learning_rate = training.learning_rate * left, .clip_norm = 5});
    if (training.done) training.done(update + 1);
  }
  return outsider;
}

}  // namespace

models::Selection kept_at_random(const models::Sequences& text, Random& random) {
  const std::int64_t batch = text.ids.size(0), width = text.ids.size(1);
  Tensor kept = Tensor::zeros({batch, width});
  Ids words({batch});
  for (std::int64_t b = 0; b < batch; ++b) {
    words.mutable_data()[b] = std::max(text.lengths.at({b}) - 1, 1);
    const double rate = .05 + .95 * random.uniform<double>();
    for (std::int64_t s = 0; s < words.at({b}); ++s) {
      kept.mutable_data()[b * width + s] = random.uniform<double>() < rate ? Real{1} : Real{0};
    }
  }
  return {.kept = Variable(kept), .chances = Variable(kept), .words = words};
}

std::vector<RationaleQuality> rationale_quality(std::span<const Classification> found,
                                                std::span<const Evidence> evidence) {
  if (!evidence.empty() && evidence.size() != found.size()) {
    throw UsageError("rationale_quality: evidence of {} texts, and {} were classified",
                     evidence.size(), found.size());
  }
  std::vector<KeptCounts> counts(found.empty() ? 0 : found.front().aspects.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (std::size_t a = 0; a < counts.size(); ++a) {
      counts[a].add(found[i].aspects[a].attention, evidence.empty() ? nullptr : &evidence[i][a]);
    }
  }
  std::vector<RationaleQuality> all;
  for (const KeptCounts& one : counts) all.push_back(one.quality());
  return all;
}

PrivateCode private_code(const models::Classifier& model, std::span<const text::TokenPair> held,
                         const OutsiderTraining& training) {
  const models::Classifier outsider = trained_outsider(training);
  const NoGradient values_only;
  PrivateCode found;
  double own = 0, others = 0, judged = 0;
  for (const text::PairBatch& batch : text::pair_batches(held, {.tokens = 4096})) {
    const models::Sequences text = models::sequences(batch.source);
    models::Selection selection;
    const std::vector<Variable> mine = model({.text = text}, {}, &selection);
    std::vector<bool> counts;
    for (std::int64_t b = 0; b < selection.kept.size(0); ++b) {
      const std::vector<Real> row = selection.kept.value().select(0, b).values();
      counts.push_back(std::ranges::any_of(row, [](Real one) { return one > 0; }));
    }
    const auto texts = static_cast<std::size_t>(std::ranges::count(counts, true));
    found.texts += texts;
    judged += static_cast<double>(texts * mine.size());
    own += right_ones(mine, batch, counts);
    others += right_ones(outsider.judge_kept(text, selection), batch, counts);
  }
  found.own = judged > 0 ? own / judged : std::nan("");
  found.outsider = judged > 0 ? others / judged : std::nan("");
  return found;
}

}  // namespace heed::pipeline
