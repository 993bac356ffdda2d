// SPDX-License-Identifier: Apache-2.0
// LanguageGenerator: a folder of a language model in use. It continues texts and says how well it
// foresaw one.
//
//   const pipeline::LanguageGenerator generator("models/tales");
//   std::cout << generator.generate("Once upon a time", {.length = 200}) << "\n";
#pragma once  // public header

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/options.h"
#include "heed/decoding/continuous_cache.h"
#include "heed/decoding/draw.h"
#include "heed/insight/trace/trace_document.h"
#include "heed/models/language_model.h"
#include "heed/pipeline/language/language_options.h"
#include "heed/pipeline/model.h"
#include "heed/pipeline/vocabulary_options.h"
#include "heed/text/long_text.h"

#pragma GCC visibility push(default)  // exported

namespace heed::pipeline {

// What happens to a prompt longer than a Transformer's context.
enum class LongPrompt { fail, crop };

struct GenerateOptions {
  std::int64_t length = 200;  // tokens
  decoding::DrawOptions draw{};
  bool greedy = false;  // the likeliest token instead of a drawn one
  std::uint64_t seed = 1;
  std::uint64_t number = 0;         // of the text: each draws numbers of its own
  bool unknown = false;             // whether the unknown token may be written
  std::vector<std::string> stop{};  // the text ends before the first of these
  LongPrompt long_prompt = LongPrompt::fail;
  decoding::CacheOptions cache{};
  std::int64_t memory = -1;    // of models with one: states it keeps; -1: as it learnt
  bool trace = false;          // whether the continuation carries what the model looked at
  bool probabilities = false;  // whether a writing keeps its tokens with their probabilities
  int alternatives = 0;        // and for each the likeliest tokens in its place

  void declare(Options& options);  // but number, long_prompt, trace and those of probabilities
};

struct Continuation {
  std::string text{};              // without the prompt
  insight::TracedExample trace{};  // when asked for, of the prompt as well, see language_trace.h
};

struct ScoreOptions {
  // A Transformer sees at most `window` tokens (0: its context) and moves by `stride` (0: a whole
  // window); each token is foreseen once, from the most that a window holds before it.
  std::int64_t window = 0;
  std::int64_t stride = 0;
  std::int64_t memory = -1;  // of models with one: states it keeps; -1: as it learnt
  decoding::CacheOptions cache{};
  bool trace = false;

  void declare(Options& options);  // but trace
};

struct TextScore {
  double log_probability = 0;  // natural
  std::uint64_t characters = 0;
  std::uint64_t unknown = 0;  // tokens outside the vocabulary
  std::vector<float> token_log_probabilities{};
  insight::TracedExample trace{};  // when asked for

  double loss() const;  // per token
  double perplexity() const;
  double bits_per_character() const;
};

class LanguageGenerator final : public Model {
 public:
  // DataError naming the file for a folder that is not whole, damaged, or of a newer format.
  explicit LanguageGenerator(const std::filesystem::path& folder);
  // A model that is being trained.
  LanguageGenerator(TokeniserPointer tokeniser, std::shared_ptr<models::LanguageModel> model,
                    text::LineEnds line_ends, TextBegin text_begin = TextBegin::end);

  // Called with the text as it grows.
  using Heard = std::function<void(std::string_view piece)>;
  // What follows the prompt; the prompt is not part of it. UsageError for a prompt that the context
  // has no room for.
  Continuation continuation(std::string_view prompt, const GenerateOptions& options = {},
                            const Heard& heard = nullptr) const;
  // Two literals in braces would be the two ends of one text.
  Continuation continuation(std::initializer_list<std::string>) const = delete;
  std::string generate(std::initializer_list<std::string>) const = delete;
  // Its text alone.
  std::string generate(std::string_view prompt, const GenerateOptions& options = {},
                       const Heard& heard = nullptr) const {
    return continuation(prompt, options, heard).text;
  }

  // A text in the making, token by token: language_writing.h.
  class Writing;

  // `done` is called with how many tokens are scored.
  TextScore score(const text::LongText& text, const ScoreOptions& options = {},
                  const std::function<void(std::size_t done)>& done = nullptr) const;
  text::LongText read(const std::filesystem::path& path) const;
  text::LongText encode(std::string_view text) const;  // the same of a text in memory

  const models::LanguageModel& model() const { return *model_; }

  // As of every model; settings are those of GenerateOptions, and of a trace the length alone: 0,
  // as it is without one, only reads the text. A second text is not read.
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
  std::vector<InputScore> score_inputs(std::span<const Input> inputs,
                                       const InputScoreOptions& options) const override;
  void measure(std::span<const std::string> files, ComparedModel& contestant) const override;
  // The log-probability of a token of a continuation, the second text or its own likeliest one, by
  // the words of the prompt; the target is a step, a word of it, or "STEP=WORD".
  Explained explained(const Input& input, const ExplainedTarget& target = {}) const override;
  std::unique_ptr<Watched> watched(const WatchedData& data) const override;

 private:
  // What a text begins after, where it begins after something.
  text::Token first_token() const {
    return text_begin_ == TextBegin::begin ? text::kBegin : text::kEnd;
  }
  text::Tokens prompt_tokens(std::string_view prompt, const GenerateOptions& options) const;

  TokeniserPointer tokeniser_;
  std::shared_ptr<models::LanguageModel> model_;
  text::LineEnds line_ends_ = text::LineEnds::token;
  TextBegin text_begin_ = TextBegin::end;
};

}  // namespace heed::pipeline

#pragma GCC visibility pop
