// SPDX-License-Identifier: Apache-2.0
// Windows of a text, or texts one by one, run through a language model under observers.
#include <algorithm>

#include "heed/base/error.h"
#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/language/language_trace.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/watched.h"

namespace heed::pipeline {
namespace {

class WatchedWindows final : public Watched {
 public:
  struct Window {
    text::Tokens read{};
    text::Tokens next{};  // as many: what follows each
    insight::TokenStrip text{.name = "text"};
  };
  WatchedWindows(std::shared_ptr<models::LanguageModel> model, std::vector<Window> windows)
      : model_(std::move(model)), windows_(std::move(windows)) {}

  std::size_t size() const override { return windows_.size(); }
  std::string unit() const override { return "tokens"; }
  nn::Parameters parameters() const override { return nn::parameters(*model_); }
  // A query that foresees the next token has read the one at its own place.
  std::vector<insight::TokenStrip> strips(std::size_t example) const override {
    const insight::TokenStrip& text = windows_[example].text;
    insight::TokenStrip next = text;
    next.name = "next";
    insight::TokenStrip past{.name = "past", .tokens = {"start"}, .words = {-1}};
    past.tokens.insert(past.tokens.end(), text.tokens.begin(), text.tokens.end() - 1);
    past.words.insert(past.words.end(), text.words.begin(), text.words.end() - 1);
    return {text, next, past};
  }

  // Padding is behind the last token, where none looks.
  WatchedRun run(std::span<const std::size_t> examples, const models::Call& call) const override {
    std::vector<text::Tokens> rows;
    std::vector<std::int32_t> places, wanted;
    std::vector<std::int64_t> counts;
    WatchedRun found;
    for (const std::size_t example : examples) rows.push_back(windows_[example].read);
    const text::TokenRows padded = text::pad_rows(rows);
    for (std::size_t b = 0; b < examples.size(); ++b) {
      const Window& window = windows_[examples[b]];
      for (std::size_t t = 0; t < window.next.size(); ++t) {
        places.push_back(static_cast<std::int32_t>(static_cast<std::int64_t>(b) * padded.width) +
                         static_cast<std::int32_t>(t));
        wanted.push_back(window.next[t]);
      }
      counts.push_back(static_cast<std::int64_t>(window.next.size()));
      found.units.push_back(static_cast<double>(window.next.size()));
    }
    const auto count = static_cast<std::int64_t>(places.size());
    const models::Sequences read = models::sequences(padded);
    const Variable hidden =
        model_->read(model_->start(static_cast<std::int64_t>(rows.size())), read.ids, call).hidden;
    const Variable flat = reshape(hidden, {hidden.size(0) * hidden.size(1), hidden.size(2)});
    const Variable logits = model_->logits(embedding(flat, Ids::of({count}, places)));
    const Ids targets = Ids::of({count}, wanted);
    found.losses =
        summed_rows(cross_entropy(logits, targets, {.reduction = Reduction::none}), counts);
    found.right = right_rows(logits.value(), targets, counts);
    return found;
  }

 private:
  std::shared_ptr<models::LanguageModel> model_;
  std::vector<Window> windows_;
};

}  // namespace

std::unique_ptr<Watched> LanguageGenerator::watched(const WatchedData& data) const {
  const std::int64_t longest = model_->longest();
  std::vector<WatchedWindows::Window> windows;
  // The tokens from `begin` on, each foreseen from those before it.
  const auto add = [&](const text::Tokens& tokens, std::size_t begin, std::size_t end) {
    WatchedWindows::Window& mine = windows.emplace_back();
    mine.read.push_back(begin == 0 ? first_token() : tokens[begin - 1]);
    const auto at = [&](std::size_t i) { return tokens.begin() + static_cast<std::ptrdiff_t>(i); };
    mine.read.insert(mine.read.end(), at(begin), at(end - 1));
    mine.next.assign(at(begin), at(end));
    TracedTokens traced = traced_tokens(*tokeniser_, mine.read);
    mine.text.tokens = std::move(traced.pieces);
    mine.text.words = std::move(traced.words);
  };
  if (data.inputs.empty()) {
    require_files(data.files, 1, "language models take one: the text");
    if (data.window < 2) {
      throw UsageError("windows of {} tokens; they take 2 or more", data.window);
    }
    const text::LongText text = read(data.files[0]);
    const auto width =
        static_cast<std::size_t>(longest > 0 ? std::min(longest, data.window) : data.window);
    for (std::size_t begin = 0; begin < text.tokens.size(); begin += width) {
      if (data.most > 0 && windows.size() == data.most) break;
      add(text.tokens, begin, std::min(text.tokens.size(), begin + width));
    }
    if (windows.empty()) throw DataError("{}: there is no text in it", data.files[0]);
  }
  for (const Input& input : data.inputs) {
    text::Tokens tokens = encode(input.text).tokens;
    tokens.push_back(text::kEnd);  // so that the last of the text is read, too
    const auto length = static_cast<std::int64_t>(tokens.size());
    if (longest > 0 && length > longest) {
      throw UsageError("text {} has {} tokens, and the model sees {}; shorten it",
                       windows.size() + 1, length - 1, longest - 1);
    }
    add(tokens, 0, tokens.size());
  }
  return std::make_unique<WatchedWindows>(model_, std::move(windows));
}

}  // namespace heed::pipeline
