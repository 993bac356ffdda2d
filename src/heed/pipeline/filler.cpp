// SPDX-License-Identifier: Apache-2.0
// Marks become hidden tokens, and their logits words.
#include "heed/pipeline/filler.h"

#include <algorithm>
#include <numeric>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/pipeline/masked_options.h"

namespace heed::pipeline {
namespace {

std::vector<Guess> best_of(const std::vector<Real>& shares, std::size_t count,
                           const text::Tokeniser& tokeniser) {
  std::vector<text::Token> order(shares.size());
  std::iota(order.begin(), order.end(), text::Token{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](text::Token token) {
    return shares[static_cast<std::size_t>(token)];
  });
  std::vector<Guess> guesses;
  for (const text::Token token : order) {
    if (guesses.size() == count) break;
    if (token < text::kFirstPiece) continue;
    const text::Token one[] = {token};
    const std::string word(trim(tokeniser.decode(one).text));
    guesses.push_back(
        {word.empty() ? tokeniser.piece(token) : word, shares[static_cast<std::size_t>(token)]});
  }
  return guesses;
}

}  // namespace

Filler::Filler(const std::filesystem::path& path) {
  const ModelFolder folder{path};
  folder.check(kMaskedTask);
  MaskedOptions options;
  options.list.read_toml(folder.config());
  tokeniser_ = text::load_tokeniser(folder.tokeniser());
  Random random(0);
  const auto model =
      std::make_shared<models::MaskedModel>(options.wish(tokeniser_->size()), random);
  nn::Parameters parameters = nn::parameters(*model);
  folder.load_weights(parameters);
  model_ = model;
}

std::vector<std::vector<Guess>> Filler::fill(std::string_view text, std::size_t count) const {
  text::Tokens tokens;
  std::vector<std::int32_t> places;
  for (std::size_t at = 0;;) {
    const std::size_t mark = text.find(kMaskMark, at);
    const text::Tokens part = tokeniser_->encode(text.substr(at, mark - at)).tokens;
    tokens.insert(tokens.end(), part.begin(), part.end());
    if (mark == text.npos) break;
    places.push_back(static_cast<std::int32_t>(tokens.size()));
    tokens.push_back(text::kUnknown);
    at = mark + kMaskMark.size();
  }
  if (places.empty()) {
    throw UsageError("fill: there is nothing to guess in \"{}\"; write {} where a word is missing",
                     shorten(text, 40), kMaskMark);
  }
  tokens.push_back(text::kEnd);
  const NoGradient values_only;
  const Variable logits = (*model_)(models::sequences(text::pad_rows(std::span(&tokens, 1))),
                                    Ids::of({static_cast<std::int64_t>(places.size())}, places));
  std::vector<std::vector<Guess>> all;
  for (std::size_t i = 0; i < places.size(); ++i) {
    all.push_back(best_of(softmax(logits).value().select(0, static_cast<std::int64_t>(i)).values(),
                          count, *tokeniser_));
  }
  return all;
}

}  // namespace heed::pipeline
