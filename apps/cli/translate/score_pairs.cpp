// SPDX-License-Identifier: Apache-2.0
// `heed score` with a translator: the log-probability of given translations.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "cli/scoring.h"
#include "heed/base/error.h"
#include "heed/pipeline/translate/translator.h"
#include "heed/text/pairs.h"

namespace heed::cli {
namespace {

struct PairScoring final : Scoring {
  std::string source, target, pairs;

  void declare(Options& list) override {
    list.add("source", source, "translators: source text, one sentence per line (or gz)");
    list.add("target", target, "translators: its translation, line by line");
    list.add("pairs", pairs,
             "translators: instead of both, source<TAB>target per line; -: standard input");
  }

  std::string wants() const override { return "--source and --target, or --pairs"; }

  void run(ScoreCall& call) override;
};

void PairScoring::run(ScoreCall& call) {
  const bool two = !source.empty() && !target.empty();
  if (two == !pairs.empty()) {
    throw UsageError("give --source and --target, or --pairs with a tab between them");
  }
  const std::vector<std::filesystem::path> folders(call.model.begin(), call.model.end());
  const pipeline::Translator translator{std::span<const std::filesystem::path>(folders)};
  text::PairReader reader({.source = two ? source : pairs,
                           .target = two ? target : "",
                           .documents = translator.reads_documents()});
  double total = 0;
  double count = 0;
  constexpr std::size_t kWindow = 4096;  // lines sorted by length together
  text::LinePair pair;
  for (bool more = reader.next(pair); more;) {
    std::vector<std::string> sources;
    std::vector<std::string> targets;
    std::uint64_t document = pair.document;
    // A window of documents ends where one does; an empty pair is between two.
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
    for (pipeline::InputScore& score :
         translator.score(sources, targets,
                          {.batch = {.tokens = call.batch_tokens}, .trace = call.trace.wanted()})) {
      if (score.pieces.empty()) continue;  // between documents
      if (call.trace.wanted()) call.trace.add(std::move(score.trace));
      total += score.log_probability;
      count += static_cast<double>(score.pieces.size());
      if (call.summary) continue;
      fmt::print("{:.4f}", score.log_probability);
      for (std::size_t i = 0; call.tokens && i < score.pieces.size(); ++i) {
        fmt::print(" {}={:.4f}", score.pieces[i], score.token_log_probabilities[i]);
      }
      fmt::print("\n");
    }
  }
  if (call.summary) {
    fmt::print("{} tokens, log-probability {:.4f}, perplexity {:.4f}\n", count, total,
               std::exp(-total / std::max(count, 1.0)));
  }
}

const ScoringListing kListed("translate", []() -> std::unique_ptr<Scoring> {
  return std::make_unique<PairScoring>();
});

}  // namespace
}  // namespace heed::cli
