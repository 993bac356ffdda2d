// SPDX-License-Identifier: Apache-2.0
// Labelled texts run through a classifier under observers.
#include <algorithm>

#include "heed/base/error.h"
#include "heed/pipeline/classify/classifier.h"
#include "heed/pipeline/classify/classify_quality.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/surface.h"
#include "heed/pipeline/text_bounds.h"
#include "heed/pipeline/watched.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {
namespace {

class WatchedTexts final : public Watched {
 public:
  struct Text {
    insight::TokenStrip text{.name = "text"};
    insight::TokenStrip second{.name = "second"};
    text::Tokens tokens{};
    text::Tokens second_tokens{};
    std::vector<std::int32_t> labels{};  // of each aspect; none: what the model says
  };
  WatchedTexts(std::shared_ptr<models::Classifier> model, std::vector<std::string> aspects,
               std::vector<Text> texts)
      : model_(std::move(model)), aspects_(std::move(aspects)), texts_(std::move(texts)) {}

  std::size_t size() const override { return texts_.size(); }
  std::string unit() const override { return aspects_.size() > 1 ? "labels" : "texts"; }
  nn::Parameters parameters() const override { return nn::parameters(*model_); }
  std::vector<insight::TokenStrip> strips(std::size_t example) const override {
    const Text& one = texts_[example];
    std::vector<insight::TokenStrip> all = {one.text, {.name = "aspects", .tokens = aspects_}};
    if (!one.second.tokens.empty()) {
      all.push_back(one.second);
      all.push_back({.name = "question", .tokens = {"summary"}});
    }
    return all;
  }

  WatchedRun run(std::span<const std::size_t> examples, const models::Call& call) const override {
    std::vector<text::Tokens> rows, second;
    for (const std::size_t example : examples) {
      rows.push_back(texts_[example].tokens);
      second.push_back(texts_[example].second_tokens);
    }
    models::ClassifierInput input{.text = models::sequences(text::pad_rows(rows))};
    if (!second.front().empty()) input.second = models::sequences(text::pad_rows(second));
    const std::vector<Variable> logits = (*model_)(input, call);
    const std::vector<std::int64_t> one_each(examples.size(), 1);
    WatchedRun found{
        .units = std::vector<double>(examples.size(), static_cast<double>(logits.size())),
        .right = std::vector<double>(examples.size(), 0)};
    for (std::size_t a = 0; a < logits.size(); ++a) {
      Ids wanted({static_cast<std::int64_t>(examples.size())});
      for (std::size_t b = 0; b < examples.size(); ++b) {
        const std::vector<std::int32_t>& labels = texts_[examples[b]].labels;
        const Tensor mine = logits[a].value().select(0, static_cast<std::int64_t>(b)).packed();
        const auto said = std::max_element(mine.data(), mine.data() + mine.size()) - mine.data();
        wanted.mutable_data()[b] = labels.empty() ? static_cast<std::int32_t>(said) : labels[a];
        found.right[b] += wanted.data()[b] == said ? 1 : 0;
      }
      const Variable lost = cross_entropy(logits[a], wanted, {.reduction = Reduction::none});
      found.losses = found.losses.defined() ? found.losses + lost : lost;
    }
    return found;
  }

 private:
  std::shared_ptr<models::Classifier> model_;
  std::vector<std::string> aspects_;
  std::vector<Text> texts_;
};

}  // namespace

std::unique_ptr<Watched> Classifier::watched(const WatchedData& data) const {
  if (parts_.shape == text::TextShape::document) {
    throw UsageError(
        "a classifier of documents reads their sentences apart, and its heads and layers are not "
        "looked into; take one of whole texts (without --documents)");
  }
  std::vector<text::LabelledText> given;
  if (data.inputs.empty()) {
    require_files(data.files, 1, "classifiers take one: labelled texts");
    given = read_labelled(data.files[0], form(data.files[0]), labels());
  }
  for (const Input& input : data.inputs) {
    given.push_back({.text = input.text, .second = input.second});
  }
  if (data.most > 0 && given.size() > data.most) given.resize(data.most);
  const std::int64_t most = longest_read(0, parts_.longest);
  const bool token = parts_.model->asks_by_token();
  std::vector<WatchedTexts::Text> texts;
  for (const text::LabelledText& one : given) {
    if (text::words_of(one.text).empty()) continue;
    if (const std::string problem = unreadable(one); !problem.empty()) {
      throw BadText("text", texts.size() + 1, texts.size(), problem);
    }
    if (parts_.second == one.second.empty()) {
      throw UsageError("text {} {}", texts.size() + 1,
                       parts_.second ? "has no second, and this model compares two texts"
                                     : "is of two, and this model reads one");
    }
    WatchedTexts::Text& mine = texts.emplace_back();
    const auto strip = [&](const std::string& side, text::TextShape shape, text::Tokens& tokens,
                           insight::TokenStrip& into) {
      const text::Encoding encoding = read(side, shape, most);
      tokens = encoding.tokens;
      into.tokens = surface_pieces(*parts_.tokeniser, side, encoding);
      into.words = encoding.words;
    };
    strip(one.text, parts_.shape, mine.tokens, mine.text);
    if (parts_.second) strip(one.second, text::TextShape::line, mine.second_tokens, mine.second);
    if (token) {
      mine.text.tokens.insert(mine.text.tokens.begin(), "<s>");
      mine.text.words.insert(mine.text.words.begin(), -1);
    }
    for (std::size_t a = 0; a < one.labels.size(); ++a) {
      mine.labels.push_back(labels().aspects()[a].find(one.labels[a]));
    }
  }
  if (texts.empty())
    throw UsageError("no text with a word in it; give texts like those of training");
  std::vector<std::string> aspects;
  for (const text::Aspect& aspect : labels().aspects()) aspects.push_back(aspect.name);
  return std::make_unique<WatchedTexts>(parts_.model, std::move(aspects), std::move(texts));
}

}  // namespace heed::pipeline
