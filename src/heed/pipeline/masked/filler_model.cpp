// SPDX-License-Identifier: Apache-2.0
// A model of masked words as one model among others: what it is asked whatever its kind.
#include <cmath>

#include "heed/base/error.h"
#include "heed/pipeline/masked/filler.h"
#include "heed/pipeline/measure.h"
#include "heed/text/lines.h"

namespace heed::pipeline {

std::int64_t Filler::parameter_count() const {
  return nn::parameter_count(nn::parameters(*model_));
}

void FillOptions::declare(Options& options) {
  options.add("top", top, "words shown for each gap").range(1, 100'000);
}

std::vector<std::vector<Answer>> Filler::run(std::span<const Input> inputs,
                                             const Settings& settings) const {
  FillOptions options;
  Options list;
  options.declare(list);
  set(list, settings);
  std::vector<std::vector<Answer>> answers;
  for (const Input& input : inputs) {
    std::vector<Answer>& mine = answers.emplace_back();
    const std::vector<std::vector<Guess>> gaps = fill(input.text, options);
    for (const Guess& guess : gaps.front()) {
      mine.push_back({guess.word, guess.probability});
    }
  }
  return answers;
}

std::vector<insight::TracedExample> Filler::trace(std::span<const Input> inputs,
                                                  const Settings& settings) const {
  Options none;
  set(none, settings);
  std::vector<insight::TracedExample> examples;
  for (const Input& input : inputs) examples.push_back(trace(input.text));
  return examples;
}

// The masks are a function of seed, line and vocabulary: models of one vocabulary guess the same
// words.
void Filler::measure(std::span<const std::string> files, ComparedModel& contestant) const {
  require_files(files, 1, "models of masked words take one: the text");
  const std::vector<std::string> lines = text::read_lines(files[0]);
  const Stopwatch watch;
  const std::vector<MaskedScore> scores = score(lines);
  watch.stop(contestant);
  std::vector<double> right, losses, masks;
  for (const MaskedScore& one : scores) {
    right.push_back(one.right);
    losses.push_back(one.loss);
    masks.push_back(one.masks);
    contestant.units += one.masks;
  }
  if (contestant.units == 0) {
    throw DataError("{}: no word of it can be masked for {}; give text like that of training",
                    files[0], contestant.name);
  }
  contestant.vocabulary_needed = "different words to guess";
  contestant.sentences = lines.size();
  contestant.unit = "guesses/s";
  contestant.measures = {
      ratio("accuracy %", right, masks, percent),
      ratio("perplexity", losses, masks, [](double loss) { return std::exp(loss); })};
  contestant.measures.back().lower_is_better = true;
}

}  // namespace heed::pipeline
