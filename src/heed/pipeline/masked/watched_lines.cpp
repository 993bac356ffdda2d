// SPDX-License-Identifier: Apache-2.0
// Lines run through a model of masked words under observers. Lines of files are masked as they are
// when it is scored; texts are read as they are.
#include <algorithm>

#include "heed/base/error.h"
#include "heed/pipeline/masked/filler.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/text_bounds.h"
#include "heed/pipeline/watched.h"
#include "heed/text/batch_plan.h"
#include "heed/text/lines.h"

namespace heed::pipeline {
namespace {

class WatchedLines final : public Watched {
 public:
  WatchedLines(std::shared_ptr<models::MaskedModel> model, TokeniserPointer tokeniser,
               std::optional<text::MaskingOptions> masking, std::vector<text::TokenPair> lines)
      : model_(std::move(model)),
        tokeniser_(std::move(tokeniser)),
        masking_(masking),
        lines_(std::move(lines)) {}

  std::size_t size() const override { return lines_.size(); }
  std::string unit() const override { return "words"; }
  nn::Parameters parameters() const override { return nn::parameters(*model_); }
  std::vector<insight::TokenStrip> strips(std::size_t example) const override {
    const text::TokenPair& line = lines_[example];
    insight::TokenStrip text{.name = "text", .words = {line.labels.begin(), line.labels.end()}};
    for (const text::Token token : line.source) text.tokens.push_back(tokeniser_->piece(token));
    return {text};
  }

  WatchedRun run(std::span<const std::size_t> examples, const models::Call& call) const override {
    std::vector<std::uint32_t> places(examples.begin(), examples.end());
    const text::PairBatch batch = text::gather_batch(lines_, places);
    MaskedBatch read;
    if (masking_) {
      read = masked_batch(batch, kScoringEpoch, model_->vocabulary(), *masking_);
    } else {
      // The first token of each is asked for, so that there is something to run for.
      read.text = models::sequences(batch.source);
      const auto rows = static_cast<std::int64_t>(examples.size());
      read.places = Ids({rows});
      read.wanted = Ids({rows});
      for (std::int64_t b = 0; b < rows; ++b) {
        read.places.mutable_data()[b] = static_cast<std::int32_t>(b * batch.source.width);
        read.wanted.mutable_data()[b] = read.text.ids.at({b, 0});
      }
    }
    std::vector<std::int64_t> counts(examples.size(), 0);
    for (const std::int32_t place : read.places.values()) {
      ++counts[static_cast<std::size_t>(place / batch.source.width)];
    }
    WatchedRun found{.units = {counts.begin(), counts.end()}};
    if (read.wanted.size() == 0) {
      found.losses = Tensor::zeros({static_cast<std::int64_t>(examples.size())});
      found.right.assign(examples.size(), 0);
      return found;
    }
    const Variable logits = (*model_)(read.text, read.places, call);
    found.losses =
        summed_rows(cross_entropy(logits, read.wanted, {.reduction = Reduction::none}), counts);
    found.right = right_rows(logits.value(), read.wanted, counts);
    return found;
  }

 private:
  std::shared_ptr<models::MaskedModel> model_;
  TokeniserPointer tokeniser_;
  std::optional<text::MaskingOptions> masking_;
  std::vector<text::TokenPair> lines_;
};

}  // namespace

std::unique_ptr<Watched> Filler::watched(const WatchedData& data) const {
  std::vector<std::string> texts;
  std::string name = "text";
  if (data.inputs.empty()) {
    require_files(data.files, 1, "models of masked words take one: the text");
    name = data.files[0];
    texts = text::read_lines(name);
  }
  for (const Input& input : data.inputs) texts.push_back(input.text);
  const text::LineEncoder encode =
      within(options_.room(),
             masked_line_encoder(*tokeniser_, {options_.limit().max_length, text::TooLong::crop},
                                 name, options_.shape()),
             name, kReadingRemedy);
  std::vector<text::TokenPair> lines;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (data.most > 0 && lines.size() == data.most) break;
    const text::EncodedPair encoded = encode({.source = texts[i], .line = i + 1});
    lines.insert(lines.end(), encoded.pairs.begin(), encoded.pairs.end());
  }
  if (lines.empty()) throw DataError("{}: there is no line with a word in it", name);
  std::optional<text::MaskingOptions> masking;
  if (data.inputs.empty()) masking = options_.masking(tokeniser_->mask());
  return std::make_unique<WatchedLines>(model_, tokeniser_, masking, std::move(lines));
}

}  // namespace heed::pipeline
