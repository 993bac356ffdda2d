// SPDX-License-Identifier: Apache-2.0
// Prompts to tokens, and the windows a text is scored in.
#include "heed/pipeline/language/language_generator.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/kernels/softmax.h"
#include "heed/pipeline/language/language_options.h"
#include "heed/pipeline/language/language_trace.h"
#include "heed/pipeline/language/language_writing.h"
#include "heed/pipeline/probability.h"
#include "heed/pipeline/text_bounds.h"

namespace heed::pipeline {
namespace {

// Tokens that a model without a context of its own reads at once: some hundred MiB of states.
constexpr std::int64_t kLongestPrompt = 1 << 14;

// Tokens [begin, end) are read together, and from `first` on they count.
struct Window {
  std::size_t begin, first, end;
};

// Windows of a model that sees `window` tokens at a time; each is as long as it can be.
std::vector<Window> sliding_windows(std::size_t tokens, std::size_t window, std::size_t stride) {
  std::vector<Window> windows;
  for (std::size_t counted = 0; counted < tokens;) {
    const std::size_t end =
        std::min(tokens, counted == 0 ? window : std::max(counted + stride, window));
    windows.push_back({end > window ? end - window : 0, counted, end});
    counted = end;
  }
  return windows;
}

}  // namespace

double TextScore::loss() const {
  return -log_probability /
         static_cast<double>(std::max<std::size_t>(token_log_probabilities.size(), 1));
}

double TextScore::perplexity() const {
  return std::exp(loss());
}

double TextScore::bits_per_character() const {
  return -log_probability / std::numbers::ln2 /
         static_cast<double>(std::max<std::uint64_t>(characters, 1));
}

LanguageGenerator::LanguageGenerator(const std::filesystem::path& path) {
  const ModelFolder folder{path};
  folder.check("language");
  LanguageOptions options;
  folder.read_config(options.list);
  tokeniser_ = text::load_tokeniser(folder.file(kTokeniserFile));
  line_ends_ = options.line_ends;
  text_begin_ = options.text_begin;
  Random random(0);
  model_ =
      folder.made([&] { return make_language_model(options.model, tokeniser_->size(), random); });
  nn::Parameters parameters = nn::parameters(*model_);
  folder.load_weights(parameters);
}

LanguageGenerator::LanguageGenerator(TokeniserPointer tokeniser,
                                     std::shared_ptr<models::LanguageModel> model,
                                     text::LineEnds line_ends, TextBegin text_begin)
    : tokeniser_(std::move(tokeniser)),
      model_(std::move(model)),
      line_ends_(line_ends),
      text_begin_(text_begin) {}

std::int64_t LanguageGenerator::parameter_count() const {
  return nn::parameter_count(nn::parameters(*model_));
}

text::LongText LanguageGenerator::read(const std::filesystem::path& path) const {
  return text::read_long_text(path, *tokeniser_, line_ends_);
}

text::LongText LanguageGenerator::encode(std::string_view text) const {
  if (std::string problem = nul_problem(text); !problem.empty()) {
    throw BadText("text", 1, 0, std::move(problem));
  }
  return text::long_text(text, *tokeniser_, line_ends_);
}

text::Tokens LanguageGenerator::prompt_tokens(std::string_view prompt,
                                              const GenerateOptions& options) const {
  if (std::string problem = text_problem(prompt); !problem.empty()) {
    throw BadText("prompt", 1, 0, std::move(problem));
  }
  const text::Tokens written = text::long_text(prompt, *tokeniser_, line_ends_).tokens;
  text::Tokens tokens;
  if (text_begin_ != TextBegin::nothing || written.empty()) tokens.push_back(first_token());
  tokens.insert(tokens.end(), written.begin(), written.end());
  if (written.empty() && line_ends_ == text::LineEnds::space) {
    throw UsageError(
        "the prompt is empty, and this model was trained without ends of lines to begin after; "
        "give a "
        "prompt");
  }
  const auto length = static_cast<std::int64_t>(tokens.size());
  if (model_->longest() > 0 && length > model_->longest() &&
      options.long_prompt == LongPrompt::fail) {
    throw UsageError(
        "the prompt has {} tokens, and the model sees {}; shorten it, or read only its "
        "end (--crop-prompt)",
        length, model_->longest());
  }
  if (model_->longest() == 0 && length > kLongestPrompt) {
    if (options.long_prompt == LongPrompt::fail) {
      throw BadText("prompt", 1, 0,
                    too_many_tokens(static_cast<std::size_t>(length - 1), kLongestPrompt - 1,
                                    "shorten it, or read only its end (--crop-prompt)"));
    }
    tokens.erase(tokens.begin(), tokens.end() - kLongestPrompt);
  }
  return tokens;
}

Continuation LanguageGenerator::continuation(std::string_view prompt,
                                             const GenerateOptions& options,
                                             const Heard& heard) const {
  Writing writing(*this, prompt, options);
  while (!writing.done()) {
    const std::string piece = writing.next();
    if (heard && !piece.empty()) heard(piece);
  }
  return writing.finished();
}

TextScore LanguageGenerator::score(const text::LongText& text, const ScoreOptions& options,
                                   const std::function<void(std::size_t done)>& done) const {
  const NoGradient values_only;
  check(options.cache);
  const std::int64_t longest = model_->longest();
  if (longest > 0 && options.window > longest) {
    throw UsageError("windows of {} tokens, and the model sees {}; take less", options.window,
                     longest);
  }
  // A model that carries its state needs no overlap: a window is what is read at once.
  const std::int64_t piece = model_->segment() > 0 ? model_->segment() : 256;
  const std::int64_t window = options.window > 0 ? options.window : longest > 0 ? longest : piece;
  const std::int64_t stride =
      longest > 0 && options.stride > 0 ? std::min(options.stride, window) : window;
  text::Tokens read = {first_token()};
  read.insert(read.end(), text.tokens.begin(), text.tokens.end());
  TextScore score{.characters = text.characters, .unknown = text.unknown};
  decoding::ContinuousCache cache(options.cache);
  models::DecoderState state =
      options.memory < 0 ? model_->start(1) : model_->start_remembering(1, options.memory);
  LanguageTrace looks;
  for (Window part : sliding_windows(text.tokens.size(), static_cast<std::size_t>(window),
                                     static_cast<std::size_t>(stride))) {
    if (longest == 0) part.begin = part.first;  // what came before is in the state
    const auto length = static_cast<std::int64_t>(part.end - part.begin);
    const Ids tokens = Ids::of({1, length}, std::span<const std::int32_t>(read).subspan(
                                                part.begin, static_cast<std::size_t>(length)));
    attention::Trace left;
    const models::Reading reading = model_->read(longest > 0 ? model_->start(1) : state, tokens,
                                                 {.watch = options.trace ? &left : nullptr});
    state = reading.state;
    if (options.trace) {
      looks.add(left, {.read = static_cast<std::int64_t>(part.end),
                       .rows = static_cast<std::int64_t>(part.end - part.first)});
    }
    const auto skipped = static_cast<std::int64_t>(part.first - part.begin);
    const Tensor hidden = reading.hidden.value().select(0, 0).slice(0, skipped, length).packed();
    Tensor rows = model_->logits(hidden).value().packed();
    const auto vocabulary = static_cast<std::size_t>(rows.size(1));
    kernels::log_softmax(rows.data(), rows.mutable_data(), static_cast<std::size_t>(rows.size(0)),
                         vocabulary);
    const auto width = static_cast<std::size_t>(hidden.size(1));
    for (std::size_t i = 0; i < part.end - part.first; ++i) {
      const text::Token next = text.tokens[part.first + i];
      const std::span<Real> row(rows.mutable_data() + i * vocabulary, vocabulary);
      const std::span<const Real> mine(hidden.data() + i * width, width);
      cache.mix(mine, row);
      cache.add(mine, next);
      const double found =
          require_probability(row[static_cast<std::size_t>(next)], "token", part.first + i + 1);
      score.token_log_probabilities.push_back(static_cast<float>(found));
      score.log_probability += found;
    }
    if (done) done(part.end);
  }
  if (options.trace && !text.tokens.empty()) {
    read.pop_back();
    score.trace = looks.finished({.read = traced_tokens(*tokeniser_, read),
                                  .next = traced_tokens(*tokeniser_, text.tokens)});
  }
  return score;
}

}  // namespace heed::pipeline
