// SPDX-License-Identifier: Apache-2.0
// A queue of pairs by rank, then place; pairs whose symbols have changed since are passed over.
#include "heed/text/foreign/merges.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "heed/text/unicode.h"

namespace heed::text {
namespace {

// Options that no family here sets: they would change pieces.
void refuse_affix(const JsonPlace& model, const char* name) {
  const auto found = model.find(name);
  if (found && !found->text().empty()) {
    found->fail("\"{}\"; it takes nothing: none of the families that Heed reads has one",
                found->text());
  }
}

}  // namespace

Merges::Merges(const JsonPlace& model, bool bytes) : bytes_(bytes) {
  refuse_affix(model, "continuing_subword_prefix");
  refuse_affix(model, "end_of_word_suffix");
  const JsonPlace vocabulary = model.at("vocab");
  for (const auto& [piece, number] : vocabulary.object()) {
    const JsonPlace place(number, vocabulary.place());
    pieces_.add(piece, place.whole(0, PieceTable::kMostPieces), place);
  }
  const auto flag = [&](const char* name) {
    const auto found = model.find(name);
    return found && found->truth();
  };
  byte_fallback_ = flag("byte_fallback");
  fuse_unknown_ = flag("fuse_unk");
  whole_first_ = flag("ignore_merges");
  if (const auto unknown = model.find("unk_token")) {
    unknown_ = pieces_.at(unknown->text(), *unknown);
  }
  for (int byte = 0; byte < 256; ++byte) {
    const auto one = static_cast<unsigned char>(byte);
    byte_pieces_[one] = pieces_.find(bytes ? letter_of(one) : byte_piece(one));
  }
  if (const auto scores = model.find("scores")) {
    read_scores(*scores);
  } else {
    read_merges(model.at("merges"));
  }
}

void Merges::read_merges(const JsonPlace& merges) {
  const Json::List& list = merges.list();
  merges_.reserve(list.size());
  std::string joined;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string_view left, right;
    if (const auto* text = std::get_if<std::string>(&list[i].value)) {
      const std::size_t space = text->find(' ');
      if (space == std::string::npos || text->find(' ', space + 1) != std::string::npos) {
        merges.fail("merge {}, \"{}\", is not two pieces with a space between them", i + 1, *text);
      }
      left = std::string_view(*text).substr(0, space);
      right = std::string_view(*text).substr(space + 1);
    } else {
      const JsonPlace pair = merges.at(i);
      if (pair.list().size() != 2) pair.fail("{} pieces; a merge takes two", pair.list().size());
      left = pair.at(0).text();
      right = pair.at(1).text();
    }
    joined.assign(left).append(right);
    const Token made = pieces_.find(joined);
    const Token first = pieces_.find(left);
    const Token second = pieces_.find(right);
    if (made == PieceTable::kNone || first == PieceTable::kNone || second == PieceTable::kNone) {
      merges.fail("merge {} joins \"{}\" and \"{}\", and \"{}\" is no piece of the vocabulary",
                  i + 1, left, right,
                  first == PieceTable::kNone    ? left
                  : second == PieceTable::kNone ? right
                                                : std::string_view(joined));
    }
    merges_.try_emplace(key(first, second), Merge{static_cast<std::uint32_t>(i), made});
  }
}

// Each way in which a piece is made of two others; equal scores are one rank, so that the leftmost
// pair is joined.
void Merges::read_scores(const JsonPlace& scores) {
  const Json::List& list = scores.list();
  if (list.size() != static_cast<std::size_t>(pieces_.size())) {
    scores.fail("{} scores of {} pieces; each takes one", list.size(), pieces_.size());
  }
  std::vector<std::pair<double, Token>> order;
  for (Token number = 0; number < pieces_.size(); ++number) {
    const Json& score = list[static_cast<std::size_t>(number)];
    if (std::holds_alternative<std::nullptr_t>(score.value)) continue;  // never joined
    order.emplace_back(-scores.at(static_cast<std::size_t>(number)).number(), number);
  }
  std::ranges::sort(order);
  std::uint32_t rank = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && order[i].first != order[i - 1].first) ++rank;
    const std::string_view piece = pieces_.piece(order[i].second);
    for (std::size_t at = 0; at < piece.size();) {
      next_code_point(piece, at);
      if (at == piece.size()) break;
      const Token left = pieces_.find(piece.substr(0, at));
      const Token right = pieces_.find(piece.substr(at));
      if (left == PieceTable::kNone || right == PieceTable::kNone) continue;
      merges_.try_emplace(key(left, right), Merge{rank, order[i].second});
    }
  }
}

void Merges::begin(std::string_view part, std::vector<FoundPiece>& symbols) const {
  if (bytes_) {
    for (std::size_t at = 0; at < part.size(); ++at) {
      const Token piece = byte_pieces_[static_cast<unsigned char>(part[at])];
      if (piece != PieceTable::kNone) {
        symbols.push_back({piece, {at, at + 1}});
      } else if (unknown_ != PieceTable::kNone) {
        symbols.push_back({unknown_, {at, at + 1}});
      }
    }
    return;
  }
  for (std::size_t at = 0; at < part.size();) {
    const std::size_t begin = at;
    next_code_point(part, at);
    const std::string_view character = part.substr(begin, at - begin);
    if (const Token piece = pieces_.find(character); piece != PieceTable::kNone) {
      symbols.push_back({piece, {begin, at}});
      continue;
    }
    const bool spelt = byte_fallback_ && std::ranges::all_of(character, [this](char byte) {
                         return byte_pieces_[static_cast<unsigned char>(byte)] != PieceTable::kNone;
                       });
    if (spelt) {
      for (const char byte : character) {
        symbols.push_back({byte_pieces_[static_cast<unsigned char>(byte)], {begin, at}});
      }
    } else if (unknown_ != PieceTable::kNone) {
      const bool fused = fuse_unknown_ && !symbols.empty() && symbols.back().number == unknown_;
      if (fused) {
        symbols.back().span.end = at;
      } else {
        symbols.push_back({unknown_, {begin, at}});
      }
    }
  }
}

void Merges::merge(std::vector<FoundPiece>& symbols) const {
  struct Pair {
    std::uint32_t rank;
    std::uint32_t left, right;  // places of the two
    Token first, second;        // what they were
    Token made;
    bool operator>(const Pair& other) const {
      return rank != other.rank ? rank > other.rank : left > other.left;
    }
  };
  constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  const auto count = static_cast<std::uint32_t>(symbols.size());
  std::vector<std::uint32_t> next(count), before(count);
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> queue;
  const auto look = [&](std::uint32_t left, std::uint32_t right) {
    const auto found = merges_.find(key(symbols[left].number, symbols[right].number));
    if (found == merges_.end()) return;
    queue.push({found->second.rank, left, right, symbols[left].number, symbols[right].number,
                found->second.made});
  };
  for (std::uint32_t i = 0; i < count; ++i) {
    next[i] = i + 1 < count ? i + 1 : kNowhere;
    before[i] = i > 0 ? i - 1 : kNowhere;
    if (i + 1 < count) look(i, i + 1);
  }
  while (!queue.empty()) {
    const Pair pair = queue.top();
    queue.pop();
    if (symbols[pair.left].number != pair.first || next[pair.left] != pair.right ||
        symbols[pair.right].number != pair.second) {
      continue;
    }
    symbols[pair.left].number = pair.made;
    symbols[pair.left].span.end = symbols[pair.right].span.end;
    symbols[pair.right].number = PieceTable::kNone;
    next[pair.left] = next[pair.right];
    if (next[pair.left] != kNowhere) before[next[pair.left]] = pair.left;
    if (before[pair.left] != kNowhere) look(before[pair.left], pair.left);
    if (next[pair.left] != kNowhere) look(pair.left, next[pair.left]);
  }
  std::erase_if(symbols, [](const FoundPiece& piece) { return piece.number == PieceTable::kNone; });
}

void Merges::encode(std::string_view part, std::vector<FoundPiece>& found) const {
  if (whole_first_) {
    std::string written;
    if (bytes_) {
      for (const char byte : part) written += letter_of(static_cast<unsigned char>(byte));
    }
    const Token whole = pieces_.find(bytes_ ? std::string_view(written) : part);
    if (whole != PieceTable::kNone) {
      found.push_back({whole, {0, part.size()}});
      return;
    }
  }
  std::vector<FoundPiece> symbols;
  symbols.reserve(part.size());
  begin(part, symbols);
  if (symbols.size() > 1) merge(symbols);
  found.insert(found.end(), symbols.begin(), symbols.end());
}

}  // namespace heed::text
