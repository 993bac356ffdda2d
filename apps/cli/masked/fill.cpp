// SPDX-License-Identifier: Apache-2.0
// `heed fill`: likely words for the gaps of a text.
#include <fmt/format.h>

#include <memory>
#include <string>

#include "cli/trace_cli.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "heed/pipeline/masked/filler.h"

namespace heed::cli {
namespace {

struct FillVerb {
  std::string text;
  std::string model;
  pipeline::FillOptions options;
  int threads = 0;
  TraceOutput trace;
  Options list;

  FillVerb() {
    list.add("model", model, "model folder that heed train masked wrote")
        .letter('m')
        .kind("FOLDER")
        .required();
    options.declare(list);
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    trace.declare(list);
  }
};

void run(FillVerb& verb) {
  if (verb.model.empty()) {
    throw UsageError("--model: say which model folder to use (heed train masked makes one)");
  }
  if (verb.threads > 0) set_threads(verb.threads);
  verb.trace.begin(verb.model, "masked");
  const pipeline::Filler filler(verb.model);
  const auto gaps = filler.fill(verb.text, verb.options);
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    if (i > 0) fmt::print("\n");
    for (const pipeline::Guess& guess : gaps[i]) {
      fmt::print("{:.3f}  {}\n", guess.probability, guess.word);
    }
  }
  if (verb.trace.wanted()) verb.trace.add(filler.trace(verb.text));
  verb.trace.finish();
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<FillVerb>();
  line.add("TEXT", verb->text, "a text with [MASK] where a word is missing").required();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed({.name = "fill",
                          .summary = "Guess the words that are missing in a text",
                          .example = "heed fill \"The [MASK] is red.\" --model words --top 3",
                          .setup = set_up});

}  // namespace
}  // namespace heed::cli
