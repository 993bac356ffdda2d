// SPDX-License-Identifier: Apache-2.0
// One function per task that runs a model over the data; all else is the same for every task.
#include "heed/pipeline/comparison.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/metrics/accuracy.h"
#include "heed/metrics/bleu.h"
#include "heed/metrics/chrf.h"
#include "heed/metrics/classification.h"
#include "heed/pipeline/classify/classify_quality.h"
#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/masked/filler.h"
#include "heed/pipeline/model_facts.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/translate/translator.h"
#include "heed/text/lines.h"

namespace heed::pipeline {
namespace {

using Sentences = std::span<const std::size_t>;

// Σ top / Σ bottom over sentences, then `last`.
Measure ratio(std::string name, std::vector<double> top, std::vector<double> bottom,
              double (*last)(double)) {
  return {.name = std::move(name), .on = [=](Sentences sentences) {
            double above = 0, below = 0;
            for (const std::size_t i : sentences) {
              above += top[i];
              below += bottom[i];
            }
            return last(below > 0 ? above / below : 0);
          }};
}

double percent(double share) {
  return 100 * share;
}

class Stopwatch {
 public:
  void stop(Contestant& contestant) const {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    contestant.seconds = passed.count();
    contestant.cpu_seconds = static_cast<double>(std::clock() - cpu_) / CLOCKS_PER_SEC;
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::clock_t cpu_ = std::clock();
};

void require_files(const ComparisonOptions& options, std::size_t count, std::string_view what) {
  if (options.data.size() == count) return;
  throw UsageError("--data has {} files; {}", options.data.size(), what);
}

double chrf_of_all(std::span<const metrics::ChrfStatistics> each, Sentences sentences) {
  metrics::ChrfStatistics sum(metrics::ChrfOptions{}.character_order);
  for (const std::size_t i : sentences) {
    for (std::size_t order = 0; order < sum.size(); ++order) sum[order] += each[i][order];
  }
  return metrics::chrf_of(sum, metrics::ChrfOptions{}.beta);
}

void measure_translator(const std::filesystem::path& folder, const ComparisonOptions& options,
                        Contestant& contestant) {
  require_files(options, 2, "translators take two: the source text and its translation");
  const std::vector<std::string> sources = text::read_lines(options.data[0]);
  const std::vector<std::string> references = text::read_lines(options.data[1]);
  if (sources.size() != references.size() || sources.empty()) {
    throw DataError("{} has {} lines, {} has {}; they go line by line", options.data[0],
                    sources.size(), options.data[1], references.size());
  }
  const Translator translator(folder);
  const Stopwatch watch;
  const std::vector<Translations> all = translator.translate(sources);
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

void measure_language(const std::filesystem::path& folder, const ComparisonOptions& options,
                      Contestant& contestant) {
  require_files(options, 1, "language models take one: the text");
  const LanguageGenerator generator(folder);
  const text::LongText text = generator.read(options.data[0]);
  const Stopwatch watch;
  const TextScore score = generator.score(text);
  watch.stop(contestant);
  // Tokens near each other are alike, so pieces of a text are drawn again, not tokens. Each piece
  // is an equal share of the text, whatever its tokens are: the n-th ones of two vocabularies are
  // nearly the same words.
  constexpr std::size_t kPiece = 256;  // characters
  const std::vector<float>& tokens = score.token_log_probabilities;
  const std::size_t pieces = std::max<std::size_t>(1, score.characters / kPiece);
  std::vector<double> losses(pieces), counts(pieces);
  const std::vector<double> characters(
      pieces, static_cast<double>(score.characters) / static_cast<double>(pieces));
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::size_t piece = i * pieces / tokens.size();
    losses[piece] -= tokens[i];
    counts[piece] += 1;
  }
  contestant.vocabulary = read_file(ModelFolder{folder}.tokeniser());
  contestant.sentences = pieces;
  contestant.unit = "tokens/s";
  contestant.units = static_cast<double>(tokens.size());
  // Characters, unlike tokens, are the same for every vocabulary.
  contestant.measures = {
      ratio("bits/character", losses, characters, [](double loss) { return loss / std::log(2.0); }),
      ratio("perplexity", losses, counts, [](double loss) { return std::exp(loss); })};
  for (Measure& measure : contestant.measures) measure.lower_is_better = true;
}

using Classes = std::vector<std::int32_t>;

void add_aspect_measures(const text::Aspect& aspect, const std::string& name, Classes right,
                         Classes found, Contestant& contestant) {
  std::vector<double> hits;
  for (std::size_t i = 0; i < right.size(); ++i) hits.push_back(right[i] == found[i] ? 1 : 0);
  const std::vector<double> ones(hits.size(), 1);
  contestant.measures.push_back(ratio(name + "accuracy %", hits, ones, percent));
  contestant.measures.push_back({.name = name + "macro F1 %",
                                 .on = [right = std::move(right), found = std::move(found),
                                        classes = aspect.classes](Sentences sentences) {
                                   metrics::Confusion confusion(classes);
                                   for (const std::size_t i : sentences) {
                                     confusion.add(right[i], found[i]);
                                   }
                                   return percent(confusion.macro().f1);
                                 }});
}

void measure_classifier(const std::filesystem::path& folder, const ComparisonOptions& options,
                        Contestant& contestant) {
  require_files(options, 1, "classifiers take one: labelled texts");
  const Classifier classifier(folder);
  const std::vector<text::Aspect>& aspects = classifier.labels().aspects();
  const std::vector<text::LabelledText> texts = read_labelled(
      options.data[0], {.aspects = aspects.size(), .second = classifier.takes_second()},
      classifier.labels());
  const Stopwatch watch;
  const std::vector<Classification> judged = classifier.classify(texts);
  watch.stop(contestant);
  contestant.sentences = texts.size();
  contestant.unit = "texts/s";
  contestant.units = static_cast<double>(texts.size());
  for (std::size_t a = 0; a < aspects.size(); ++a) {
    Classes right, found;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      right.push_back(aspects[a].find(texts[i].labels[a]));
      found.push_back(aspects[a].find(judged[i].aspects[a].label));
    }
    const std::string name = aspects.size() > 1 ? aspects[a].name + ' ' : std::string();
    add_aspect_measures(aspects[a], name, std::move(right), std::move(found), contestant);
  }
}

// The masks are a function of seed, line and vocabulary: models of one vocabulary guess the same
// words.
void measure_masked(const std::filesystem::path& folder, const ComparisonOptions& options,
                    Contestant& contestant) {
  require_files(options, 1, "models of masked words take one: the text");
  const std::vector<std::string> lines = text::read_lines(options.data[0]);
  const Filler filler(folder);
  const Stopwatch watch;
  const std::vector<MaskedScore> scores = filler.score(lines);
  watch.stop(contestant);
  std::vector<double> right, losses, masks;
  for (const MaskedScore& score : scores) {
    right.push_back(score.right);
    losses.push_back(score.loss);
    masks.push_back(score.masks);
    contestant.units += score.masks;
  }
  if (contestant.units == 0) {
    throw DataError("{}: no word of it can be masked for {}; give text like that of training",
                    options.data[0], folder.string());
  }
  contestant.vocabulary = read_file(ModelFolder{folder}.tokeniser());
  contestant.sentences = lines.size();
  contestant.unit = "guesses/s";
  contestant.measures = {
      ratio("accuracy %", right, masks, percent),
      ratio("perplexity", losses, masks, [](double loss) { return std::exp(loss); })};
  contestant.measures.back().lower_is_better = true;
}

struct ComparedTask {
  std::string_view name;
  void (*measure)(const std::filesystem::path&, const ComparisonOptions&, Contestant&);
};

constexpr ComparedTask kTasks[] = {{"translate", measure_translator},
                                   {"language", measure_language},
                                   {"classify", measure_classifier},
                                   {"masked", measure_masked}};

const ComparedTask& find_task(const std::string& task, const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const ComparedTask& entry : kTasks) {
    if (entry.name == task) return entry;
    names.emplace_back(entry.name);
  }
  throw UsageError("{}: models for the task \"{}\" cannot be compared; those of {} can",
                   folder.string(), task, join(names, ", "));
}

std::vector<std::string> measure_names(const Contestant& contestant) {
  std::vector<std::string> names;
  for (const Measure& measure : contestant.measures) names.push_back(measure.name);
  return names;
}

// UsageError unless the sentences of both can be drawn together.
void require_alike(const Contestant& first, const Contestant& other) {
  if (measure_names(first) != measure_names(other)) {
    throw UsageError("{} is measured by {}, {} by {}; compare models that judge the same",
                     first.name, join(measure_names(first), ", "), other.name,
                     join(measure_names(other), ", "));
  }
  if (first.sentences != other.sentences) {
    throw UsageError(
        "{} reads {} sentences of the data, {} reads {}; compare models that read the "
        "same",
        first.name, first.sentences, other.name, other.sentences);
  }
}

// What only models of one vocabulary can be compared by.
void require_comparable_tokens(std::vector<Contestant>& contestants) {
  const auto differs = [&](const Contestant& other) {
    return other.vocabulary != contestants.front().vocabulary;
  };
  const auto other = std::ranges::find_if(contestants, differs);
  if (other == contestants.end()) return;
  if (other->task == "masked") {
    throw UsageError(
        "{} and {} have different vocabularies, and so different words to guess; "
        "compare models of one vocabulary",
        contestants.front().name, other->name);
  }
  for (Contestant& contestant : contestants) {
    std::erase_if(contestant.measures,
                  [](const Measure& measure) { return measure.name == "perplexity"; });
  }
}

// The measure with its sign turned where less is more, so that the larger one wins.
metrics::SampleMeasure goodness(const Measure& measure) {
  if (!measure.lower_is_better) return measure.on;
  return [on = measure.on](Sentences sentences) { return -on(sentences); };
}

}  // namespace

std::vector<Contestant> measure_all(std::span<const std::filesystem::path> folders,
                                    const ComparisonOptions& options) {
  std::vector<Contestant> contestants;
  for (const std::filesystem::path& folder : folders) {
    const insight::ModelFacts facts = facts_of_folder(folder);
    Contestant contestant{.name = folder.string(), .task = facts.task};
    if (!contestants.empty() && contestants.front().task != facts.task) {
      throw UsageError("{} is for the task \"{}\", {} for \"{}\"; compare models of one task",
                       contestants.front().name, contestants.front().task, contestant.name,
                       facts.task);
    }
    contestant.parameters = insight::describe(facts).cost.parameters;
    contestant.file_bytes = std::filesystem::file_size(ModelFolder{folder}.weights());
    find_task(facts.task, folder).measure(folder, options, contestant);
    contestants.push_back(std::move(contestant));
  }
  if (!contestants.empty()) require_comparable_tokens(contestants);
  return contestants;
}

std::vector<Standing> stand(std::span<const Contestant> contestants,
                            const ComparisonOptions& options) {
  std::vector<Standing> standings;
  if (contestants.empty()) return standings;
  const Contestant& first = contestants.front();
  for (const Contestant& contestant : contestants) require_alike(first, contestant);
  for (std::size_t m = 0; m < first.measures.size(); ++m) {
    Standing standing{.measure = first.measures[m].name};
    for (std::size_t i = 0; i < contestants.size(); ++i) {
      Random alone(options.seed, 2 * i), paired(options.seed, 2 * i + 1);
      const Measure& measure = contestants[i].measures[m];
      standing.intervals.push_back(
          metrics::bootstrap_interval(first.sentences, measure.on, alone, options.samples));
      if (i == 0) continue;
      standing.against.push_back(
          metrics::paired_bootstrap(first.sentences, goodness(first.measures[m]), goodness(measure),
                                    paired, options.samples));
    }
    standings.push_back(std::move(standing));
  }
  return standings;
}

}  // namespace heed::pipeline
