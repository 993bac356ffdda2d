// SPDX-License-Identifier: Apache-2.0
// One search, then a ranking for each alpha.
#include "heed/pipeline/translate/translation_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "heed/pipeline/choices.h"

namespace heed::pipeline {
namespace {

constexpr const char* kAlpha = "length-alpha";
constexpr const char* kPower = "length-power";
constexpr double kMostAlpha = 4;  // beyond, the longest hypothesis wins whatever its probability
constexpr int kSteps = 40;

const std::array<KnownChoice, 2>& known_of_translators() {
  static const std::array<KnownChoice, 2> known = {
      {{.name = kAlpha, .low = 0, .high = 10}, {.name = kPower, .low = -10, .high = 10}}};
  return known;
}

// A hypothesis, and what it would add to BLEU.
struct Candidate {
  double log_probability = 0;
  std::int64_t length = 0;
  bool finished = true;
  metrics::BleuStatistics statistics{};
};
using Candidates = std::vector<Candidate>;  // of one sentence

metrics::Bleu bleu_with(std::span<const Candidates> all, double alpha) {
  const decoding::LengthPenalty penalty{.alpha = alpha};
  metrics::BleuStatistics sum;
  for (const Candidates& candidates : all) {
    const Candidate* best = nullptr;
    for (const Candidate& one : candidates) {
      const auto score = [&](const Candidate& it) {
        return penalty.score(it.log_probability, it.length);
      };
      const bool better =
          best == nullptr ||
          (one.finished != best->finished ? one.finished : score(one) > score(*best));
      if (better) best = &one;
    }
    if (best != nullptr) sum += best->statistics;
  }
  return metrics::bleu_of(sum);
}

double ratio_of(const metrics::Bleu& bleu) {
  return static_cast<double>(bleu.statistics.hypothesis_tokens) /
         std::max(1.0, static_cast<double>(bleu.statistics.reference_tokens));
}

}  // namespace

std::string LengthChoice::to_string() const {
  return fmt::format(
      "alpha {:.1f}: BLEU {:.2f}, {:.2f} with the default of {}; lengths {:.3f} of the "
      "references', "
      "{:.3f} with the default",
      alpha, after.score, before.score, decoding::LengthPenalty{}.alpha, ratio_of(after),
      ratio_of(before));
}

LengthChoice choose_length(const Translator& translator, std::span<const std::string> sources,
                           std::span<const std::string> references, const TranslateOptions& options,
                           const std::function<void(std::size_t done)>& done) {
  TranslateOptions asked = options;
  asked.beam.length = decoding::LengthPenalty{};
  asked.beam.n_best = asked.beam.width;
  const std::vector<Translations> found = translator.translate(sources, asked, done);
  std::vector<Candidates> all;
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (sources[i].empty()) continue;
    const std::string& reference = references[all.size()];
    Candidates& mine = all.emplace_back();
    for (const Translation& one : found[i]) {
      mine.push_back({.log_probability = one.log_probability,
                      .length = static_cast<std::int64_t>(one.token_log_probabilities.size()),
                      .finished = one.finished,
                      .statistics = metrics::bleu_statistics(one.text, std::span(&reference, 1))});
    }
  }
  LengthChoice choice{.before = bleu_with(all, decoding::LengthPenalty{}.alpha)};
  choice.after = choice.before;
  for (int step = 0; step <= kSteps; ++step) {
    const double alpha = kMostAlpha * step / kSteps;
    const double habit = decoding::LengthPenalty{}.alpha;
    const metrics::Bleu bleu = bleu_with(all, alpha);
    const bool nearer = bleu.score == choice.after.score &&
                        std::abs(alpha - habit) < std::abs(choice.alpha - habit);
    if (bleu.score > choice.after.score || nearer) {
      choice.alpha = alpha;
      choice.after = bleu;
    }
  }
  return choice;
}

decoding::LengthPenalty kept_length(const std::filesystem::path& folder) {
  const Choices choices = read_choices(folder, known_of_translators());
  if (choices.contains(kPower)) {
    return {.scale = decoding::LengthScale::power, .alpha = choices.at(kPower)};
  }
  return {.alpha = chosen(choices, kAlpha, decoding::LengthPenalty{}.alpha)};
}

std::string own_length_choice(double alpha) {
  return fmt::format("{}\t{}\n", kPower, alpha);
}

void keep_length_alpha(const std::filesystem::path& folder, double alpha) {
  write_choices(folder, {{kAlpha, alpha}});
}

}  // namespace heed::pipeline
