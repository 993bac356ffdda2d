// SPDX-License-Identifier: Apache-2.0
// `heed score` with a language model: the perplexity of a text.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "cli/scoring.h"
#include "heed/base/error.h"
#include "heed/base/progress.h"
#include "heed/pipeline/language/language_generator.h"

namespace heed::cli {
namespace {

struct TextScoring final : Scoring {
  std::string text;
  pipeline::ScoreOptions options;

  void declare(Options& list) override {
    list.add("text", text, "language models: the text (or gz); -: standard input");
    options.declare(list);
  }

  std::string wants() const override { return "--text"; }

  // Tokens, log-probability and its two measures; or each token with its own.
  void run(ScoreCall& call) override;
};

void TextScoring::run(ScoreCall& call) {
  if (text.empty()) throw UsageError("--text: say which text the language model shall read");
  if (call.model.size() > 1) {
    throw UsageError("--model: {} folders; a text is scored by one language model",
                     call.model.size());
  }
  const pipeline::LanguageGenerator generator{std::filesystem::path(call.model.front())};
  const text::LongText read = generator.read(text);
  Progress progress({.what = "score", .total = read.tokens.size()});
  options.trace = call.trace.wanted();
  pipeline::TextScore score =
      generator.score(read, options, [&](std::size_t done) { progress.update(done); });
  progress.clear();
  for (std::size_t i = 0; call.tokens && i < read.tokens.size(); ++i) {
    fmt::print("{}\t{:.4f}\n", generator.tokeniser().piece(read.tokens[i]),
               score.token_log_probabilities[i]);
  }
  fmt::print("{} tokens, {} unknown, log-probability {:.4f}, perplexity {:.4f}, ",
             read.tokens.size(), score.unknown, score.log_probability, score.perplexity());
  fmt::print("bits per character {:.4f}\n", score.bits_per_character());
  if (call.trace.wanted()) call.trace.add(std::move(score.trace));
}

const ScoringListing kListed("language", []() -> std::unique_ptr<Scoring> {
  return std::make_unique<TextScoring>();
});

}  // namespace
}  // namespace heed::cli
