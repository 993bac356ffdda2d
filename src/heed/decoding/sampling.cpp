// SPDX-License-Identifier: Apache-2.0
// Sampling: tokens drawn by their probability, from all of them, the top k or the nucleus.
#include <algorithm>
#include <cmath>

#include "heed/base/error.h"
#include "heed/decoding/frontier.h"
#include "heed/decoding/search.h"
#include "heed/decoding/top_tokens.h"
#include "heed/kernels/elementwise.h"
#include "heed/kernels/reductions.h"
#include "heed/kernels/softmax.h"

namespace heed::decoding {
namespace {

constexpr text::Token kNone = -1;

// The tokens that may be drawn, likeliest first; probabilities [V] add up to 1.
std::vector<ScoredToken> allowed(std::span<const Real> probabilities,
                                 const SamplingOptions& options) {
  const std::size_t most =
      options.top_k > 0 ? std::min(static_cast<std::size_t>(options.top_k), probabilities.size())
                        : probabilities.size();
  // A nucleus is mostly small: look for it among few tokens first.
  std::size_t count =
      options.nucleus < 1 && options.top_k == 0 ? std::min<std::size_t>(64, most) : most;
  for (;; count = std::min(4 * count, most)) {
    std::vector<ScoredToken> top = top_tokens(probabilities, count);
    if (options.nucleus >= 1) return top;
    double whole = 1;
    if (options.top_k > 0) {
      whole = 0;
      for (const ScoredToken& one : top) whole += one.value;
    }
    double sum = 0;
    for (std::size_t i = 0; i < top.size(); ++i) {
      sum += top[i].value;
      if (sum >= options.nucleus * whole) {
        top.resize(i + 1);
        return top;
      }
    }
    if (count == most) return top;
  }
}

// Which of these weights the next number of `random` points to; kNone when all are 0. `weight(i)`
// of i below count.
template <typename Weight>
std::int64_t draw(std::size_t count, const Weight& weight, Random& random) {
  double whole = 0;
  for (std::size_t i = 0; i < count; ++i) whole += weight(i);
  const double point = random.uniform() * whole;
  double sum = 0;
  std::int64_t last = kNone;  // rounding may leave the point beyond the last sum
  for (std::size_t i = 0; i < count; ++i) {
    if (weight(i) <= 0) continue;
    last = static_cast<std::int64_t>(i);
    sum += weight(i);
    if (point < sum) break;
  }
  return last;
}

text::Token draw_token(std::span<const Real> probabilities, const SamplingOptions& options,
                       Random& random) {
  if (options.top_k == 0 && options.nucleus >= 1) {
    return static_cast<text::Token>(draw(
        probabilities.size(), [&](std::size_t i) { return probabilities[i]; }, random));
  }
  const std::vector<ScoredToken> top = allowed(probabilities, options);
  const std::int64_t drawn = draw(
      top.size(), [&](std::size_t i) { return top[i].value; }, random);
  return drawn == kNone ? kNone : top[static_cast<std::size_t>(drawn)].token;
}

void check(const SamplingOptions& options) {
  if (options.samples < 1 || options.top_k < 0) {
    throw UsageError(
        "sampling: {} samples of the top {} tokens; it takes at least 1, and 0 (all) "
        "or more",
        options.samples, options.top_k);
  }
  if (!(options.temperature > 0) || !std::isfinite(options.temperature)) {
    throw UsageError(
        "sampling: temperature {}; it takes more than 0 (greedy search is the limit at 0)",
        options.temperature);
  }
  if (!(options.nucleus > 0 && options.nucleus <= 1)) {
    throw UsageError("sampling: nucleus {}; it takes a probability, more than 0 and at most 1",
                     options.nucleus);
  }
}

}  // namespace

std::vector<std::vector<Hypothesis>> sample(Stepper& stepper, const SamplingOptions& options,
                                            std::span<Random> randoms) {
  check(options);
  Frontier frontier(stepper, {.constraints = options.constraints,
                              .attentions = options.attentions,
                              .copies = options.samples});
  if (randoms.size() != frontier.sentences()) {
    throw UsageError("sampling: {} generators for {} sentences; give one each", randoms.size(),
                     frontier.sentences());
  }
  // The sample each row draws, and the last node of each.
  const auto samples = static_cast<std::size_t>(options.samples);
  std::vector<std::size_t> slots(frontier.rows().size());
  for (std::size_t i = 0; i < slots.size(); ++i) slots[i] = i;
  std::vector<std::int32_t> ends(slots.size(), Frontier::kRoot);
  while (!frontier.rows().empty()) {
    const Tensor found = frontier.step();
    const auto rows = static_cast<std::size_t>(found.size(0));
    const auto vocabulary = static_cast<std::size_t>(found.size(1));
    Tensor probabilities(found.shape());
    Real* weights = probabilities.mutable_data();
    kernels::scale(static_cast<Real>(1 / options.temperature), found.data(), weights,
                   rows * vocabulary);
    kernels::softmax(weights, weights, rows, vocabulary);

    std::vector<Frontier::Choice> choices;
    std::vector<std::int32_t> nodes;
    std::vector<std::size_t> kept;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::int32_t sentence = frontier.rows()[row].sentence;
      const Real* values = found.data() + row * vocabulary;
      text::Token token = kNone;
      if (std::isnan(weights[row * vocabulary])) {  // so is the row: write() will name its culprit
        token = static_cast<text::Token>(kernels::argmax(values, vocabulary));
      } else {
        token = draw_token(std::span(weights + row * vocabulary, vocabulary), options,
                           randoms[static_cast<std::size_t>(sentence)]);
      }
      if (token == kNone) continue;
      const Frontier::Choice choice{static_cast<std::int32_t>(row), token, values[token]};
      const std::int32_t node = frontier.write(choice);
      ends[slots[row]] = node;
      if (token == text::kEnd || frontier.length() == frontier.limits(sentence).most) continue;
      choices.push_back(choice);
      nodes.push_back(node);
      kept.push_back(slots[row]);
    }
    frontier.go_on(choices, nodes);
    slots = std::move(kept);
  }
  std::vector<std::vector<Hypothesis>> all(frontier.sentences());
  for (std::size_t slot = 0; slot < ends.size(); ++slot) {
    const auto sentence = static_cast<std::int32_t>(slot / samples);
    all[slot / samples].push_back(frontier.hypothesis(sentence, ends[slot]));
  }
  return all;
}

std::vector<std::vector<Hypothesis>> sample(Stepper& stepper, const SamplingOptions& options,
                                            Random& random) {
  const std::uint64_t seed = random.next_u64();
  std::vector<Random> randoms;
  for (std::int64_t sentence = 0; sentence < stepper.rows(); ++sentence) {
    randoms.emplace_back(seed, static_cast<std::uint64_t>(sentence));
  }
  return sample(stepper, options, randoms);
}

}  // namespace heed::decoding
