// SPDX-License-Identifier: Apache-2.0
// Marks become hidden tokens, and their logits words.
#include "heed/pipeline/masked/filler.h"

#include <algorithm>
#include <numeric>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/pipeline/masked/masked_options.h"
#include "heed/pipeline/probability.h"
#include "heed/pipeline/surface.h"
#include "heed/pipeline/text_bounds.h"
#include "heed/pipeline/tracing.h"
#include "heed/text/white_space.h"

namespace heed::pipeline {
namespace {

std::vector<Guess> best_of(const std::vector<Real>& shares, std::size_t count,
                           const text::Tokeniser& tokeniser) {
  for (std::size_t i = 0; i < shares.size(); ++i) require_probability(shares[i], "piece", i);
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
  folder.check("masked");
  folder.read_config(options_.list);
  tokeniser_ = text::load_tokeniser(folder.file(kTokeniserFile));
  Random random(0);
  const auto model = folder.made([&] {
    return std::make_shared<models::MaskedModel>(options_.to_options(tokeniser_->size()), random);
  });
  nn::Parameters parameters = nn::parameters(*model);
  folder.load_weights(parameters);
  trained_longest_ = folder.longest();
  model_ = model;
}

Filler::Gaps Filler::read(std::string_view text) const {
  if (std::string problem = text_problem(text); !problem.empty()) {
    throw BadText("text", 1, 0, std::move(problem));
  }
  Gaps gaps;
  if (options_.begin_token) {
    gaps.tokens.push_back(text::kBegin);
    gaps.pieces.push_back(tokeniser_->piece(text::kBegin));
    gaps.words.push_back(-1);
  }
  if (tokeniser_->mask() != text::kUnknown) {
    read_marked(text, gaps);
    return finished(std::move(gaps), text);
  }
  int words = 0;  // before this part
  for (std::size_t at = 0;;) {
    const std::size_t mark = text.find(kMaskMark, at);
    const std::string_view part = text.substr(at, mark - at);
    const text::Encoding encoding = tokeniser_->encode(part);
    const std::vector<std::string> pieces = surface_pieces(*tokeniser_, part, encoding);
    gaps.pieces.insert(gaps.pieces.end(), pieces.begin(), pieces.end());
    gaps.tokens.insert(gaps.tokens.end(), encoding.tokens.begin(), encoding.tokens.end());
    for (const int word : encoding.words) gaps.words.push_back(words + word);
    words += static_cast<int>(text::words_of(part).size());
    if (mark == text.npos) break;
    gaps.places.push_back(static_cast<std::int32_t>(gaps.tokens.size()));
    gaps.tokens.push_back(text::kUnknown);
    gaps.pieces.emplace_back(kMaskMark);
    gaps.words.push_back(words++);
    at = mark + kMaskMark.size();
  }
  return finished(std::move(gaps), text);
}

// The tokeniser knows its own mask, and what becomes of the spaces around it.
void Filler::read_marked(std::string_view text, Gaps& gaps) const {
  const std::string mask = tokeniser_->piece(tokeniser_->mask());
  std::string marked;
  for (std::size_t at = 0;;) {
    const std::size_t mark = text.find(kMaskMark, at);
    marked += text.substr(at, mark - at);
    if (mark == text.npos) break;
    marked += mask;
    at = mark + kMaskMark.size();
  }
  const text::Encoding encoding = tokeniser_->encode(marked);
  const std::vector<std::string> pieces = surface_pieces(*tokeniser_, marked, encoding);
  for (std::size_t i = 0; i < encoding.tokens.size(); ++i) {
    const bool gap = encoding.tokens[i] == tokeniser_->mask();
    if (gap) gaps.places.push_back(static_cast<std::int32_t>(gaps.tokens.size()));
    gaps.tokens.push_back(encoding.tokens[i]);
    gaps.pieces.push_back(gap ? std::string(kMaskMark) : pieces[i]);
    gaps.words.push_back(encoding.words[i]);
  }
}

Filler::Gaps Filler::finished(Gaps gaps, std::string_view text) const {
  if (gaps.places.empty()) {
    throw UsageError("there is nothing to guess in \"{}\"; write {} where a word is missing",
                     shorten(text, 40), kMaskMark);
  }
  gaps.tokens.push_back(text::kEnd);
  gaps.pieces.push_back(tokeniser_->piece(text::kEnd));
  gaps.words.push_back(-1);
  if (const PositionLimit room = options_.room(); !room.holds(gaps.tokens)) {
    throw UsageError("{}; {}", room.shortage(gaps.tokens), kReadingRemedy);
  }
  if (const std::int64_t most = longest_read(0, trained_longest_);
      static_cast<std::int64_t>(gaps.tokens.size()) > most + 1) {
    throw BadText("text", 1, 0, too_many_tokens(gaps.tokens.size() - 1, most, "shorten it"));
  }
  return gaps;
}

Variable Filler::logits(const Gaps& gaps, attention::Observer* watch) const {
  const NoGradient values_only;
  return (*model_)(models::sequences(text::pad_rows(std::span(&gaps.tokens, 1))),
                   Ids::of({static_cast<std::int64_t>(gaps.places.size())}, gaps.places),
                   {.watch = watch});
}

std::vector<std::vector<Guess>> Filler::fill(std::string_view text,
                                             const FillOptions& options) const {
  const Gaps gaps = read(text);
  const Tensor shares = softmax(logits(gaps, nullptr)).value();
  std::vector<std::vector<Guess>> all;
  for (std::size_t i = 0; i < gaps.places.size(); ++i) {
    all.push_back(best_of(shares.select(0, static_cast<std::int64_t>(i)).values(),
                          static_cast<std::size_t>(options.top), *tokeniser_));
  }
  return all;
}

std::vector<MaskedScore> Filler::score(std::span<const std::string> lines) const {
  const text::LineEncoder encode =
      within(options_.room(),
             masked_line_encoder(*tokeniser_, {options_.limit().max_length, text::TooLong::crop},
                                 "text", options_.shape()),
             "text", kReadingRemedy);
  std::vector<text::TokenPair> pairs;
  std::vector<MaskedScore> all;
  for (const std::string& line : lines) {
    all.push_back({.line = all.size() + 1});
    for (text::TokenPair& pair : encode({.source = line, .line = all.back().line}).pairs) {
      pairs.push_back(std::move(pair));
    }
  }
  for (const MaskedScore& score : masked_scores(*model_, pairs, options_, tokeniser_->mask())) {
    all[score.line - 1] = score;
  }
  return all;
}

insight::TracedExample Filler::trace(std::string_view text) const {
  Gaps gaps = read(text);
  attention::Trace left;
  logits(gaps, &left);
  insight::TracedExample example{.title = std::string(text)};
  example.strips.push_back(
      {.name = "text", .tokens = std::move(gaps.pieces), .words = std::move(gaps.words)});
  add_attentions(example, decoding::paths_of(left, 0));
  return example;
}

}  // namespace heed::pipeline
