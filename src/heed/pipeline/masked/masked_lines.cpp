// SPDX-License-Identifier: Apache-2.0
// Encoding, masking, guessing.
#include "heed/pipeline/masked/masked_lines.h"
#include "heed/pipeline/probability.h"

#include <algorithm>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/text/labelled.h"

namespace heed::pipeline {

text::LineEncoder masked_line_encoder(const text::Tokeniser& tokeniser,
                                      const text::LengthLimit& limit, const std::string& name,
                                      text::TextShape shape) {
  const std::size_t frame = shape == text::TextShape::framed ? 2 : 1;
  return [&tokeniser, limit, name, shape, frame](const text::LinePair& line) -> text::EncodedPair {
    text::Encoding encoded = text::encode_text(tokeniser, line.source, shape);
    if (encoded.tokens.size() == frame) return {.outcome = text::Outcome::empty};
    text::EncodedPair result;
    const auto most = static_cast<std::size_t>(limit.max_length);
    if (const std::size_t length = encoded.tokens.size() - frame; most > 0 && length > most) {
      if (limit.too_long == text::TooLong::skip) return {.outcome = text::Outcome::skipped};
      if (limit.too_long == text::TooLong::fail) {
        throw DataError(
            "{}:{}: a line of {} tokens, and at most {} are allowed; raise --max-length, or choose "
            "--too-long crop or skip",
            name, line.line, length, most);
      }
      result.outcome = text::Outcome::cropped;
      encoded.tokens.resize(most + frame - 1);
      encoded.words.resize(most + frame - 1);
      encoded.tokens.push_back(text::kEnd);
      encoded.words.push_back(-1);
    }
    result.pairs.push_back({.source = std::move(encoded.tokens),
                            .line = line.line,
                            .labels = {encoded.words.begin(), encoded.words.end()}});
    return result;
  };
}

MaskedBatch masked_batch(const text::PairBatch& batch, std::uint64_t epoch, text::Token vocabulary,
                         const text::MaskingOptions& options) {
  text::TokenRows shown = batch.source;
  std::vector<std::int32_t> places;
  text::Tokens wanted;
  for (std::size_t row = 0; row < batch.lines.size(); ++row) {
    const std::ptrdiff_t begin = static_cast<std::ptrdiff_t>(row) * shown.width;
    const auto first = shown.ids.begin() + begin;
    const text::Tokens tokens(first, first + shown.lengths[row]);
    Random random = text::masking_random(options, epoch, batch.lines[row]);
    const text::Masked masked =
        text::masked(tokens, batch.labels[row], vocabulary, options, random);
    std::ranges::copy(masked.tokens, first);
    for (const std::int32_t place : masked.places) {
      places.push_back(static_cast<std::int32_t>(begin) + place);
    }
    wanted.insert(wanted.end(), masked.wanted.begin(), masked.wanted.end());
  }
  const auto count = static_cast<std::int64_t>(places.size());
  return {models::sequences(shown), Ids::of({count}, places), Ids::of({count}, wanted)};
}

std::vector<MaskedScore> masked_scores(const models::MaskedModel& model,
                                       std::span<const text::TokenPair> lines,
                                       const MaskedOptions& options, text::Token mask) {
  const NoGradient values_only;
  const text::Token vocabulary = model.vocabulary();
  std::vector<MaskedScore> scores;
  for (const text::PairBatch& batch : text::pair_batches(lines, {.tokens = options.batch_tokens})) {
    const MaskedBatch masked =
        masked_batch(batch, kScoringEpoch, vocabulary, options.masking(mask));
    const std::size_t first = scores.size();
    for (const std::uint64_t line : batch.lines) scores.push_back({.line = line});
    if (masked.wanted.size() == 0) continue;
    const Variable logits = model(masked.text, masked.places);
    const Tensor losses =
        cross_entropy(logits, masked.wanted, {.reduction = Reduction::none}).value();
    for (std::int64_t i = 0; i < masked.wanted.size(); ++i) {
      const std::int64_t row = masked.places.at({i}) / masked.text.ids.size(1);
      MaskedScore& score = scores[first + static_cast<std::size_t>(row)];
      const std::vector<Real> guesses = logits.value().select(0, i).values();
      const auto best = std::ranges::max_element(guesses) - guesses.begin();
      score.loss += require_probability(losses.at({i}), "the hidden word of line", score.line);
      score.right += best == masked.wanted.at({i}) ? 1 : 0;
      score.masks += 1;
    }
  }
  return scores;
}

}  // namespace heed::pipeline
