// SPDX-License-Identifier: Apache-2.0
// A translator as one model among others: what it is asked whatever its kind.
#include <memory>

#include "heed/base/error.h"
#include "heed/metrics/accuracy.h"
#include "heed/metrics/bleu.h"
#include "heed/metrics/chrf.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/text_bounds.h"
#include "heed/pipeline/translate/translation_search.h"
#include "heed/pipeline/translate/translator.h"
#include "heed/text/lines.h"

namespace heed::pipeline {
namespace {

double chrf_of_all(std::span<const metrics::ChrfStatistics> each, Sentences sentences) {
  metrics::ChrfStatistics sum(metrics::ChrfOptions{}.character_order);
  for (const std::size_t i : sentences) {
    for (std::size_t order = 0; order < sum.size(); ++order) sum[order] += each[i][order];
  }
  return metrics::chrf_of(sum, metrics::ChrfOptions{}.beta);
}

struct Sides {
  std::vector<std::string> sources{};
  std::vector<std::string> targets{};
};

Sides sides_of(std::span<const Input> inputs) {
  Sides sides;
  for (const Input& input : inputs) {
    sides.sources.push_back(input.text);
    sides.targets.push_back(input.second);
  }
  return sides;
}

// UsageError when some inputs have a translation and others have none.
void require_all_or_none(const std::vector<std::string>& targets) {
  for (std::size_t i = 0; i < targets.size(); ++i) {
    if (targets[i].empty() == targets.front().empty()) continue;
    throw UsageError(
        "line {} of the texts {} a translation after a tab, and the first {}: give all or none",
        i + 1, targets[i].empty() ? "lacks" : "has", targets[i].empty() ? "has one" : "has none");
  }
}

}  // namespace

std::vector<std::vector<Answer>> Translator::run(std::span<const Input> inputs,
                                                 const Settings& settings) const {
  TranslationSearch search;
  Options list;
  search.declare(list);
  set(list, settings);
  std::vector<std::vector<Answer>> answers;
  for (const Translations& found : translate(sides_of(inputs).sources, search.options())) {
    std::vector<Answer>& mine = answers.emplace_back();
    for (const Translation& one : found) mine.push_back({one.text, one.log_probability});
  }
  return answers;
}

// With a second text that is the translation looked at, otherwise its own.
std::vector<insight::TracedExample> Translator::trace(std::span<const Input> inputs,
                                                      const Settings& settings) const {
  TranslationSearch search;
  Options list;
  search.declare(list);
  set(list, settings);
  const Sides sides = sides_of(inputs);
  require_all_or_none(sides.targets);
  std::vector<insight::TracedExample> examples;
  const auto add = [&examples](insight::TracedExample& trace) {
    if (!trace.strips.empty()) examples.push_back(std::move(trace));  // none between documents
  };
  if (!inputs.empty() && !inputs.front().second.empty()) {
    for (InputScore& one : score(sides.sources, sides.targets, {.trace = true})) add(one.trace);
    return examples;
  }
  TranslateOptions options = search.options();
  options.trace = true;
  for (Translations& found : translate(sides.sources, options)) add(found.front().trace);
  return examples;
}

std::vector<InputScore> Translator::score_inputs(std::span<const Input> inputs,
                                                 const InputScoreOptions& options) const {
  const Sides sides = sides_of(inputs);
  return score(sides.sources, sides.targets, options);
}

void Translator::measure(std::span<const std::string> files, ComparedModel& contestant) const {
  require_files(files, 2, "translators take two: the source text and its translation");
  const std::vector<std::string> sources = text::read_lines(files[0]);
  const std::vector<std::string> references = text::read_lines(files[1]);
  if (sources.size() != references.size() || sources.empty()) {
    throw DataError("{} has {} lines, {} has {}; they go line by line", files[0], sources.size(),
                    files[1], references.size());
  }
  const Stopwatch watch;
  std::vector<Translations> all;
  try {
    all = translate(sources);
  } catch (const BadText& bad) {
    throw bad.in_file(files[0], 1);
  }
  watch.stop(contestant);
  auto words = std::make_shared<std::vector<metrics::BleuStatistics>>();
  auto characters = std::make_shared<std::vector<metrics::ChrfStatistics>>();
  std::vector<double> exact, lines;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string& text = all[i].front().text;
    const std::vector<std::string> right = {references[i]};
    words->push_back(metrics::bleu_statistics(text, right));
    characters->push_back(metrics::chrf_statistics(text, right));
    const metrics::ExactMatch match = metrics::exact_match(std::span(&text, 1), right);
    exact.push_back(static_cast<double>(match.right));
    lines.push_back(static_cast<double>(match.lines));
  }
  contestant.sentences = sources.size();
  contestant.unit = "sentences/s";
  contestant.units = static_cast<double>(sources.size());
  contestant.measures.push_back({.name = "BLEU", .on = [words](Sentences sentences) {
                                   metrics::BleuStatistics sum;
                                   for (const std::size_t i : sentences) sum += (*words)[i];
                                   return metrics::bleu_of(sum).score;
                                 }});
  contestant.measures.push_back(
      {.name = metrics::chrf_name(),
       .on = [characters](Sentences sentences) { return chrf_of_all(*characters, sentences); }});
  contestant.measures.push_back(ratio("exact %", exact, lines, percent));
}

}  // namespace heed::pipeline
