// SPDX-License-Identifier: Apache-2.0
// `heed evaluate`: how good translations and alignments are, against references and gold.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/evaluate_system.h"
#include "cli/output_files.h"
#include "cli/region_table.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/draw/length_plot.h"
#include "heed/metrics/paired_bootstrap.h"
#include "heed/metrics/region_lines.h"
#include "heed/pipeline/text_bounds.h"

namespace heed::cli {
namespace {

using nlohmann::json;

struct EvaluateVerb {
  std::vector<std::string> hypotheses, references, alignments, names;
  std::string source, gold, svg, copied, pronouns, regions;
  bool by_length = false, lower_case = false, json = false, chrf_words = false;
  metrics::BleuTokens tokens = metrics::BleuTokens::v13a;
  std::int64_t length_step = 5, trained_length = 0, samples = 1000;
  int gold_first = 0;
  std::uint64_t seed = 1;
  OutputFiles files;
  Options list;

  EvaluateVerb() {
    list.add("hypotheses", hypotheses, "translations, one per line (or gz); several are compared");
    list.add("references", references, "right translations; several files are several references");
    list.add("names", names, "names of the systems, in the order of their files");
    list.add("lower-case", lower_case, "ignore case");
    list.add("tokenise", tokens, metrics::bleu_tokens_names(), "how BLEU splits text into words");
    list.add("chrf-words", chrf_words, "add pairs of words to chrF: chrF++");
    list.add("source", source, "what was translated; with --by-length, --svg or --copied");
    list.add("by-length", by_length, "BLEU by the number of words of the source");
    list.add("length-step", length_step, "words from one row of --by-length to the next")
        .range(1, 1000);
    list.add("trained-length", trained_length, "longest source of training, drawn by --svg")
        .at_least(0);
    list.add("svg", svg, "draw BLEU by length, a line for each system");
    list.add("copied", copied,
             "target text of the training: counts words of the references that occur in the source "
             "and not in this text; with --source");
    list.add("pronouns", pronouns,
             "words that must be at given places: LINE<TAB>WORD<TAB>FORM, lines from 1, words "
             "from 0");
    list.add("alignments", alignments, "word alignments, one file for each system");
    list.add("gold", gold, "right alignments");
    list.add("gold-first", gold_first, "number of the first word in --gold").range(0, 1);
    list.add("regions", regions,
             "instead: looks at images, a line of JSON for each with size, boxes and weights, as "
             "heed look --looks writes them: how much of the weights lies inside the boxes");
    list.add("samples", samples, "of the paired bootstrap that compares systems; 0: none")
        .range(0, 1'000'000);
    list.add("seed", seed, "of the paired bootstrap");
    list.add("json", json, "print JSON");
    files.declare(list);
  }
};

void check(const EvaluateVerb& verb) {
  const std::size_t systems = std::max(verb.hypotheses.size(), verb.alignments.size());
  if (systems == 0) throw UsageError("give --hypotheses with translations, or --alignments");
  if (verb.hypotheses.empty() != verb.references.empty()) {
    throw UsageError("--hypotheses and --references go together: one of them is missing");
  }
  if (verb.alignments.empty() != verb.gold.empty()) {
    throw UsageError("--alignments and --gold go together: one of them is missing");
  }
  if (!verb.alignments.empty() && !verb.hypotheses.empty() &&
      verb.alignments.size() != verb.hypotheses.size()) {
    throw UsageError("--alignments: {} files for {} --hypotheses; each system has one of both",
                     verb.alignments.size(), verb.hypotheses.size());
  }
  if (!verb.names.empty() && verb.names.size() != systems) {
    throw UsageError("--names: {} names for {} systems", verb.names.size(), systems);
  }
  const bool by_length = verb.by_length || !verb.svg.empty();
  if (by_length && (verb.source.empty() || verb.hypotheses.empty())) {
    throw UsageError("{}: needs --source and --hypotheses",
                     verb.by_length ? "--by-length" : "--svg");
  }
  if (!verb.copied.empty() && (verb.source.empty() || verb.hypotheses.empty())) {
    throw UsageError("--copied: needs --source and --hypotheses");
  }
  if (!verb.pronouns.empty() && verb.hypotheses.empty()) {
    throw UsageError("--pronouns: needs --hypotheses");
  }
  std::size_t inputs = verb.source == "-" ? 1 : 0;
  inputs += verb.gold == "-" ? 1 : 0;
  for (const auto* files : {&verb.hypotheses, &verb.references, &verb.alignments}) {
    inputs += static_cast<std::size_t>(std::ranges::count(*files, "-"));
  }
  if (inputs > 1) throw UsageError("standard input (-) can be read once, not {} times", inputs);
}

std::vector<text::Alignment> read_alignments(const std::string& path, int first) {
  std::vector<text::Alignment> alignments;
  for (const std::string& line : read_lines(path)) {
    const std::string where = fmt::format("{}:{}", path, alignments.size() + 1);
    alignments.push_back(text::parse_pharaoh(line, {.where = where, .first = first}));
  }
  return alignments;
}

// The n-grams of a line as long as a file would take minutes, and most of the memory.
std::vector<std::string> read_texts(const std::string& path) {
  std::vector<std::string> texts = read_lines(path);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string problem = pipeline::text_problem(texts[i]);
    if (problem.empty()) continue;
    throw DataError("{}:{}: {}", path == "-" ? "standard input" : path, i + 1, problem);
  }
  return texts;
}

// Everything but the systems.
EvaluationData read_data(const EvaluateVerb& verb) {
  EvaluationData data{.bleu = {.tokens = verb.tokens, .lower_case = verb.lower_case},
                      .length_step = verb.length_step};
  data.chrf.lower_case = verb.lower_case;
  data.chrf.word_order = verb.chrf_words ? 2 : 0;
  for (const std::string& path : verb.references) {
    data.references.push_back(read_texts(path));
    require_equal_counts(path, data.references.back().size(), verb.references.front(),
                         data.references.front().size());
  }
  data.by_length = verb.by_length || !verb.svg.empty();
  if (data.by_length || !verb.copied.empty()) {
    data.sources = read_texts(verb.source);
    require_equal_counts(verb.source, data.sources.size(), verb.references.front(),
                         data.references.front().size());
  }
  if (!verb.copied.empty()) {
    data.known.emplace();
    for (const std::string& line : read_lines(verb.copied)) data.known->add(line);
  }
  if (!verb.pronouns.empty()) {
    for (const std::string& line : read_lines(verb.pronouns)) {
      data.pronouns.push_back(metrics::parse_placed_word(
          line, fmt::format("{}:{}", verb.pronouns, data.pronouns.size() + 1)));
    }
  }
  if (!verb.gold.empty()) data.gold = read_alignments(verb.gold, verb.gold_first);
  return data;
}

std::string name_of(const EvaluateVerb& verb, std::size_t system) {
  if (!verb.names.empty()) return verb.names[system];
  const auto& files = verb.hypotheses.empty() ? verb.alignments : verb.hypotheses;
  return files[system];
}

std::vector<SystemScore> score_all(const EvaluateVerb& verb, const EvaluationData& data) {
  std::vector<SystemScore> systems(std::max(verb.hypotheses.size(), verb.alignments.size()));
  for (std::size_t i = 0; i < systems.size(); ++i) {
    systems[i].name = name_of(verb, i);
    if (!verb.hypotheses.empty()) {
      const std::vector<std::string> lines = read_texts(verb.hypotheses[i]);
      require_equal_counts(verb.hypotheses[i], lines.size(), verb.references.front(),
                           data.references.front().size());
      score_translations(lines, data, systems[i]);
    }
    if (!verb.alignments.empty()) {
      const auto found = read_alignments(verb.alignments[i], 0);
      require_equal_counts(verb.alignments[i], found.size(), verb.gold, data.gold.size());
      systems[i].alignment = metrics::alignment_score(found, data.gold);
    }
  }
  return systems;
}

struct Comparison {
  std::string name = {};
  std::string other = {};
  metrics::PairedBootstrap bootstrap = {};
};

// Each system with the first.
std::vector<Comparison> compare(const EvaluateVerb& verb, const std::vector<SystemScore>& systems) {
  std::vector<Comparison> comparisons;
  if (verb.samples == 0 || !systems.front().bleu) return comparisons;
  for (std::size_t i = 1; i < systems.size(); ++i) {
    Random random(verb.seed, i);
    comparisons.push_back({systems[i].name, systems.front().name,
                           metrics::paired_bootstrap(systems.front().sentences,
                                                     systems[i].sentences, random, verb.samples)});
  }
  return comparisons;
}

void print_json(const EvaluateVerb& verb, const EvaluationData& data,
                const std::vector<SystemScore>& systems,
                const std::vector<Comparison>& comparisons) {
  json result;
  if (!verb.references.empty()) {
    result["bleu_signature"] = metrics::bleu_signature(data.references.size(), data.bleu);
    result["chrf_signature"] = metrics::chrf_signature(data.references.size(), data.chrf);
  }
  for (const SystemScore& system : systems) result["systems"].push_back(to_json(system));
  for (const auto& [name, other, bootstrap] : comparisons) {
    result["comparisons"].push_back(
        {{"name", name},
         {"other", other},
         {"difference", bootstrap.second - bootstrap.first},
         {"difference_interval", {bootstrap.difference_low, bootstrap.difference_high}},
         {"wins", bootstrap.second_wins},
         {"samples", verb.samples},
         {"seed", verb.seed}});
  }
  fmt::print("{}\n", result.dump(2));
}

void print_text(const EvaluateVerb& verb, const EvaluationData& data,
                const std::vector<SystemScore>& systems,
                const std::vector<Comparison>& comparisons) {
  for (const SystemScore& system : systems) {
    if (systems.size() > 1) fmt::print("{}\n", system.name);
    fmt::print("{}{}", to_text(system, data), systems.size() > 1 ? "\n" : "");
  }
  for (const auto& [name, other, bootstrap] : comparisons) {
    fmt::print(
        "{} against {}: BLEU {:+.2f}, 95% of {} samples from {:+.2f} to {:+.2f}, better in "
        "{:.1f}%\n",
        name, other, bootstrap.second - bootstrap.first, verb.samples, bootstrap.difference_low,
        bootstrap.difference_high, 100 * bootstrap.second_wins);
  }
  if (verb.by_length) fmt::print("{}", length_table(systems));
  if (verb.references.empty()) return;
  fmt::print("BLEU {}\n{} {}\n", metrics::bleu_signature(data.references.size(), data.bleu),
             metrics::chrf_name(data.chrf),
             metrics::chrf_signature(data.references.size(), data.chrf));
}

void evaluate_regions(const EvaluateVerb& verb) {
  if (!verb.hypotheses.empty() || !verb.alignments.empty()) {
    throw UsageError("--regions: it is evaluated alone, without --hypotheses and --alignments");
  }
  metrics::RegionScore score;
  std::size_t number = 0;
  for (const std::string& line : read_lines(verb.regions)) {
    const metrics::RegionLine look =
        metrics::parse_region_line(line, fmt::format("{}:{}", verb.regions, ++number));
    score.add(look.weights, metrics::GoldCells::of(look.mask, look.rows, look.columns));
  }
  if (verb.json) {
    nlohmann::ordered_json object = {{"looks", score.looks()},
                                     {"without_weights", score.without_weights()}};
    add_regions(object, score);
    fmt::print("{}\n", object.dump(2));
    return;
  }
  fmt::print("{}", region_table(score));
}

void run(EvaluateVerb& verb) {
  if (!verb.regions.empty()) return evaluate_regions(verb);
  check(verb);
  for (const auto* inputs : {&verb.hypotheses, &verb.references, &verb.alignments}) {
    verb.files.reads(*inputs);
  }
  verb.files.reads({verb.source, verb.gold, verb.copied, verb.pronouns});
  verb.files.check(verb.svg);
  const EvaluationData data = read_data(verb);
  const std::vector<SystemScore> systems = score_all(verb, data);
  if (!verb.svg.empty()) {
    std::vector<insight::LengthSeries> series;
    for (const SystemScore& system : systems) series.push_back({system.name, system.by_length});
    verb.files.write(verb.svg, insight::length_svg(series, {.trained = verb.trained_length}));
  }
  const std::vector<Comparison> comparisons = compare(verb, systems);
  if (verb.json) {
    print_json(verb, data, systems, comparisons);
  } else {
    print_text(verb, data, systems, comparisons);
  }
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<EvaluateVerb>();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "evaluate",
     .summary = "Score translations (BLEU, chrF, exact match) and word alignments",
     .description =
         "BLEU and chrF are those of sacreBLEU 2, with the signatures that say how. Several "
         "systems are compared with the first by paired bootstrap. Alignments are in the Pharaoh "
         "format (1-2 sure, 1p2 possible, words from 0) and get the error rate of Och & Ney.",
     .example = "heed evaluate --hypotheses out.fr --references data/test.fr\n"
                "heed translate --model model --input data/test.en | heed evaluate --hypotheses - "
                "--references data/test.fr\n"
                "heed evaluate --hypotheses with.fr without.fr --names with without --references "
                "data/test.fr --source data/test.en --by-length --svg lengths.svg\n"
                "heed evaluate --alignments out.align --gold data/test.align\n"
                "heed evaluate --regions looks.jsonl",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
