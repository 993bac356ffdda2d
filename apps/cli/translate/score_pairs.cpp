// SPDX-License-Identifier: Apache-2.0
// `heed score` with a translator: the log-probability of given translations.
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <memory>

#include "cli/scoring.h"
#include "heed/base/error.h"
#include "heed/pipeline/text_bounds.h"
#include "heed/pipeline/translate/translator.h"
#include "heed/text/pairs.h"

namespace heed::cli {
namespace {

struct PairScoring final : Scoring {
  std::string source, target, pairs;
  std::int64_t longest_text = 0;

  void declare(Options& list) override {
    list.add("source", source, "translators: source text, one sentence per line (or gz)");
    list.add("target", target, "translators: its translation, line by line");
    list.add("pairs", pairs,
             "translators: instead of both, source<TAB>target per line; -: standard input");
    list.add("longest-text", longest_text,
             "translators: most tokens of a side; 0: 1024, or the longest of training where that "
             "is longer")
        .range(0, 1 << 20);
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
    std::vector<std::uint64_t> numbers;  // of their lines
    std::uint64_t document = pair.document;
    // A window of documents ends where one does; an empty pair is between two.
    std::size_t bytes = 0;
    const auto full = [&] {
      return sources.size() >= kWindow || bytes >= pipeline::kMostWindowBytes;
    };
    while (more && (!full() || (document > 0 && pair.document == document))) {
      for (const std::string* side : {&pair.source, &pair.target}) {
        const std::string problem = pipeline::text_problem(*side);
        if (!problem.empty()) throw DataError("{}:{}: {}", reader.name(), pair.line, problem);
        bytes += side->size();
      }
      if (pair.document != document) {
        sources.emplace_back();
        targets.emplace_back();
        numbers.push_back(pair.line);
      }
      document = pair.document;
      sources.push_back(pair.source);
      targets.push_back(pair.target);
      numbers.push_back(pair.line);
      more = reader.next(pair);
    }
    std::vector<pipeline::InputScore> scores;
    try {
      scores = translator.score(sources, targets,
                                {.batch = {.tokens = call.batch_tokens},
                                 .longest = longest_text,
                                 .trace = call.trace.wanted()});
    } catch (const pipeline::BadText& bad) {
      throw DataError("{}:{}: {}", reader.name(), numbers[bad.index()], bad.problem());
    }
    for (pipeline::InputScore& score : scores) {
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
