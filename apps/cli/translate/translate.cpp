// SPDX-License-Identifier: Apache-2.0
// `heed translate`: lines in, translations out, by beams or samples; with
// alignments when asked.
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>

#include "cli/trace_cli.h"
#include "cli/translate/translate_output.h"
#include "cli/verb.h"
#include "cli/weights_option.h"
#include "heed/base/error.h"
#include "heed/base/progress.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/base/warning.h"
#include "heed/pipeline/text_bounds.h"
#include "heed/pipeline/translate/translation_search.h"
#include "heed/text/counted_lines.h"
#include "heed/text/lines.h"

namespace heed::cli {
namespace {

struct TranslateVerb {
  std::vector<std::string> model;
  std::string input = "-";
  std::string prefixes;
  int threads = 0;
  std::int64_t window = 4096;
  WeightsOption weights;
  OutputOptions output;
  TraceOutput trace;

  pipeline::TranslationSearch search;
  std::int64_t batch_tokens = 2048;
  int layer = -1;
  std::vector<std::string> heads;
  text::CountedLines split;   // that were translated sentence by sentence
  text::CountedLines longer;  // than any text of training
  Options list;

  TranslateVerb() {
    list.section("Reading");
    list.add("model", model,
             "model folder; several form an ensemble, by the mean of their probabilities")
        .letter('m')
        .kind("FOLDER")
        .required();
    list.add("input", input, "text to translate, one sentence per line (or gz); -: standard input")
        .letter('i')
        .kind("FILE");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    weights.declare(list);
    search.declare(list);
    list.section("Reading");
    list.add("prefixes", prefixes, "file with the beginning of each translation, line by line")
        .kind("FILE");
    list.add("batch-tokens", batch_tokens, "source tokens translated together").range(1, 1 << 24);
    list.add("window", window, "lines read and sorted by length at a time").range(1, 1 << 24);
    list.section("Output and alignments");
    output.declare(list);
    trace.declare(list);
    list.add("layer", layer, "attention layer of alignments; -1: the last").range(-1, 1000);
    list.add("heads", heads, "heads of that layer; none given: all");
  }

  pipeline::TranslateOptions options() const {
    pipeline::TranslateOptions options = search.options();
    options.batch = {.tokens = batch_tokens};
    options.attention = output.needs_attention();
    options.trace = trace.wanted();
    if (layer >= 0) options.heads.layer = layer;
    for (const std::string& head : heads) {
      options.heads.heads.push_back(static_cast<int>(parse_integer(head, "--heads")));
    }
    return options;
  }
};

void give(pipeline::Translations translations, std::uint64_t number, TranslateVerb& verb) {
  print_translations(translations, number, verb.output);
  if (!translations.empty() && translations.front().parts > 1) verb.split.add(number);
  if (!translations.empty() && translations.front().longer) verb.longer.add(number);
  for (pipeline::Translation& one : translations) {
    // What is between documents has no words.
    if (verb.trace.wanted() && !one.trace.strips.empty()) verb.trace.add(std::move(one.trace));
  }
}

// What deserves a word about the lines of `name`.
void report_long(const pipeline::Translator& translator, const TranslateVerb& verb,
                 const std::string& name) {
  if (verb.split.count > 0) {
    warn(fmt::format(
        "{}: translated sentence by sentence, because longer than {}: {} (--split "
        "never leaves them whole)",
        name,
        translator.trained_longest() > 0
            ? fmt::format("any text of training ({} tokens)", translator.trained_longest())
            : "what is read at once",
        verb.split.to_string()));
  }
  if (verb.longer.count > 0) {
    warn(
        fmt::format("{}: has sentences longer than any text of training ({} tokens), of which the "
                    "model knows nothing: {}",
                    name, translator.trained_longest(), verb.longer.to_string()));
  }
}

// One line at a time, for those who type.
void converse(const pipeline::Translator& translator, TranslateVerb& verb) {
  pipeline::TranslateOptions options = verb.options();
  std::vector<std::string> document;  // what was typed since the last empty line
  std::string line;
  for (std::uint64_t number = 1;; ++number) {
    fmt::print(stderr, "> ");
    if (!std::getline(std::cin, line)) break;
    if (trim(line).empty() || !translator.reads_documents()) document.clear();
    if (trim(line).empty()) continue;
    document.push_back(line);
    try {
      give(translator.translate(document, options).back(), number, verb);
    } catch (const pipeline::BadText& bad) {
      warn(bad.problem());  // who types may type again
    }
    flush_output();
  }
  fmt::print(stderr, "\n");
}

void translate_all(const pipeline::Translator& translator, TranslateVerb& verb) {
  text::LineReader reader(verb.input);
  std::optional<text::LineReader> prefixes;
  if (!verb.prefixes.empty()) prefixes.emplace(verb.prefixes);
  Progress progress({.what = "translate"});
  std::uint64_t first = 1;
  for (bool more = true; more;) {
    std::vector<std::string> lines;
    pipeline::TranslateOptions options = verb.options();
    options.first_line = first;
    std::string line;
    // A window of documents ends where one does.
    std::size_t bytes = 0;
    const auto full = [&] {
      const bool many = static_cast<std::int64_t>(lines.size()) >= verb.window ||
                        bytes >= pipeline::kMostWindowBytes;
      return many && (!translator.reads_documents() || trim(lines.back()).empty());
    };
    while (!full() && (more = reader.next(line))) {
      if (const std::string problem = pipeline::text_problem(line); !problem.empty()) {
        throw DataError("{}:{}: {}", reader.name(), reader.line(), problem);
      }
      lines.push_back(line);
      bytes += line.size();
      if (!prefixes) continue;
      if (!prefixes->next(line)) {
        throw DataError(
            "{}:{}: it ends here, {} continues; give a prefix, or an "
            "empty line, for each "
            "sentence",
            verb.prefixes, prefixes->line() + 1, reader.name());
      }
      options.prefixes.push_back(line);
    }
    std::vector<pipeline::Translations> all;
    try {
      all = translator.translate(
          lines, options, [&](std::size_t done) { progress.update(first - 1 + done, "lines"); });
    } catch (const pipeline::BadText& bad) {
      throw bad.in_file(reader.name(), first);
    }
    progress.clear();
    for (pipeline::Translations& translations : all) {
      give(std::move(translations), first++, verb);
    }
    flush_output();
  }
  report_long(translator, verb, reader.name());
}

void run(TranslateVerb& verb) {
  if (verb.model.empty()) {
    throw UsageError(
        "--model: say which model folder to use (heed train "
        "translate makes one)");
  }
  const decoding::BeamOptions& beam = verb.search.beam;
  if (beam.n_best > beam.width && !verb.search.sample) {
    throw UsageError("--n-best {}: a beam of {} has no more; widen it with --beam", beam.n_best,
                     beam.width);
  }
  if (verb.threads > 0) set_threads(verb.threads);
  verb.trace.begin(verb.model.front(), "translate", {verb.input, verb.prefixes});
  const std::vector<std::filesystem::path> folders(verb.model.begin(), verb.model.end());
  const WeightsInForm weights(verb.weights);
  const pipeline::Translator translator{std::span<const std::filesystem::path>(folders)};
  if (verb.input == "-" && ::isatty(STDIN_FILENO) != 0) {
    converse(translator, verb);
  } else {
    translate_all(translator, verb);
  }
  verb.trace.finish();
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<TranslateVerb>();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "translate",
     .summary = "Translate text with a trained model, and show where it looked",
     .description = "Reads lines, writes one translation each. Asks for lines "
                    "at a terminal. For a model of documents, an empty line separates them.",
     .example = "heed translate --model model < data/test.en > test.fr\n"
                "echo \"The cat sleeps.\" | heed translate --model model --show\n"
                "heed translate --model model --input data/test.en --alignments "
                "pharaoh\n"
                "heed translate --model model --input data/test.en --trace trace.json",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
