// SPDX-License-Identifier: Apache-2.0
// Sampling: hypotheses whose tokens are drawn by their probability.
#include "heed/base/error.h"
#include "heed/decoding/draw.h"
#include "heed/decoding/frontier.h"
#include "heed/decoding/search.h"

namespace heed::decoding {
namespace {

DrawOptions draw_options(const SamplingOptions& options) {
  return {.temperature = options.temperature, .top_k = options.top_k, .nucleus = options.nucleus};
}

}  // namespace

std::vector<std::vector<Hypothesis>> sample(Stepper& stepper, const SamplingOptions& options,
                                            std::span<Random> randoms) {
  if (options.samples < 1) {
    throw UsageError("sampling: {} samples; it takes at least 1", options.samples);
  }
  check(draw_options(options));
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

    std::vector<Frontier::Choice> choices;
    std::vector<std::int32_t> nodes;
    std::vector<std::size_t> kept;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::int32_t sentence = frontier.rows()[row].sentence;
      const Real* values = found.data() + row * vocabulary;
      const text::Token token = draw_token(std::span(values, vocabulary), draw_options(options),
                                           randoms[static_cast<std::size_t>(sentence)]);
      if (token == kNoToken) continue;
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
