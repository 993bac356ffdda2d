// SPDX-License-Identifier: Apache-2.0
// Normalises, cuts, finds pieces, renumbers; and joins them again.
#include "heed/text/foreign/foreign_tokeniser.h"

#include <array>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/text/foreign/added_tokens.h"
#include "heed/text/foreign/piece_join.h"
#include "heed/text/foreign/piece_model.h"
#include "heed/text/foreign/text_cuts.h"
#include "heed/text/foreign/text_steps.h"
#include "heed/text/unicode.h"
#include "heed/text/vocabulary.h"

namespace heed::text {
namespace {

constexpr std::string_view kMark = "{\"heed-tokeniser\":";
constexpr const char* kRoles[] = {"padding", "unknown", "begin", "end", "mask"};

// A member that may be missing, as null.
JsonPlace member(const JsonPlace& object, std::string_view name) {
  static const Json kNothing;
  const auto found = object.find(name);
  return found ? *found : JsonPlace(kNothing, fmt::format("{}: {}", object.place(), name));
}

template <typename Special>
auto roles(Special& special) {
  return std::array{&special.padding, &special.unknown, &special.begin, &special.end,
                    &special.mask};
}

class ForeignTokeniser final : public Tokeniser {
 public:
  ForeignTokeniser(ForeignVocabulary vocabulary, const std::string& name)
      : vocabulary_(std::move(vocabulary)) {
    const JsonPlace file(vocabulary_.tokenizer, name);
    steps_ = text_steps(member(file, "normalizer"));
    cuts_ = text_cuts(member(file, "pre_tokenizer"));
    model_ = piece_model(file.at("model"), cuts_.bytes);
    join_ = piece_join(member(file, "decoder"));
    added_ = added_tokens(member(file, "added_tokens"));
    if (const auto codes = file.find("language_codes")) language_codes_ = codes->truth();
    take_rows(file);
    for (std::optional<Token>* number : roles(vocabulary_.special)) {
      if (*number && (**number < 0 || **number >= vocabulary_.rows)) {
        throw DataError("{}: a special token has number {}; there are numbers up to {}", name,
                        **number, vocabulary_.rows - 1);
      }
    }
    numbers_ = Renumbering(vocabulary_.rows, vocabulary_.special);
  }

  TokeniserKind kind() const override { return model_->kind(); }
  Token size() const override { return numbers_.size(); }
  Token mask() const override {
    const auto& mask = vocabulary_.special.mask;
    return mask ? numbers_.token(*mask) : kUnknown;
  }
  Token original(Token token) const override {
    require_token(token, size());
    return numbers_.original(token);
  }

  Encoding encode(std::string_view line) const override { return encode(line, false); }
  Encoding encode_special(std::string_view line) const override { return encode(line, true); }

  Decoding decode(std::span<const Token> tokens, std::span<const std::string>) const override {
    std::vector<JoinedPiece> pieces;
    for (const Token token : tokens) {
      require_token(token, size());
      if (token == kUnknown) {
        pieces.push_back({kUnknownText, true});
      } else if (token < kFirstPiece || is_special(token)) {
        pieces.push_back({});
      } else {
        const std::string& piece = piece_of_row(numbers_.original(token));
        pieces.push_back({piece, is_added(token)});
      }
    }
    JoinedPieces joined = joined_pieces(join_, pieces);
    Decoding result{.text = std::move(joined.text), .words = {}};
    result.words = words_at(result.text, joined.spans);
    return result;
  }

  std::string piece(Token token) const override {
    require_token(token, size());
    if (token < kFirstPiece) return std::string(special_piece(token));
    const std::string& piece = piece_of_row(numbers_.original(token));
    return piece.empty() ? fmt::format("<row {}>", numbers_.original(token)) : piece;
  }
  Token find(std::string_view piece) const override {
    for (Token token = 0; token < kFirstPiece; ++token) {
      if (piece == special_piece(token)) return token;
    }
    for (const AddedToken& token : added_) {
      if (token.content == piece) return numbers_.token(token.number);
    }
    const Token number = model_->pieces().find(piece);
    return number == PieceTable::kNone ? kUnknown : numbers_.token(number);
  }

  void save(const std::filesystem::path& path) const override {
    Json::Object file = {{"heed-tokeniser", 1}, {"rows", vocabulary_.rows}};
    const auto numbers = roles(vocabulary_.special);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (*numbers[i]) file.emplace_back(kRoles[i], Json(**numbers[i]));
    }
    file.emplace_back("tokenizer", vocabulary_.tokenizer);
    write_atomically(path, Json(std::move(file)).text() + "\n");
  }

 private:
  // What of the added tokens is where.
  void take_rows(const JsonPlace& file) {
    rows_.resize(static_cast<std::size_t>(vocabulary_.rows));
    special_.resize(rows_.size());
    added_rows_.resize(rows_.size());
    if (model_->pieces().size() > vocabulary_.rows) {
      file.fail("a piece has number {}, and the model has {} rows", model_->pieces().size() - 1,
                vocabulary_.rows);
    }
    for (const AddedToken& token : added_) {
      if (token.number >= vocabulary_.rows) {
        file.fail("added token \"{}\" has number {}, and the model has {} rows", token.content,
                  token.number, vocabulary_.rows);
      }
      const auto row = static_cast<std::size_t>(token.number);
      rows_[row] = token.content;
      special_[row] = token.special;
      added_rows_[row] = true;
    }
  }
  bool is_special(Token token) const {
    const Token row = numbers_.original(token);
    return row >= 0 && special_[static_cast<std::size_t>(row)];
  }
  bool is_added(Token token) const {
    const Token row = numbers_.original(token);
    return row >= 0 && added_rows_[static_cast<std::size_t>(row)];
  }
  const std::string& piece_of_row(Token row) const {
    const std::string& added = rows_[static_cast<std::size_t>(row)];
    if (!added.empty() || row >= model_->pieces().size()) return added;
    return model_->pieces().piece(row);
  }

  Encoding encode(std::string_view line, bool special) const {
    require_utf8(line);
    if (line.size() > (std::size_t{1} << 31)) {
      throw UsageError("a line of {} bytes; a tokeniser reads 2 GiB at once", line.size());
    }
    std::vector<const AddedToken*> wanted;
    for (const AddedToken& token : added_) {
      if (special || (vocabulary_.special.mask && token.number == *vocabulary_.special.mask)) {
        wanted.push_back(&token);
      }
    }
    Encoding result;
    std::vector<ByteSpan> spans;
    std::size_t begin = 0;
    if (language_codes_) begin = take_language_code(line, result, spans);
    const std::string_view rest = line.substr(begin);
    for (const TextPart& part : parts_at(rest, wanted)) {
      const std::size_t offset = begin + part.span.begin;
      if (part.token != nullptr) {
        result.tokens.push_back(numbers_.token(part.token->number));
        spans.push_back({offset, begin + part.span.end});
      } else {
        add_pieces(rest.substr(part.span.begin, part.span.end - part.span.begin), offset, result,
                   spans);
      }
    }
    result.words = words_at(line, spans);
    return result;
  }

  void add_pieces(std::string_view text, std::size_t offset, Encoding& result,
                  std::vector<ByteSpan>& spans) const {
    CutText cut{.text = TracedText(text), .parts = {}};
    for (const TextStep& step : steps_) cut.text = step(cut.text);
    if (cut.text.size() == 0) return;
    cut.parts = {{0, cut.text.size()}};
    for (const TextCut& next : cuts_.cuts) cut = next(std::move(cut));
    std::vector<FoundPiece> found;
    for (const ByteSpan& part : cut.parts) {
      if (part.begin == part.end) continue;
      found.clear();
      model_->encode(std::string_view(cut.text.text()).substr(part.begin, part.end - part.begin),
                     found);
      for (const FoundPiece& piece : found) {
        result.tokens.push_back(numbers_.token(piece.number));
        const Origin origin =
            cut.text.origin(part.begin + piece.span.begin, part.begin + piece.span.end);
        spans.push_back({offset + origin.begin, offset + origin.end});
      }
    }
  }

  // Marian's ">>fr<<" in front is one piece, whatever the model would make of it.
  std::size_t take_language_code(std::string_view line, Encoding& result,
                                 std::vector<ByteSpan>& spans) const {
    if (!line.starts_with(">>")) return 0;
    const std::size_t close = line.find("<<");
    if (close == line.npos) return 0;
    const std::size_t end = close + 2;
    const Token number = model_->pieces().find(line.substr(0, end));
    result.tokens.push_back(number == PieceTable::kNone ? kUnknown : numbers_.token(number));
    spans.push_back({0, end});
    return end;
  }

  ForeignVocabulary vocabulary_;
  std::vector<TextStep> steps_;
  TextCuts cuts_;
  std::unique_ptr<PieceModel> model_;
  PieceJoin join_;
  std::vector<AddedToken> added_;
  std::vector<std::string> rows_;  // the content of added tokens, by original number
  std::vector<bool> special_, added_rows_;
  bool language_codes_ = false;
  Renumbering numbers_;
};

}  // namespace

std::unique_ptr<Tokeniser> foreign_tokeniser(ForeignVocabulary vocabulary,
                                             const std::string& name) {
  return std::make_unique<ForeignTokeniser>(std::move(vocabulary), name);
}

bool is_foreign_tokeniser(std::string_view bytes) {
  return bytes.starts_with(kMark);
}

std::unique_ptr<Tokeniser> parse_foreign_tokeniser(std::string_view bytes,
                                                   const std::string& name) {
  Json json = Json::parse(bytes, name);
  const JsonPlace file(json, name);
  file.at("heed-tokeniser").whole(1, 1);
  ForeignVocabulary vocabulary{
      .rows = static_cast<Token>(file.at("rows").whole(1, PieceTable::kMostPieces))};
  const auto numbers = roles(vocabulary.special);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto number = file.find(kRoles[i]);
    if (number) *numbers[i] = static_cast<Token>(number->whole(0, vocabulary.rows - 1));
  }
  file.at("tokenizer");
  for (auto& [key, value] : std::get<Json::Object>(json.value)) {
    if (key == "tokenizer") vocabulary.tokenizer = std::move(value);
  }
  return foreign_tokeniser(std::move(vocabulary), name);
}

}  // namespace heed::text
