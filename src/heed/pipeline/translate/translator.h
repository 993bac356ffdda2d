// SPDX-License-Identifier: Apache-2.0
// Translator: a model folder in use, or several that vote.
//
//   const pipeline::Translator translator("models/en-fr");
//   std::cout << translator.translate("Where does it look?").text << "\n";
#pragma once  // public header

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/decoding/alignment.h"
#include "heed/decoding/search_options.h"
#include "heed/insight/trace/trace_document.h"
#include "heed/pipeline/model.h"
#include "heed/pipeline/translate/vocabularies.h"
#include "heed/text/batch_size.h"
#include "heed/text/pharaoh.h"

#pragma GCC visibility push(default)  // exported

namespace heed::decoding {
struct Hypothesis;
}
namespace heed::models {
class EncoderDecoder;
}
namespace heed::text {
struct LineBatch;
struct PairBatch;
struct TokenPair;
}  // namespace heed::text

namespace heed::pipeline {

struct TracedPair;
struct TextPart;

enum class SearchKind { beam, sample };

// Which texts are translated sentence by sentence. automatic: those longer than any that the model
// has learnt from, unless it reads documents, whose lines are sentences.
enum class Split { automatic, always, never };
const std::vector<std::string>& split_names();

struct TranslateOptions {
  SearchKind search = SearchKind::beam;
  // Width 1: greedy. Without a length penalty, length_penalty() of the translator.
  decoding::BeamOptions beam{};
  decoding::SamplingOptions sampling{};  // its samples come back as `n_best`
  std::uint64_t seed = 1;                // of sampling, by the number of the line
  std::uint64_t first_line = 0;          // the number of the first line
  text::BatchSize batch{.tokens = 2048};
  std::vector<std::string> prefixes{};  // how each translation begins; empty: as it likes
  bool attention = false;               // whether translations say where the model looked
  bool trace = false;                   // whether they carry all of it as a traced example
  decoding::AlignmentHeads heads{};     // of the alignment
  Split split = Split::automatic;
  // Most tokens that are read at once; 0: 1024, or the longest text of training where that is
  // longer. Beyond that a sentence is cut between words, or with Split::never refused.
  std::int64_t longest = 0;
};

// One output for a source line.
struct Translation {
  std::string text{};
  double score = 0;                              // what ranks
  double log_probability = 0;                    // of all tokens
  bool finished = true;                          // false: cut at the longest length
  std::size_t parts = 1;                         // that the text was translated in, see Split
  bool longer = false;                           // a part is longer than all training texts
  std::vector<std::string> pieces{};             // of the output, its end included
  std::vector<float> token_log_probabilities{};  // of these
  // When asked for:
  std::vector<std::string> source_pieces{};           // the end included
  std::vector<decoding::AttentionPath> attentions{};  // every layer and head, by token
  Tensor weights{};                                   // [pieces, source_pieces], the chosen heads
  Tensor word_weights{};                              // [words, source words]
  text::Alignment alignment{};                        // of words
  // When asked for: strips "source" and "target", and every layer and head of every attention.
  insight::TracedExample trace{};
};
// The n best of one line, best first.
using Translations = std::vector<Translation>;

class Translator final : public Model {
 public:
  // DataError naming the file for a folder that is not whole, damaged, or of a newer format.
  explicit Translator(const std::filesystem::path& folder);
  // An ensemble: the mean of their probabilities. UsageError unless their vocabularies are equal.
  explicit Translator(std::span<const std::filesystem::path> folders);
  explicit Translator(std::initializer_list<std::filesystem::path> folders)
      : Translator(std::span(folders.begin(), folders.size())) {}
  // A model that is being trained.
  Translator(Vocabularies vocabularies, std::shared_ptr<models::EncoderDecoder> model,
             const Reading& reading = {});

  Translation translate(std::string_view line, const TranslateOptions& options = {}) const;
  // `done` is called with how many lines are ready, as they get ready. An empty line has an empty
  // translation; for a model that reads documents it is between two. BadText for a line that is too
  // long or no text.
  std::vector<Translations> translate(
      std::span<const std::string> lines, const TranslateOptions& options = {},
      const std::function<void(std::size_t done)>& done = nullptr) const;
  // Without it, two literals in braces would be the two ends of one text.
  std::vector<Translations> translate(std::initializer_list<std::string> lines,
                                      const TranslateOptions& options = {}) const {
    return translate(std::span(lines.begin(), lines.size()), options);
  }

  // How likely it finds given translations.
  InputScore score(std::string_view source, std::string_view target) const;
  std::vector<InputScore> score(std::span<const std::string> sources,
                                std::span<const std::string> targets,
                                const InputScoreOptions& options = {}) const;

  const Vocabularies& vocabularies() const { return vocabularies_; }
  // Tokens of the longest text it has learnt from, its end not counted; 0: unknown.
  std::int64_t trained_longest() const { return trained_longest_; }

  // What validation chose when training ended (of an ensemble the mean), Wu's where nothing did.
  const decoding::LengthPenalty& length_penalty() const { return length_penalty_; }

  // As of every model; settings are those of TranslationSearch. A second text is the translation
  // that is looked at or scored.
  const ModelKind& kind() const override;
  const text::Tokeniser& tokeniser() const { return *vocabularies_.source; }  // of what it reads
  std::int64_t length(std::string_view text) const override {
    return token_count(tokeniser(), text);
  }
  std::int64_t parameter_count() const override;
  bool reads_documents() const override { return reading_.context > 0; }
  std::vector<std::vector<Answer>> run(std::span<const Input> inputs,
                                       const Settings& settings = {}) const override;
  std::vector<insight::TracedExample> trace(std::span<const Input> inputs,
                                            const Settings& settings = {}) const override;
  std::vector<InputScore> score_inputs(std::span<const Input> inputs,
                                       const InputScoreOptions& options) const override;
  void measure(std::span<const std::string> files, ComparedModel& contestant) const override;
  // The log-probability of a piece of a translation, the second text or its own, by the words of
  // the source; the target is a step, a word of the translation, or "STEP=WORD".
  Explained explained(const Input& input, const ExplainedTarget& target = {}) const override;
  std::unique_ptr<Watched> watched(const WatchedData& data) const override;

 private:
  struct Line;
  std::vector<Line> read_lines(std::span<const std::string> lines,
                               const TranslateOptions& options) const;
  // The parts that each line is translated in; none: whole. BadText for one that is too long.
  std::vector<std::vector<TextPart>> parts_of_lines(std::span<const Line> lines,
                                                    const TranslateOptions& options) const;
  std::vector<Translations> translate_parts(
      std::span<const Line> lines, std::span<const std::vector<TextPart>> parts,
      const TranslateOptions& options, const std::function<void(std::size_t done)>& done) const;
  std::vector<Translations> translate_lines(
      std::vector<Line> lines, const TranslateOptions& options,
      const std::function<void(std::size_t done)>& done) const;
  text::PairBatch rows_of(const text::LineBatch& batch, std::span<const Line> lines) const;
  void translate_batch(const text::LineBatch& batch, const TranslateOptions& options,
                       std::span<Line> lines) const;
  Translation finished(const decoding::Hypothesis& hypothesis, const Line& line,
                       const TranslateOptions& options,
                       std::vector<decoding::AttentionPath> encoder) const;
  // Sources with given targets as tokens, of `read` lines; a pair without words is left out, and
  // line counts from 0.
  std::vector<text::TokenPair> token_pairs(std::span<const Line> read,
                                           std::span<const std::string> targets,
                                           std::int64_t longest) const;
  // What a traced example needs to know of one row, but its target.
  TracedPair traced_row(const text::PairBatch& rows, std::size_t row, const Line& line) const;

  Vocabularies vocabularies_;
  Reading reading_{};
  std::shared_ptr<const text::Copier> copier_;  // of a model that copies
  std::vector<std::shared_ptr<models::EncoderDecoder>> models_;
  std::int64_t trained_longest_ = 0;
  decoding::LengthPenalty length_penalty_{};
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
