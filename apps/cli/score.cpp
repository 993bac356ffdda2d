// SPDX-License-Identifier: Apache-2.0
// `heed score`: how likely a model finds given translations, or a text.
#include <algorithm>
#include <memory>

#include "cli/scoring.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/model_kind.h"

namespace heed::cli {
namespace {

std::vector<ListedScoring>& listed() {
  static std::vector<ListedScoring> all;
  return all;
}

// A kind's scoring and the names of the options it has declared.
struct Choice {
  std::string kind;
  std::unique_ptr<Scoring> scoring;
  std::vector<std::string> options{};
};

struct ScoreVerb {
  ScoreCall call;
  int threads = 0;
  std::vector<Choice> choices;
  Options list;

  ScoreVerb() {
    list.add("model", call.model,
             "model folder; several form an ensemble, by the mean of their probabilities");
    list.add("tokens", call.tokens,
             "write the log-probability of every token after that of its line; with --text, one "
             "token per line");
    list.add("summary", call.summary, "write only the totals: tokens, log-probability, perplexity");
    list.add("threads", threads, "threads to compute with; 0: one per core").range(0, 1024);
    list.add("batch-tokens", call.batch_tokens, "tokens scored together").range(1, 1 << 24);
    for (const ListedScoring& one : scorings()) {
      const std::size_t before = list.all().size();
      choices.push_back({one.kind, one.make()});
      choices.back().scoring->declare(list);
      for (std::size_t i = before; i < list.all().size(); ++i) {
        choices.back().options.push_back(list.all()[i].name());
      }
    }
    call.trace.declare(list);
  }
};

// UsageError for an option that was given and is another kind's.
void refuse_foreign_options(const ScoreVerb& verb, const Choice& mine,
                            const pipeline::ModelKind& kind) {
  for (const Choice& other : verb.choices) {
    if (&other == &mine) continue;
    for (const std::string& option : other.options) {
      const Option& given = *verb.list.find(option);
      if (given.value_text() == given.default_text()) continue;
      throw UsageError("--{}: {} is a {}, and --{} is for a {}; give {}", option,
                       verb.call.model.front(), kind.noun, option,
                       pipeline::kind_called(other.kind).noun, mine.scoring->wants());
    }
  }
}

// What its options name: texts, and numbers as well, which are no files.
std::vector<std::string> files_read(const ScoreVerb& verb, const Choice& mine) {
  std::vector<std::string> files;
  for (const std::string& option : mine.options) {
    const OptionValue value = verb.list.find(option)->value();
    if (const auto* text = std::get_if<std::string>(&value)) files.push_back(*text);
  }
  return files;
}

void run(ScoreVerb& verb) {
  if (verb.call.model.empty()) throw UsageError("--model: say which model folder to use");
  if (verb.threads > 0) set_threads(verb.threads);
  const pipeline::ModelKind& kind = pipeline::ModelFolder{verb.call.model.front()}.kind();
  const auto mine = std::ranges::find(verb.choices, kind.name, &Choice::kind);
  if (mine == verb.choices.end()) {
    std::vector<std::string> nouns;
    for (const Choice& one : verb.choices) {
      nouns.push_back("a " + pipeline::kind_called(one.kind).noun);
    }
    throw DataError("{}: a model for the task \"{}\", and heed score takes {}; {}",
                    verb.call.model.front(), kind.name, join(nouns, " or "),
                    kind.instead_of_scores);
  }
  refuse_foreign_options(verb, *mine, kind);
  verb.call.trace.begin(verb.call.model.front(), kind.name, files_read(verb, *mine));
  mine->scoring->run(verb.call);
  verb.call.trace.finish();
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<ScoreVerb>();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed({.name = "score",
                          .summary = "Give the log-probability of translations, and the "
                                     "perplexity of a text",
                          .description = "Writes the natural log-probability of each pair, the end "
                                         "of the line included. For a language model: "
                                         "perplexity and bits per character of a text.",
                          .example = "heed score --model model --source data/test.en "
                                     "--target data/test.fr --summary\n"
                                     "heed score --model model --text test.txt --stride 32",
                          .setup = set_up});

}  // namespace

const std::vector<ListedScoring>& scorings() {
  return listed();
}

ScoringListing::ScoringListing(std::string kind, std::unique_ptr<Scoring> (*make)()) {
  const auto place = std::ranges::lower_bound(listed(), kind, {}, &ListedScoring::kind);
  listed().insert(place, {std::move(kind), make});
}

}  // namespace heed::cli
