// SPDX-License-Identifier: Apache-2.0
// Joins pieces; byte-level ones first to bytes, then to what of them is UTF-8.
#include "heed/text/foreign/piece_join.h"

#include <algorithm>
#include <array>

#include "heed/base/text.h"
#include "heed/text/foreign/piece_model.h"
#include "heed/text/foreign/text_steps.h"
#include "heed/text/unicode.h"

namespace heed::text {
namespace {

constexpr std::string_view kReplacement = "\uFFFD";

// Bytes to text: what is no UTF-8 becomes a sign, and spans follow.
JoinedPieces as_utf8(const std::string& bytes, const std::vector<ByteSpan>& spans) {
  JoinedPieces made;
  if (invalid_utf8(bytes) == std::string_view::npos) return {bytes, spans};
  std::vector<std::size_t> places(bytes.size() + 1);
  for (std::size_t at = 0; at < bytes.size();) {
    const std::string_view rest = std::string_view(bytes).substr(at);
    const std::size_t bad = std::min(invalid_utf8(rest), rest.size());
    for (std::size_t i = 0; i < bad; ++i) places[at + i] = made.text.size() + i;
    made.text += rest.substr(0, bad);
    at += bad;
    if (at == bytes.size()) break;
    // One sign for a broken character: its first byte and what of it follows.
    const auto within = [&](std::size_t place) {
      return place < bytes.size() && (static_cast<unsigned char>(bytes[place]) & 0xC0) == 0x80;
    };
    const std::size_t broken = at;
    do {
      places[at++] = made.text.size();
    } while (within(at) && at < broken + 3);
    made.text += kReplacement;
  }
  places[bytes.size()] = made.text.size();
  for (const ByteSpan& span : spans) made.spans.push_back({places[span.begin], places[span.end]});
  return made;
}

JoinedPieces joined_bytes(std::span<const JoinedPiece> pieces) {
  std::string bytes;
  std::vector<ByteSpan> spans;
  for (const JoinedPiece& piece : pieces) {
    const std::size_t begin = bytes.size();
    for (std::size_t at = 0; at < piece.text.size();) {
      const std::size_t start = at;
      const int byte = byte_of(next_code_point(piece.text, at));
      if (piece.plain || byte < 0) {
        bytes += piece.text.substr(start, at - start);
      } else {
        bytes += static_cast<char>(byte);
      }
    }
    spans.push_back({begin, bytes.size()});
  }
  return as_utf8(bytes, spans);
}

JoinedPieces joined_marked(const PieceJoin& join, std::span<const JoinedPiece> pieces) {
  std::string bytes;
  std::vector<ByteSpan> spans;
  bool first = !join.first_space;
  for (const JoinedPiece& piece : pieces) {
    const std::size_t begin = bytes.size();
    if (const int byte = byte_of_piece(piece.text); byte >= 0) {
      bytes += static_cast<char>(byte);
      first = false;
    } else if (!piece.text.empty()) {
      std::string written = piece.plain ? std::string(piece.text) : spaced(piece.text, join.mark);
      if (first && !piece.plain && written.starts_with(' ')) written.erase(0, 1);
      bytes += written;
      first = false;
    }
    spans.push_back({begin, bytes.size()});
  }
  return as_utf8(bytes, spans);
}

bool is_one_of(std::string_view piece, std::span<const std::string_view> all) {
  return std::ranges::find(all, piece) != all.end();
}

// Signs that stand behind a word without a space, and the apostrophe, which stands without any.
JoinedPieces joined_words(const PieceJoin& join, std::span<const JoinedPiece> pieces) {
  static constexpr std::array<std::string_view, 9> kBehind = {".",  "?",   "!",   ",",  "'s",
                                                              "'m", "'re", "'ve", "n't"};
  JoinedPieces made;
  bool tight = true;  // whether no space goes before the next piece
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string_view piece = pieces[i].text;
    const bool continues = !pieces[i].plain && !join.prefix.empty() &&
                           piece.starts_with(join.prefix) && piece.size() > join.prefix.size();
    const std::string_view written = continues ? piece.substr(join.prefix.size()) : piece;
    const bool more = i + 1 < pieces.size() && !pieces[i + 1].text.empty();
    const bool apostrophe = join.tidy && piece == "'" && more && !made.text.empty();
    const bool behind = join.tidy && is_one_of(piece, kBehind);
    if (!written.empty() && !tight && !continues && !behind && !apostrophe) made.text += ' ';
    const std::size_t begin = made.text.size();
    made.text += written;
    if (!written.empty()) tight = apostrophe;
    made.spans.push_back({begin, made.text.size()});
  }
  return made;
}

void add_part(const JsonPlace& place, PieceJoin& join) {
  const std::string& type = place.at("type").text();
  if (type == "Replace") {
    const std::string& content = place.at("content").text();
    if (content != " ") place.fail("replaces a piece by \"{}\"; it takes a space", content);
    join.mark = plain_pattern(place.at("pattern"));
  } else if (type == "Strip") {
    if (place.at("content").text() != " ") place.fail("strips other than spaces");
    place.at("stop").whole(0, 0);
    join.first_space = place.at("start").whole(0, 1) == 0;
  } else if (type != "ByteFallback" && type != "Fuse") {
    place.fail("a decoder \"{}\"; a Sequence takes Replace, ByteFallback, Fuse and Strip", type);
  }
}

}  // namespace

PieceJoin piece_join(const JsonPlace& decoder) {
  PieceJoin join;
  join.first_space = true;
  if (decoder.is_null()) return join;
  const std::string& type = decoder.at("type").text();
  if (type == "WordPiece") {
    join.kind = PieceJoin::Kind::words;
    join.prefix = decoder.at("prefix").text();
    const auto tidy = decoder.find("cleanup");
    join.tidy = !tidy || tidy->truth();
  } else if (type == "ByteLevel") {
    join.kind = PieceJoin::Kind::bytes;
  } else if (type == "Metaspace") {
    join.mark = decoder.at("replacement").text();
    if (join.mark.empty()) decoder.fail("an empty replacement; it takes the mark of a space");
    const auto old = decoder.find("add_prefix_space");
    const auto scheme = decoder.find("prepend_scheme");
    join.first_space = scheme ? scheme->text() == "never" : old && !old->truth();
  } else if (type == "Sequence") {
    const JsonPlace parts = decoder.at("decoders");
    for (std::size_t i = 0; i < parts.list().size(); ++i) add_part(parts.at(i), join);
  } else {
    decoder.fail("a decoder \"{}\"; Heed knows WordPiece, ByteLevel, Metaspace and Sequence", type);
  }
  return join;
}

JoinedPieces joined_pieces(const PieceJoin& join, std::span<const JoinedPiece> pieces) {
  switch (join.kind) {
    case PieceJoin::Kind::words:
      return joined_words(join, pieces);
    case PieceJoin::Kind::bytes:
      return joined_bytes(pieces);
    case PieceJoin::Kind::marked:
      return joined_marked(join, pieces);
  }
  return {};
}

}  // namespace heed::text
