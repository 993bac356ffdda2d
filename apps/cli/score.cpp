// SPDX-License-Identifier: Apache-2.0
// `heed score`: how likely a model finds given translations.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "cli/options_cli.h"
#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "heed/pipeline/translator.h"
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
  Options list;

  ScoreVerb() {
    list.add("model", model, "model folder; several vote by the mean of their probabilities");
    list.add("source", source, "source text, one sentence per line (or gz)");
    list.add("target", target, "its translation, line by line");
    list.add("pairs", pairs, "instead of both: source<TAB>target per line; -: standard input");
    list.add("tokens", tokens, "write the log-probability of every token behind its line's");
    list.add("summary", summary, "write only the totals: tokens, log-probability, perplexity");
    list.add("threads", threads, "0: as many as cores").range(0, 1024);
    list.add("batch-tokens", batch_tokens, "tokens scored together").range(1, 1 << 24);
  }
};

void run(const ScoreVerb& verb) {
  if (verb.model.empty()) throw UsageError("--model: say which model folder to use");
  const bool two = !verb.source.empty() && !verb.target.empty();
  if (two == !verb.pairs.empty()) {
    throw UsageError("give --source and --target, or --pairs with a tab between them");
  }
  if (verb.threads > 0) set_threads(verb.threads);
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
    for (const pipeline::PairScore& score :
         translator.score(sources, targets, {.tokens = verb.batch_tokens})) {
      if (score.pieces.empty()) continue;  // between documents
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

Action setup(CLI::App& app) {
  auto verb = std::make_shared<ScoreVerb>();
  return with_options(app, verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed({.name = "score",
                          .summary = "Give the log-probability of translations, and the "
                                     "perplexity of a text",
                          .description = "Writes one natural logarithm per pair, that of "
                                         "the end of the line included.",
                          .example = "heed score --model model --source data/test.en "
                                     "--target data/test.fr --summary",
                          .setup = setup});

}  // namespace
}  // namespace heed::cli
