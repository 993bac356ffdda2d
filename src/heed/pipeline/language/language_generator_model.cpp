// SPDX-License-Identifier: Apache-2.0
// A language model as one model among others: what it is asked whatever its kind.
#include <cmath>

#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/language/language_trace.h"
#include "heed/pipeline/measure.h"

namespace heed::pipeline {

std::vector<std::vector<Answer>> LanguageGenerator::run(std::span<const Input> inputs,
                                                        const Settings& settings) const {
  GenerateOptions options;
  Options list;
  options.declare(list);
  set(list, settings);
  std::vector<std::vector<Answer>> answers;
  for (const Input& input : inputs) {
    const std::string text = generate(input.text, options);
    answers.push_back({{text, score(encode(input.text + text)).log_probability}});
  }
  return answers;
}

std::vector<insight::TracedExample> LanguageGenerator::trace(std::span<const Input> inputs,
                                                             const Settings& settings) const {
  std::int64_t length = 0;
  Options list;
  list.add("length", length, "tokens to write after the text; 0: only read it").range(0, 1 << 24);
  set(list, settings);
  std::vector<insight::TracedExample> examples;
  for (const Input& input : inputs) {
    if (length > 0) {
      examples.push_back(
          continuation(input.text, {.length = length, .greedy = true, .trace = true}).trace);
    } else {
      const text::LongText text = encode(input.text);
      examples.push_back(score(text, {.trace = true}).trace);
      show_surface(examples.back(), *tokeniser_, text.tokens, input.text);
    }
    examples.back().title = input.text;
  }
  return examples;
}

std::vector<InputScore> LanguageGenerator::score_inputs(std::span<const Input> inputs,
                                                        const InputScoreOptions& options) const {
  std::vector<InputScore> scores;
  for (const Input& input : inputs) {
    const text::LongText text = encode(input.text);
    TextScore found = score(text, {.trace = options.trace});
    InputScore& mine = scores.emplace_back();
    mine.log_probability = found.log_probability;
    mine.token_log_probabilities = std::move(found.token_log_probabilities);
    for (const text::Token token : text.tokens) mine.pieces.push_back(tokeniser_->piece(token));
    mine.trace = std::move(found.trace);
    if (options.trace) show_surface(mine.trace, *tokeniser_, text.tokens, input.text);
  }
  return scores;
}

void LanguageGenerator::measure(std::span<const std::string> files,
                                ComparedModel& contestant) const {
  require_files(files, 1, "language models take one: the text");
  const text::LongText text = read(files[0]);
  const Stopwatch watch;
  const TextScore found = score(text);
  watch.stop(contestant);
  // Tokens near each other are alike, so pieces of a text are drawn again, not tokens. Each piece
  // is an equal share of the text, whatever its tokens are: the n-th ones of two vocabularies are
  // nearly the same words.
  constexpr std::size_t kPiece = 256;  // characters
  const std::vector<float>& tokens = found.token_log_probabilities;
  const std::size_t pieces = std::max<std::size_t>(1, found.characters / kPiece);
  std::vector<double> losses(pieces), counts(pieces);
  const std::vector<double> characters(
      pieces, static_cast<double>(found.characters) / static_cast<double>(pieces));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::size_t piece = i * pieces / tokens.size();
    losses[piece] -= tokens[i];
    counts[piece] += 1;
  }
  contestant.sentences = pieces;
  contestant.unit = "tokens/s";
  contestant.units = static_cast<double>(tokens.size());
  // Characters, unlike tokens, are the same for every vocabulary.
  contestant.measures = {
      ratio("bits/character", losses, characters, [](double loss) { return loss / std::log(2.0); }),
      ratio("perplexity", losses, counts, [](double loss) { return std::exp(loss); })};
  for (Measure& measure : contestant.measures) measure.lower_is_better = true;
  contestant.measures.back().of_tokens = true;
}

}  // namespace heed::pipeline
