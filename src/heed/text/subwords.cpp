// SPDX-License-Identifier: Apache-2.0
// Subwords by SentencePiece.
#include "heed/text/subwords.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <unordered_map>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/threads.h"
#include "heed/text/subword_model.h"
#include "heed/text/unicode.h"
#include "heed/text/vocabulary.h"
#include "heed/text/white_space.h"

namespace heed::text {
namespace {

namespace sp = sentencepiece;

// SentencePiece takes some hundred bytes for each of a line: one of 10 MB would take gigabytes.
constexpr std::size_t kMostEncodedBytes = std::size_t{1} << 16;
// Its trainer counts the characters of a word with 16 bits, and ends the program where these do not
// do. Normalised, three bytes become 18 characters at most (U+FDFA), so that such a part fits.
constexpr std::size_t kMostLearntBytes = std::size_t{1} << 13;
// Of a longer line only every n-th part is learnt from, so that no line takes long: a unigram model
// of one word of 10 MB took 15 s.
constexpr std::size_t kMostLearntOfALine = std::size_t{1} << 22;

// The beginning of a line, at most so many bytes of it. Pieces do not cross spaces, so that a
// longer line is cut before one, or within a word that is longer still.
std::string_view first_part(std::string_view line, std::size_t most) {
  if (line.size() <= most) return line;
  const std::size_t space = line.substr(0, most).rfind(' ');
  if (space != line.npos && space > 0) return line.substr(0, space);
  const auto within_character = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
  };
  std::size_t end = most;
  while (within_character(line[end])) --end;
  return line.substr(0, end);
}

class Subwords : public Tokeniser {
 public:
  Subwords(std::string bytes, const std::string& name)
      : bytes_(std::move(bytes)), kind_(check_subword_model(bytes_, name)) {
    load(name);
    const std::array<int, kFirstPiece> found = {model_.pad_id(), model_.unk_id(), model_.bos_id(),
                                                model_.eos_id()};
    if (found != std::array{kPadding, kUnknown, kBegin, kEnd}) {
      throw DataError(
          "{}: padding, unknown, begin and end are tokens {} and must be 0, 1, 2, 3; train the "
          "model with --pad_id=0 --unk_id=1 --bos_id=2 --eos_id=3",
          name, fmt::join(found, ", "));
    }
  }

  TokeniserKind kind() const override { return kind_; }
  Token size() const override { return model_.GetPieceSize(); }

  Encoding encode(std::string_view line) const override {
    require_utf8(line);
    Encoding result;
    std::vector<ByteSpan> spans;
    for (std::size_t begin = 0; begin < line.size();) {
      const std::string_view part = first_part(line.substr(begin), kMostEncodedBytes);
      sp::ImmutableSentencePieceText pieces;
      require(model_.Encode(part, pieces.mutable_proto()));
      for (std::size_t i = 0; i < pieces.pieces_size(); ++i) {
        const auto piece = pieces.pieces(static_cast<int>(i));
        result.tokens.push_back(static_cast<Token>(piece.id()));
        const ByteSpan span = inside(piece.begin(), piece.end(), part.size());
        spans.push_back({begin + span.begin, begin + span.end});
      }
      begin += part.size();
    }
    result.words = words_at(line, spans);
    return result;
  }

  Decoding decode(std::span<const Token> tokens, std::span<const std::string>) const override {
    for (const Token token : tokens) require_token(token, size());
    sp::ImmutableSentencePieceText pieces;
    require(model_.Decode(std::vector<int>(tokens.begin(), tokens.end()), pieces.mutable_proto()));
    Decoding result{.text = pieces.text(), .words = {}};
    std::vector<ByteSpan> spans;
    for (std::size_t i = 0; i < pieces.pieces_size(); ++i) {
      const auto piece = pieces.pieces(static_cast<int>(i));
      spans.push_back(inside(piece.begin(), piece.end(), result.text.size()));
    }
    result.words = words_at(result.text, spans);
    return result;
  }

  std::string piece(Token token) const override {
    require_token(token, size());
    return token < kFirstPiece ? std::string(special_piece(token)) : model_.IdToPiece(token);
  }
  Token find(std::string_view piece) const override {
    for (Token token = 0; token < kFirstPiece; ++token) {
      if (piece == special_piece(token)) return token;
    }
    return model_.PieceToId(piece);
  }
  void save(const std::filesystem::path& path) const override { write_atomically(path, bytes_); }

 private:
  void load(const std::string& name) {
    std::string problem;
    try {
      const sp::util::Status status = model_.LoadFromSerializedProto(bytes_);
      if (status.ok()) return;
      problem = status.ToString();
    } catch (const std::exception& error) {
      problem = error.what();
    }
    throw DataError("{}: SentencePiece refuses the model: {}; train or copy it again", name,
                    problem);
  }

  static void require(const sp::util::Status& status) {
    if (!status.ok()) throw DataError("SentencePiece refuses the text: {}", status.ToString());
  }
  static ByteSpan inside(std::size_t begin, std::size_t end, std::size_t size) {
    end = std::min(end, size);
    return {std::min(begin, end), end};
  }

  std::string bytes_;
  TokeniserKind kind_;
  sp::SentencePieceProcessor model_;
};

// SentencePiece marks spaces with ▁ and unknown characters with ▅. It would leave out lines that
// hold the second, and end the program when no line is left to learn from.
std::string without_reserved(std::string_view line) {
  return spaced(spaced(line, "\u2581"), "\u2585");
}

// Whether something is left when SentencePiece has normalised the line: invisible characters may
// vanish, and U+FFFD becomes a space.
bool has_text(std::string_view line) {
  for (std::size_t at = 0; at < line.size();) {
    const char32_t character = next_code_point(line, at);
    if (!is_invisible(character) && character != U'\uFFFD') return true;
  }
  return false;
}

// The lines to learn from, long ones in parts.
class Lines : public sp::SentenceIterator {
 public:
  explicit Lines(std::span<const std::string> lines) : lines_(lines) { advance(); }
  bool done() const override { return part_.empty(); }
  void Next() override { advance(); }
  const std::string& value() const override { return part_; }
  sp::util::Status status() const override { return {}; }

 private:
  void advance() {
    begin_ += part_.size();
    for (std::size_t i = 1; i < every_; ++i) begin_ += next_part().size();
    while (begin_ == line_.size() && at_ < lines_.size()) {
      line_ = without_reserved(lines_[at_++]);
      begin_ = 0;
      every_ = 1 + line_.size() / kMostLearntOfALine;
    }
    part_ = next_part();
  }
  std::string_view next_part() const {
    return first_part(std::string_view(line_).substr(begin_), kMostLearntBytes);
  }

  std::span<const std::string> lines_;
  std::size_t at_ = 0;  // of the next line
  std::string line_;
  std::size_t begin_ = 0;  // of the part in the line
  std::size_t every_ = 1;  // part of the line is learnt from
  std::string part_;
};

std::unordered_map<std::string, std::string> settings(const TokeniserOptions& options) {
  const int threads = options.threads > 0 ? options.threads : heed::threads();
  return {{"model_type", std::string(name_of(options.kind))},
          {"vocab_size", fmt::to_string(options.size)},
          {"pad_id", fmt::to_string(kPadding)},
          {"unk_id", fmt::to_string(kUnknown)},
          {"bos_id", fmt::to_string(kBegin)},
          {"eos_id", fmt::to_string(kEnd)},
          {"pad_piece", std::string(special_piece(kPadding))},
          {"unk_surface", std::string(kUnknownText)},
          {"normalization_rule_name", options.lower_case ? "nmt_nfkc_cf" : "nmt_nfkc"},
          {"character_coverage", fmt::to_string(options.coverage)},
          {"num_threads", fmt::to_string(threads)},
          // Small corpora give what they have.
          {"hard_vocab_limit", "false"},
          // Its own limit would leave out longer parts without a word.
          {"max_sentence_length", fmt::to_string(kMostLearntBytes + 1)},
          {"minloglevel", "3"}};
}

constexpr std::string_view kSizeOption = "--vocabulary-size (of heed vocabulary: --size)";

// SentencePiece's "Internal: ./src/trainer_interface.cc(580) [...] Vocabulary size is smaller than
// required_chars. 30 vs 46. ..." in the words of this program; of what else it may say, the words.
std::string problem_of(std::string_view said) {
  constexpr std::string_view kTooSmall = "smaller than required_chars";
  constexpr std::string_view kBefore = " vs ";
  if (const std::size_t at = said.find(kTooSmall); at != said.npos) {
    const std::size_t number = said.find(kBefore, at);
    int least = 0;
    if (number != said.npos) {
      const char* const digits = said.data() + number + kBefore.size();
      std::from_chars(digits, said.data() + said.size(), least);
    }
    return fmt::format(
        "their characters and the special tokens alone take {}; raise {}{}, or "
        "leave rare characters out with a lower --coverage",
        least > 0 ? fmt::to_string(least) : "more", kSizeOption,
        least > 0 ? fmt::format(" to {}", least) : "");
  }
  const std::size_t condition = said.rfind("] ");
  return fmt::format("SentencePiece says \"{}\"; change {}, or give more text",
                     condition == said.npos ? said : said.substr(condition + 2), kSizeOption);
}

}  // namespace

std::unique_ptr<Tokeniser> train_subwords(const TokeniserOptions& options,
                                          std::span<const std::string> lines) {
  if (options.coverage < 0.98 || options.coverage > 1) {
    throw UsageError("--coverage is {}: it takes a share from 0.98 to 1", options.coverage);
  }
  bool text = false;
  for (const std::string& line : lines) {
    require_utf8(line);
    text = text || has_text(without_reserved(line));
  }
  if (!text) throw UsageError("a vocabulary needs text: the lines it shall be made of are empty");
  Lines iterator(lines);
  std::string bytes;
  std::string problem;
  try {
    const sp::util::Status status =
        sp::SentencePieceTrainer::Train(settings(options), &iterator, &bytes);
    if (!status.ok()) problem = status.ToString();
  } catch (const std::exception& error) {
    problem = error.what();
  }
  if (!problem.empty()) {
    throw UsageError("a {} vocabulary of {} cannot be made of these lines: {}",
                     name_of(options.kind), options.size, problem_of(problem));
  }
  malloc_trim(0);  // what the trainer has freed in small pieces would stay with the process
  return subwords_tokeniser(std::move(bytes), "the new vocabulary");
}

std::unique_ptr<Tokeniser> subwords_tokeniser(std::string bytes, const std::string& name) {
  return std::make_unique<Subwords>(std::move(bytes), name);
}

}  // namespace heed::text
