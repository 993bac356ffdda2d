// SPDX-License-Identifier: Apache-2.0
// Viterbi over the places of a text; a character that no piece covers costs ten more than the
// rarest piece, and unknown neighbours are one.
#include "heed/text/foreign/unigram.h"

#include <algorithm>
#include <limits>

#include "heed/text/unicode.h"

namespace heed::text {
namespace {

constexpr double kUnknownPenalty = 10;
constexpr Token kUncovered = -2;  // a character that no piece covers

}  // namespace

Unigram::Unigram(const JsonPlace& model) {
  const auto numbers = model.find("numbers");
  numbered_apart_ = numbers.has_value();
  if (numbers) {
    for (const auto& [piece, number] : numbers->object()) {
      const JsonPlace place(number, numbers->place());
      pieces_.add(piece, place.whole(0, PieceTable::kMostPieces), place);
    }
  }
  const JsonPlace vocabulary = model.at("vocab");
  const std::size_t count = vocabulary.list().size();
  if (count == 0) vocabulary.fail("no pieces");
  double least = std::numeric_limits<double>::infinity();
  sorted_.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    const JsonPlace entry = vocabulary.at(i);
    const std::string& piece = entry.at(0).text();
    const double score = entry.at(1).number();
    if (numbers) {
      const Token number = pieces_.find(piece);
      sorted_.push_back({piece, score, number});
    } else {
      pieces_.add(piece, static_cast<std::int64_t>(i), entry);
      sorted_.push_back({piece, score, static_cast<Token>(i)});
    }
    least = std::min(least, score);
  }
  unknown_score_ = least - kUnknownPenalty;
  unknown_ = static_cast<Token>(model.at("unk_id").whole(0, pieces_.size() - 1));
  if (const auto fallback = model.find("byte_fallback")) byte_fallback_ = fallback->truth();
  // What stands for no text of its own is never found in one.
  std::erase_if(sorted_, [&](const Scored& one) {
    return one.number == unknown_ || byte_of_piece(one.piece) >= 0;
  });
  for (Scored& one : sorted_) {
    if (one.number == PieceTable::kNone) one.number = unknown_;
  }
  std::ranges::sort(sorted_, {}, &Scored::piece);
  const auto same = std::ranges::adjacent_find(sorted_, {}, &Scored::piece);
  if (same != sorted_.end()) vocabulary.fail("piece \"{}\" is there twice", same->piece);
}

template <typename Take>
void Unigram::each_piece(std::string_view text, std::size_t at, const Take& take) const {
  auto first = sorted_.begin();
  auto last = sorted_.end();
  for (std::size_t length = 0; at + length < text.size() && first != last; ++length) {
    const auto byte = static_cast<unsigned char>(text[at + length]);
    const auto byte_at = [length](const Scored& one) {
      return length < one.piece.size() ? static_cast<unsigned char>(one.piece[length]) : -1;
    };
    first =
        std::partition_point(first, last, [&](const Scored& one) { return byte_at(one) < byte; });
    last =
        std::partition_point(first, last, [&](const Scored& one) { return byte_at(one) <= byte; });
    if (first != last && first->piece.size() == length + 1) take(*first);
  }
}

void Unigram::encode(std::string_view part, std::vector<FoundPiece>& found) const {
  struct Best {
    double score = -std::numeric_limits<double>::infinity();
    std::size_t from = 0;
    Token number = 0;
  };
  std::vector<Best> best(part.size() + 1);
  best[0].score = 0;
  for (std::size_t at = 0; at < part.size();) {
    std::size_t behind = at;
    next_code_point(part, behind);
    const double before = best[at].score;
    bool covered = false;
    const auto reach = [&](std::size_t end, double score, Token number) {
      covered = covered || end == behind;
      if (before + score > best[end].score) best[end] = {before + score, at, number};
    };
    each_piece(part, at,
               [&](const Scored& one) { reach(at + one.piece.size(), one.score, one.number); });
    if (!covered) reach(behind, unknown_score_, kUncovered);
    at = behind;
  }
  std::vector<FoundPiece> backwards;
  for (std::size_t end = part.size(); end > 0; end = best[end].from) {
    backwards.push_back({best[end].number, {best[end].from, end}});
  }
  bool goes_on = false;  // whether the piece before was uncovered as well
  for (auto piece = backwards.rbegin(); piece != backwards.rend(); ++piece) {
    const bool uncovered = piece->number == kUncovered;
    std::vector<Token> spelt;
    for (std::size_t at = piece->span.begin; uncovered && byte_fallback_ && at < piece->span.end;
         ++at) {
      spelt.push_back(pieces_.find(byte_piece(static_cast<unsigned char>(part[at]))));
    }
    if (!spelt.empty() && std::ranges::count(spelt, PieceTable::kNone) == 0) {
      for (const Token byte : spelt) found.push_back({byte, piece->span});
      goes_on = false;
      continue;
    }
    if (uncovered && goes_on) {
      found.back().span.end = piece->span.end;
    } else {
      found.push_back({uncovered ? unknown_ : piece->number, piece->span});
    }
    goes_on = uncovered;
    if (!uncovered || !numbered_apart_) continue;
    const ByteSpan& whole = found.back().span;
    const Token known = pieces_.find(part.substr(whole.begin, whole.end - whole.begin));
    found.back().number = known == PieceTable::kNone ? unknown_ : known;
  }
}

}  // namespace heed::text
