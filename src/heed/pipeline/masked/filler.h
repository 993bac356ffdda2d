// SPDX-License-Identifier: Apache-2.0
// A trained masked language model in use: a text with gaps in, likely words for each gap out.
//
//   const Filler filler("model");
//   filler.fill("The [MASK] is red.")[0][0].word;  // "car"
#pragma once  // public header

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/insight/trace/trace_document.h"
#include "heed/models/masked_model.h"
#include "heed/pipeline/masked/masked_lines.h"
#include "heed/pipeline/model.h"
#include "heed/pipeline/vocabulary_options.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

inline constexpr std::string_view kMaskMark = "[MASK]";

struct Guess {
  std::string word;  // or the piece of a word
  double probability = 0;
};

struct FillOptions {
  std::int64_t top = 5;  // words for each gap

  void declare(Options& options);
};

class Filler final : public Model {
 public:
  // A folder that `heed train masked` wrote. DataError for one that is damaged or of another task.
  explicit Filler(const std::filesystem::path& folder);

  // For each kMaskMark of the text, the likeliest tokens, best first. UsageError for a text
  // without a mark, or too long for the model.
  std::vector<std::vector<Guess>> fill(std::string_view text,
                                       const FillOptions& options = {}) const;
  // Two literals in braces would be the two ends of one text.
  std::vector<std::vector<Guess>> fill(std::initializer_list<std::string>) const = delete;
  // How well it guesses words of these lines, masked as in its training; a line without any mask
  // has a score of zeros. In the order of the lines.
  std::vector<MaskedScore> score(std::span<const std::string> lines) const;
  // What the encoder looks at while it reads the text: the strip "text", the end included, and
  // "encoder self".
  insight::TracedExample trace(std::string_view text) const;

  // As of every model; settings are those of FillOptions. Its answers are the guesses
  // for the first gap.
  const ModelKind& kind() const override;
  const text::Tokeniser& tokeniser() const { return *tokeniser_; }  // of what it reads
  std::int64_t length(std::string_view text) const override {
    return token_count(tokeniser(), text);
  }
  std::int64_t parameter_count() const override;
  std::vector<std::vector<Answer>> run(std::span<const Input> inputs,
                                       const Settings& settings = {}) const override;
  std::vector<insight::TracedExample> trace(std::span<const Input> inputs,
                                            const Settings& settings = {}) const override;
  void measure(std::span<const std::string> files, ComparedModel& contestant) const override;
  // The log-probability of a word in a gap, by the words of the text; the target is a gap's number,
  // a word for the first, or "GAP=WORD".
  Explained explained(const Input& input, const ExplainedTarget& target = {}) const override;
  std::unique_ptr<Watched> watched(const WatchedData& data) const override;

 private:
  // The tokens of a text, and which of them are to be guessed.
  struct Gaps {
    text::Tokens tokens{};  // the end included
    std::vector<int> words{};
    std::vector<std::string> pieces{};  // as they are shown
    std::vector<std::int32_t> places{};
  };
  Gaps read(std::string_view text) const;
  void read_marked(std::string_view text, Gaps& gaps) const;
  // With its end; UsageError for a text without a gap, or too long.
  Gaps finished(Gaps gaps, std::string_view text) const;
  Variable logits(const Gaps& gaps, attention::Observer* watch) const;

  MaskedOptions options_;
  TokeniserPointer tokeniser_;
  std::shared_ptr<models::MaskedModel> model_;
  std::int64_t trained_longest_ = 0;  // tokens of the longest training text; 0: unknown
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
