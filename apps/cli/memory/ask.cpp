// SPDX-License-Identifier: Apache-2.0
// `heed ask`: a story and a question in, the answer and what each hop looked at out; or files of
// stories in, and how many of their questions are answered right.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "cli/memory/ask_output.h"
#include "cli/trace_cli.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/text/lines.h"

namespace heed::cli {
namespace {

struct AskVerb {
  std::string model;
  std::string story;
  std::string question;
  std::vector<std::string> data;
  pipeline::AskOptions options;
  bool json = false;
  std::string svg;
  int threads = 0;
  TraceOutput trace;
  Options list;

  AskVerb() {
    list.add("story", story,
             "the story: sentences, one on a line; or numbered lines with questions of their own, "
             "which are asked unless --question is given (or gz); -: standard input")
        .kind("FILE");
    list.add("question", question, "what to ask").kind("TEXT");
    list.add("data", data,
             "files of stories with questions instead: reports the errors of each, and how often "
             "hops look at the supporting facts")
        .kind("FILE");
    options.declare(list);
    list.add("json", json, "print JSON instead of tables");
    list.add("svg", svg,
             "draw the sentences with the weights of each hop, of the last question, to this file")
        .kind("FILE.svg");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    trace.declare(list);
  }
};

void give(const pipeline::StoryAnswer& answer, AskVerb& verb) {
  fmt::print("{}", verb.json ? answer_json(answer) : answer_text(answer));
  if (verb.trace.wanted()) verb.trace.add(pipeline::Asker::traced(answer));
  if (!verb.svg.empty()) verb.trace.files().write(verb.svg, answer_svg(answer));
}

void ask_one(const pipeline::Asker& asker, AskVerb& verb) {
  const std::vector<std::string> lines = text::read_lines(verb.story);
  const auto firsts =
      std::ranges::count_if(lines, [](const std::string& line) { return line.starts_with("1 "); });
  if (firsts > 1) {
    throw UsageError(
        "{}: {} stories; keep the one that is asked for, or leave --question out to "
        "ask the questions of the file",
        verb.story, firsts);
  }
  const std::vector<std::string> sentences = text::story_sentences(join(lines, "\n"));
  if (sentences.empty()) throw DataError("{}: no sentence; write one on a line", verb.story);
  give(asker.ask(sentences, verb.question, verb.options), verb);
}

void ask_all(const pipeline::Asker& asker, AskVerb& verb) {
  bool first = true;
  for (const text::Story& story : text::read_stories(verb.story)) {
    for (const text::StoryQuestion& question : story.questions) {
      if (!first && !verb.json) fmt::print("\n");
      first = false;
      give(asker.ask(story, question, verb.options, verb.story), verb);
    }
  }
}

void judge(const pipeline::Asker& asker, const AskVerb& verb) {
  std::vector<pipeline::StoryQuality> tasks;
  for (const std::string& file : verb.data) tasks.push_back(asker.judge(file));
  fmt::print("{}", verb.json ? quality_json(tasks) : quality_text(tasks));
}

void run(AskVerb& verb) {
  if (verb.story.empty() == verb.data.empty()) {
    throw UsageError(
        "{}: give the story to ask about with --story, or files to measure the model on with "
        "--data",
        verb.story.empty() ? "nothing to ask about" : "--story and --data");
  }
  if (!verb.data.empty() && !verb.question.empty()) {
    throw UsageError("--question: the files of --data have their own; give --story for this one");
  }
  if (!verb.data.empty() && (verb.trace.wanted() || !verb.svg.empty())) {
    throw UsageError("--{}: it shows single questions; give them with --story, not --data",
                     verb.svg.empty() ? "trace" : "svg");
  }
  if (verb.threads > 0) set_threads(verb.threads);
  verb.trace.begin(verb.model, "memory", {verb.story});
  verb.trace.files().check(verb.svg);
  const pipeline::Asker asker(verb.model);
  if (!verb.data.empty()) {
    judge(asker, verb);
  } else if (verb.question.empty()) {
    ask_all(asker, verb);
  } else {
    ask_one(asker, verb);
  }
  verb.trace.finish();
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<AskVerb>();
  line.add("MODEL", verb->model, "model folder that heed train memory wrote").required();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "ask",
     .summary = "Ask a memory network about a story, and see what it looked at",
     .description =
         "Prints the likeliest answers, and for each sentence how much each hop looked at it; a "
         "star marks supporting facts where the file names them. Words that the model does not "
         "know read as nothing.",
     .example = "heed ask model --story story.txt --question \"Where is the key?\"\n"
                "heed ask model --story story.txt --question \"Where is the key?\" --json\n"
                "heed ask model --story story.txt --question \"Where is the key?\" --svg hops.svg\n"
                "heed ask model --data data/facts-two/test.txt",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
