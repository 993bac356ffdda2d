// SPDX-License-Identifier: Apache-2.0
// A model reads texts as its kind does: it translates, judges, fills, continues or foresees them.
#include "cli/view_input.h"

#include <unistd.h>

#include <memory>
#include <vector>

#include "cli/trace_cli.h"
#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "heed/insight/describe/learnt_heads.h"
#include "heed/insight/trace/trace_file.h"
#include "heed/pipeline/model.h"
#include "heed/pipeline/model_facts.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/text_bounds.h"
#include "heed/pipeline/tracing.h"
#include "heed/text/lines.h"

namespace heed::cli {
namespace {

std::vector<pipeline::Input> lines_of(const ViewInput& input) {
  if (!input.text.empty()) return {{input.text, input.second}};
  const std::string file = input.input.empty() ? "-" : input.input;
  if (file == "-" && ::isatty(STDIN_FILENO) != 0) {
    throw UsageError(
        "a model needs something to read: --text 'a sentence', --input FILE, or lines on standard "
        "input");
  }
  std::vector<pipeline::Input> lines;
  text::LineReader reader(file);
  for (std::string line; reader.next(line);) {
    const std::size_t tab = line.find('\t');
    lines.push_back({line.substr(0, tab), tab == line.npos ? "" : line.substr(tab + 1)});
  }
  return lines;
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
  list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
}

// What was asked for, and nothing else: kinds refuse settings that they do not have.
pipeline::Settings ViewInput::settings() const {
  pipeline::Settings settings;
  if (length != ViewInput{}.length) settings.emplace_back("length", std::to_string(length));
  if (beam != ViewInput{}.beam) settings.emplace_back("beam", std::to_string(beam));
  return settings;
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
  pipeline::ModelFolder{trace_or_model}.kind();  // before anybody is asked for a text
  const std::vector<pipeline::Input> lines = lines_of(*this);
  const std::unique_ptr<pipeline::Model> model = pipeline::open_model(trace_or_model);
  insight::TraceDocument document{.model = model_name(trace_or_model), .task = model->kind().name};
  try {
    document.examples = model->trace(lines, settings());
  } catch (const pipeline::BadText& bad) {
    if (!text.empty()) throw;
    throw bad.in_file(input.empty() || input == "-" ? "standard input" : input, 1);
  }
  if (document.examples.empty()) throw UsageError("there is no text for {}", document.model);
  insight::add_learnt(document, pipeline::facts_of_folder(trace_or_model).learnt);
  for (const insight::TracedExample& example : document.examples) {
    pipeline::check_attends(example, document.model);
  }
  insight::check(document, document.model);
  return document;
}

}  // namespace heed::cli
