// SPDX-License-Identifier: Apache-2.0
// `heed score`: how likely a model finds given translations, or a text.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "cli/language_cli.h"
#include "cli/trace_cli.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/progress.h"
#include "heed/base/threads.h"
#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/translate/translator.h"
#include "heed/text/pairs.h"

namespace heed::cli {
namespace {

struct ScoreVerb {
  std::vector<std::string> model;
  std::string source, target, pairs;
  bool tokens = false;
  bool summary = false;
  int threads = 0;
  std::int64_t batch_tokens = 2048;
  std::string text;
  pipeline::ScoreOptions language;
  TraceOutput trace;
  Options list;

  ScoreVerb() {
    list.add("model", model,
             "model folder; several form an ensemble, by the mean of their probabilities");
    list.add("source", source, "source text, one sentence per line (or gz)");
    list.add("target", target, "its translation, line by line");
    list.add("pairs", pairs, "instead of both: source<TAB>target per line; -: standard input");
    list.add("tokens", tokens,
             "write the log-probability of every token after that of its line; with --text, one "
             "token per line");
    list.add("summary", summary, "write only the totals: tokens, log-probability, perplexity");
    list.add("threads", threads, "0: one per core").range(0, 1024);
    list.add("batch-tokens", batch_tokens, "tokens scored together").range(1, 1 << 24);
    list.add("text", text, "language models: the text (or gz); -: standard input");
    list.add("window", language.window,
             "language models: tokens a Transformer sees at a time; 0: its context")
        .range(0, 1 << 24);
    list.add("stride", language.stride,
             "language models: tokens from one window to the next; 0: a whole window")
        .range(0, 1 << 24);
    declare_cache(list, language.cache);
    trace.declare(list);
  }
};

// Tokens, log-probability and its two measures; or each token with its own.
void score_text(ScoreVerb& verb) {
  if (verb.text.empty()) throw UsageError("--text: say which text the language model shall read");
  if (!verb.source.empty() || !verb.target.empty() || !verb.pairs.empty()) {
    throw UsageError(
        "--{}: {} is a language model and reads --text alone; --source, --target and --pairs are "
        "for translators",
        !verb.pairs.empty()    ? "pairs"
        : !verb.source.empty() ? "source"
                               : "target",
        verb.model.front());
  }
  if (verb.model.size() > 1) {
    throw UsageError("--model: {} folders; a text is scored by one language model",
                     verb.model.size());
  }
  const pipeline::LanguageGenerator generator{std::filesystem::path(verb.model.front())};
  const text::LongText text = generator.read(verb.text);
  Progress progress({.what = "score", .total = text.tokens.size()});
  verb.language.trace = verb.trace.wanted();
  pipeline::TextScore score =
      generator.score(text, verb.language, [&](std::size_t done) { progress.update(done); });
  progress.clear();
  for (std::size_t i = 0; verb.tokens && i < text.tokens.size(); ++i) {
    fmt::print("{}\t{:.4f}\n", generator.tokeniser().piece(text.tokens[i]),
               score.token_log_probabilities[i]);
  }
  fmt::print("{} tokens, {} unknown, log-probability {:.4f}, perplexity {:.4f}, ",
             text.tokens.size(), score.unknown, score.log_probability, score.perplexity());
  fmt::print("bits per character {:.4f}\n", score.bits_per_character());
  if (verb.trace.wanted()) verb.trace.add(std::move(score.trace));
}

void score_pairs(ScoreVerb& verb) {
  if (!verb.text.empty()) {
    throw UsageError(
        "--text: {} is a translator, and --text is for language models; give --source and "
        "--target, or --pairs",
        verb.model.front());
  }
  const bool two = !verb.source.empty() && !verb.target.empty();
  if (two == !verb.pairs.empty()) {
    throw UsageError("give --source and --target, or --pairs with a tab between them");
  }
  const std::vector<std::filesystem::path> folders(verb.model.begin(), verb.model.end());
  const pipeline::Translator translator{std::span<const std::filesystem::path>(folders)};
  text::PairReader reader({.source = two ? verb.source : verb.pairs,
                           .target = two ? verb.target : "",
                           .documents = translator.reads_documents()});
  double total = 0;
  double count = 0;
  constexpr std::size_t kWindow = 4096;  // lines sorted by length together
  text::LinePair pair;
  for (bool more = reader.next(pair); more;) {
    std::vector<std::string> sources;
    std::vector<std::string> targets;
    std::uint64_t document = pair.document;
    // A window of documents ends where one does; an empty pair stands between two.
    while (more && (sources.size() < kWindow || (document > 0 && pair.document == document))) {
      if (pair.document != document) {
        sources.emplace_back();
        targets.emplace_back();
      }
      document = pair.document;
      sources.push_back(pair.source);
      targets.push_back(pair.target);
      more = reader.next(pair);
    }
    for (pipeline::PairScore& score :
         translator.score(sources, targets,
                          {.batch = {.tokens = verb.batch_tokens}, .trace = verb.trace.wanted()})) {
      if (score.pieces.empty()) continue;  // between documents
      if (verb.trace.wanted()) verb.trace.add(std::move(score.trace));
      total += score.log_probability;
      count += static_cast<double>(score.pieces.size());
      if (verb.summary) continue;
      fmt::print("{:.4f}", score.log_probability);
      for (std::size_t i = 0; verb.tokens && i < score.pieces.size(); ++i) {
        fmt::print(" {}={:.4f}", score.pieces[i], score.token_log_probabilities[i]);
      }
      fmt::print("\n");
    }
  }
  if (verb.summary) {
    fmt::print("{} tokens, log-probability {:.4f}, perplexity {:.4f}\n", count, total,
               std::exp(-total / std::max(count, 1.0)));
  }
}

void run(ScoreVerb& verb) {
  if (verb.model.empty()) throw UsageError("--model: say which model folder to use");
  if (verb.threads > 0) set_threads(verb.threads);
  const std::string task = pipeline::ModelFolder{verb.model.front()}.task();
  verb.trace.begin(verb.model.front(), task);
  if (task == "language") {
    score_text(verb);
  } else if (task == "translate") {
    score_pairs(verb);
  } else {
    throw DataError(
        "{}: a model for the task \"{}\", and heed score takes translators and language models; {}",
        verb.model.front(), task,
        task == "classify" ? "heed classify --data says how good a classifier is"
                           : "heed fill guesses words with it, and heed compare measures it");
  }
  verb.trace.finish();
}

Action setup(CommandLine& line) {
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
                          .setup = setup});

}  // namespace
}  // namespace heed::cli
