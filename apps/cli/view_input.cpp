// SPDX-License-Identifier: Apache-2.0
// A model reads texts by its task: it translates, judges, fills, continues or foresees them.
#include "cli/view_input.h"

#include <unistd.h>

#include <utility>
#include <vector>

#include "cli/trace_cli.h"
#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "heed/insight/trace/trace_file.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/masked/filler.h"
#include "heed/pipeline/masked/masked_options.h"
#include "heed/pipeline/tracing.h"
#include "heed/pipeline/translate/translator.h"
#include "heed/text/lines.h"

namespace heed::cli {
namespace {

using Examples = std::vector<insight::TracedExample>;

// A text and what may stand behind its tab.
struct Line {
  std::string text{};
  std::string second{};
};

std::vector<Line> lines_of(const ViewInput& input) {
  if (!input.text.empty()) return {{input.text, input.second}};
  const std::string file = input.input.empty() ? "-" : input.input;
  if (file == "-" && ::isatty(STDIN_FILENO) != 0) {
    throw UsageError(
        "a model needs something to read: --text 'a sentence', --input FILE, or lines on standard "
        "input");
  }
  std::vector<Line> lines;
  text::LineReader reader(file);
  for (std::string line; reader.next(line);) {
    const std::size_t tab = line.find('\t');
    lines.push_back({line.substr(0, tab), tab == line.npos ? "" : line.substr(tab + 1)});
  }
  return lines;
}

// With a second text that is the translation looked at, otherwise the model's own.
Examples translated(const std::filesystem::path& model, const std::vector<Line>& lines,
                    const ViewInput& input) {
  const pipeline::Translator translator(model);
  std::vector<std::string> sources;
  std::vector<std::string> targets;
  for (const Line& line : lines) {
    sources.push_back(line.text);
    targets.push_back(line.second);
    if (line.second.empty() != lines.front().second.empty()) {
      throw UsageError(
          "line {} of the texts {} a translation after a tab, and the first {}: give all or none",
          targets.size(), line.second.empty() ? "lacks" : "has",
          line.second.empty() ? "has one" : "has none");
    }
  }
  Examples examples;
  if (!lines.empty() && !lines.front().second.empty()) {
    for (pipeline::PairScore& score : translator.score(sources, targets, {.trace = true})) {
      if (!score.trace.strips.empty()) examples.push_back(std::move(score.trace));
    }
    return examples;
  }
  const pipeline::TranslateOptions options{.beam = {.width = static_cast<int>(input.beam)},
                                           .trace = true};
  for (pipeline::Translations& found : translator.translate(sources, options)) {
    if (!found.front().trace.strips.empty()) examples.push_back(std::move(found.front().trace));
  }
  return examples;
}

Examples classified(const std::filesystem::path& model, const std::vector<Line>& lines) {
  const pipeline::Classifier classifier(model);
  std::vector<text::LabelledText> texts;
  for (const Line& line : lines) texts.push_back({.text = line.text, .second = line.second});
  Examples examples;
  for (pipeline::Classification& found : classifier.classify(texts, {.trace = true})) {
    examples.push_back(std::move(found.trace));
  }
  return examples;
}

Examples filled(const std::filesystem::path& model, const std::vector<Line>& lines) {
  const pipeline::Filler filler(model);
  Examples examples;
  for (const Line& line : lines) examples.push_back(filler.trace(line.text));
  return examples;
}

Examples continued(const std::filesystem::path& model, const std::vector<Line>& lines,
                   const ViewInput& input) {
  const pipeline::LanguageGenerator generator(model);
  Examples examples;
  for (const Line& line : lines) {
    examples.push_back(
        input.length > 0
            ? generator
                  .continuation(line.text, {.length = input.length, .greedy = true, .trace = true})
                  .trace
            : generator.score(generator.encode(line.text), {.trace = true}).trace);
    examples.back().title = line.text;
  }
  return examples;
}

}  // namespace

void ViewInput::declare(Options& list) {
  list.add("text", text, "for a model: the text it reads");
  list.add("second", second,
           "a second text for classifiers of pairs; for translators the translation to look at "
           "instead of their own");
  list.add("input", input,
           "texts, one per line (or gz), a tab before a second text; -: standard input");
  list.add("length", length, "language models: tokens to write after the text; 0: only read it")
      .range(0, 1 << 20);
  list.add("beam", beam, "translators: beam width, the hypotheses kept at a time; 1: greedy")
      .range(1, 10000);
  list.add("source", source, "of Marian's soft alignments: the file of the source sentences");
  list.add("threads", threads, "0: one per core").range(0, 1024);
}

insight::TraceDocument ViewInput::read(const std::filesystem::path& trace_or_model) const {
  if (!std::filesystem::is_directory(trace_or_model)) {
    if (!text.empty() || !input.empty()) {
      throw UsageError("{} is a trace, which has its texts; {} takes a model folder",
                       trace_or_model.string(), text.empty() ? "--input" : "--text");
    }
    return insight::read_trace(trace_or_model, {.source = source});
  }
  if (threads > 0) set_threads(threads);
  const std::string task = pipeline::ModelFolder{trace_or_model}.task();
  const std::vector<Line> lines = lines_of(*this);
  insight::TraceDocument document{.model = model_name(trace_or_model), .task = task};
  if (task == "translate") {
    document.examples = translated(trace_or_model, lines, *this);
  } else if (task == pipeline::kClassifyTask) {
    document.examples = classified(trace_or_model, lines);
  } else if (task == pipeline::kMaskedTask) {
    document.examples = filled(trace_or_model, lines);
  } else {
    document.examples = continued(trace_or_model, lines, *this);
  }
  if (document.examples.empty()) throw UsageError("there is no text for {}", document.model);
  for (const insight::TracedExample& example : document.examples) {
    pipeline::check_attends(example, document.model);
  }
  insight::check(document, document.model);
  return document;
}

}  // namespace heed::cli
