// SPDX-License-Identifier: Apache-2.0
// Names, limits and help of a search.
#include "heed/pipeline/translate/translation_search.h"

#include "heed/pipeline/drawing_options.h"

namespace heed::pipeline {

const std::vector<std::string>& search_length_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all = {"chosen"};
    const std::vector<std::string>& scales = decoding::length_scale_names();
    all.insert(all.end(), scales.begin(), scales.end());
    return all;
  }();
  return names;
}

void TranslationSearch::declare(Options& options) {
  options.section("Search");
  options.add("beam", beam.width, "beam width, the hypotheses kept at a time; 1: greedy")
      .range(1, 10000);
  options.add("n-best", beam.n_best, "translations per text, at most as many as the beam is wide")
      .range(1, 10000);
  options.add("length-penalty", length_penalty, search_length_names(),
              "what the log-probability is divided by: what validation chose when training ended "
              "(without that, as wu), nothing, ((5+n)/6)^alpha, n^alpha");
  options
      .add(
          "length-alpha", length_alpha,
          "alpha of the length penalty, of wu where none is named; -1: what validation chose, else "
          ".6")
      .range(-1, 10);
  options
      .add("coverage-penalty", beam.coverage,
           "penalty for each source word that was not attended to (Wu 2016, beta)")
      .at_least(0);
  options.add("stopping", beam.stopping, decoding::stopping_names(),
              "a sentence is done when enough hypotheses have ended, or when no other can win");
  decoding::Constraints& constraints = beam.constraints;
  options.add("min-length", min_length, "fewest tokens of a translation, its end included")
      .range(1, 100000);
  options
      .add("max-length", max_length,
           "most tokens of a translation, plus --max-length-factor for each source token")
      .range(0, 100000);
  options
      .add("max-length-factor", constraints.most.per_source,
           "how many more tokens for each source token")
      .range(0, 1000);
  options.add("unrepeated", constraints.unrepeated, "block repeated n-grams of this length; 0: off")
      .range(0, 100);
  options
      .add("repetition-penalty", constraints.repetition_penalty,
           "factor on the log-probability of tokens already written")
      .at_least(1);
  options.add("unknown", unknown, "whether the unknown token may be written");
  options.add("split", split, split_names(),
              "texts that are translated sentence by sentence: those longer than any of training, "
              "all, or none");
  options
      .add("longest-text", longest_text,
           "most tokens of a text, or a part of one, that are read at once; 0: 1024, or the "
           "longest text of training where that is longer")
      .range(0, 1 << 20);
  options.section("Sampling");
  options.add("sample", sample, "draw translations instead of searching for the best");
  declare_drawing(draw, options);
  options.add("seed", seed, "sampling: the same seed draws the same");
}

TranslateOptions TranslationSearch::options() const {
  TranslateOptions made{
      .search = sample ? SearchKind::sample : SearchKind::beam, .beam = beam, .seed = seed};
  decoding::Constraints& constraints = made.beam.constraints;
  constraints.least.constant = static_cast<double>(min_length);
  constraints.most.constant = static_cast<double>(max_length);
  if (length_penalty != SearchLength::chosen) {
    const auto scale = static_cast<decoding::LengthScale>(static_cast<int>(length_penalty) - 1);
    made.beam.length = decoding::LengthPenalty{.scale = scale};
  } else if (length_alpha >= 0) {
    made.beam.length = decoding::LengthPenalty{};
  }
  if (made.beam.length && length_alpha >= 0) made.beam.length->alpha = length_alpha;
  made.split = split;
  made.longest = longest_text;
  if (!unknown) constraints.forbidden.push_back(text::kUnknown);
  made.sampling = {.samples = beam.n_best,
                   .temperature = draw.temperature,
                   .top_k = draw.top_k,
                   .nucleus = draw.nucleus,
                   .constraints = constraints};
  return made;
}

}  // namespace heed::pipeline
