// SPDX-License-Identifier: Apache-2.0
// `heed generate`: a language model continues a prompt, shown as it is written.
#include <fmt/format.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "cli/trace_cli.h"
#include "cli/verb.h"
#include "cli/weights_option.h"
#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "heed/pipeline/language/language_writing.h"
#include "heed/pipeline/text_bounds.h"
#include "heed/text/lines.h"

namespace heed::cli {
namespace {

struct GenerateVerb {
  std::string model;
  std::string prompt;
  std::int64_t samples = 1;
  bool echo = true;
  bool crop_prompt = false;
  int threads = 0;
  pipeline::GenerateOptions options;
  WeightsOption weights;
  TraceOutput trace;
  Options list;

  GenerateVerb() {
    list.add("model", model, "model folder that heed train language wrote")
        .letter('m')
        .kind("FOLDER")
        .required();
    list.add("prompt", prompt,
             "what the text begins with; -: each line of standard input is a prompt");
    options.declare(list);
    list.add("samples", samples, "texts to write for each prompt").range(1, 1 << 20);
    list.add("crop-prompt", crop_prompt,
             "read only the end of a prompt that is longer than the context");
    list.add("echo", echo, "write the prompt before the text that follows it");
    weights.declare(list);
    trace.declare(list);
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
  }
};

void write(const pipeline::LanguageGenerator& generator, GenerateVerb& verb,
           const std::string& prompt, std::uint64_t& number) {
  for (std::int64_t i = 0; i < verb.samples; ++i) {
    pipeline::GenerateOptions options = verb.options;
    options.number = number++;
    options.trace = verb.trace.wanted();
    if (verb.crop_prompt) options.long_prompt = pipeline::LongPrompt::crop;
    // Reads the prompt and refuses a bad one, of which nothing may have been printed by then.
    pipeline::LanguageGenerator::Writing writing(generator, prompt, options);
    if (verb.echo) fmt::print("{}", prompt);
    while (!writing.done()) {
      fmt::print("{}", writing.next());
      flush_output();
    }
    fmt::print("\n");
    if (options.trace) verb.trace.add(writing.finished().trace);
  }
}

void write_lines(const pipeline::LanguageGenerator& generator, GenerateVerb& verb) {
  const bool asks = ::isatty(STDIN_FILENO) != 0;
  std::uint64_t number = 0;
  text::LineReader reader("-");
  for (std::string line;;) {
    if (asks) fmt::print(stderr, "> ");
    if (!reader.next(line)) break;
    try {
      write(generator, verb, line, number);
    } catch (const pipeline::BadText& bad) {
      throw bad.in_file(reader.name(), reader.line());
    } catch (const UsageError& error) {
      throw UsageError("{}:{}: {}", reader.name(), reader.line(), error.what());
    }
  }
}

void run(GenerateVerb& verb) {
  if (verb.model.empty()) {
    throw UsageError("--model: say which model folder to use (heed train language makes one)");
  }
  if (verb.options.greedy && verb.samples > 1) {
    throw UsageError(
        "--samples {}: with --greedy all would be the same; give 1, or leave --greedy out",
        verb.samples);
  }
  if (verb.threads > 0) set_threads(verb.threads);
  verb.trace.begin(verb.model, "language");
  const WeightsInForm weights(verb.weights);
  const pipeline::LanguageGenerator generator{std::filesystem::path(verb.model)};
  if (verb.prompt == "-") {
    write_lines(generator, verb);
  } else {
    std::uint64_t number = 0;
    write(generator, verb, verb.prompt, number);
  }
  verb.trace.finish();
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<GenerateVerb>();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "generate",
     .summary = "Continue a text with a language model, shown as it is written",
     .description = "Writes the prompt and the text with which the model continues it.",
     .example = "heed generate --model model --prompt \"Once upon a time\" --length 300\n"
                "heed generate --model model --temperature 0.8 --top-k 40 --samples 3\n"
                "heed generate --model model --prompt - < prompts.txt",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
