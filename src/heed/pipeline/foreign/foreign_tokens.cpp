// SPDX-License-Identifier: Apache-2.0
// The vocabulary of a folder: which of its files decide, and what its special tokens are.
#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/pipeline/foreign/import_plan.h"

namespace heed::pipeline {
namespace {

// What tokenizer_config.json says, where there is one.
struct TokenSettings {
  std::optional<ForeignConfig> config{};

  bool truth(const char* key, bool otherwise) const {
    return config ? config->truth(key, otherwise) : otherwise;
  }
  // The content of a special token: a text, or an object that has it.
  std::string content(const char* key) const {
    if (!config) return {};
    const auto found = config->find(key);
    if (!found) return {};
    return found->is_object() ? found->at("content").text() : found->text();
  }
};

// The parts of a tokenizer.json that say how text becomes pieces.
Json pieces_only(const Json& json, const std::string& name) {
  const JsonPlace place(json, name);
  Json::Object kept;
  for (const char* part : {"normalizer", "pre_tokenizer", "model", "decoder", "added_tokens"}) {
    if (const auto found = place.find(part)) kept.emplace_back(part, found->value());
  }
  return kept;
}

// The original number of a piece, by its content.
std::optional<text::Token> number_of(const JsonPlace& place, const std::string& content) {
  if (content.empty()) return std::nullopt;
  if (const auto added = place.find("added_tokens")) {
    for (std::size_t i = 0; i < added->list().size(); ++i) {
      const JsonPlace token = added->at(i);
      if (token.at("content").text() == content) {
        return static_cast<text::Token>(token.at("id").whole(0, 10'000'000));
      }
    }
  }
  const JsonPlace model = place.at("model");
  const auto numbers = model.find("numbers");
  const JsonPlace vocabulary = numbers ? *numbers : model.at("vocab");
  if (vocabulary.is_list()) {
    for (std::size_t i = 0; i < vocabulary.list().size(); ++i) {
      if (vocabulary.at(i).at(std::size_t{0}).text() == content) {
        return static_cast<text::Token>(i);
      }
    }
    return std::nullopt;
  }
  const auto found = vocabulary.find(content);
  if (!found) return std::nullopt;
  return static_cast<text::Token>(found->whole(0, 10'000'000));
}

// Every number that a piece or an added token has.
std::set<text::Token> written_numbers(const JsonPlace& place) {
  std::set<text::Token> numbers;
  if (const auto added = place.find("added_tokens")) {
    for (std::size_t i = 0; i < added->list().size(); ++i) {
      numbers.insert(static_cast<text::Token>(added->at(i).at("id").whole(0, 10'000'000)));
    }
  }
  const JsonPlace model = place.at("model");
  const auto own = model.find("numbers");
  const JsonPlace vocabulary = own ? *own : model.at("vocab");
  if (vocabulary.is_list()) {
    for (std::size_t i = 0; i < vocabulary.list().size(); ++i) {
      numbers.insert(static_cast<text::Token>(i));
    }
    return numbers;
  }
  for (const auto& [piece, number] : vocabulary.object()) {
    numbers.insert(
        static_cast<text::Token>(JsonPlace(number, vocabulary.place()).whole(0, 10'000'000)));
  }
  return numbers;
}

struct Read {
  Json tokenizer{};
  text::TextFrame frame{};
  std::string name{};  // of the file that says what the pieces are
};

Read read_files(const ForeignFolder& folder, const TokenSettings& settings, TokenSide side) {
  const auto path = [&](const char* file) { return (folder.path / file).string(); };
  const char* const pieces = side == TokenSide::source ? "source.spm" : "target.spm";
  if (folder.has(pieces) && folder.has("vocab.json")) {
    const bool apart = side == TokenSide::target && folder.has("target_vocab.json") &&
                       settings.truth("separate_vocabs", false);
    const char* const numbers = apart ? "target_vocab.json" : "vocab.json";
    return {text::parts_of_subwords(read_file(path(pieces)), path(pieces), read_file(path(numbers)),
                                    path(numbers)),
            {"", "</s>"},
            path(numbers)};
  }
  if (folder.has("tokenizer.json")) {
    const Json json = Json::parse(read_file(path("tokenizer.json")), path("tokenizer.json"));
    return {pieces_only(json, path("tokenizer.json")),
            text::text_frame(JsonPlace(json, path("tokenizer.json"))), path("tokenizer.json")};
  }
  if (folder.has("vocab.txt")) {
    return {text::parts_of_lines(read_file(path("vocab.txt")), path("vocab.txt"),
                                 settings.truth("do_lower_case", true)),
            {"[CLS]", "[SEP]"},
            path("vocab.txt")};
  }
  if (folder.has("vocab.json") && folder.has("merges.txt")) {
    return {text::parts_of_merges(read_file(path("vocab.json")), path("vocab.json"),
                                  read_file(path("merges.txt")), path("merges.txt"),
                                  settings.truth("add_prefix_space", false)),
            {settings.truth("add_bos_token", false) ? settings.content("bos_token") : "", ""},
            path("vocab.json")};
  }
  for (const char* file : {"tokenizer.model", "spiece.model"}) {
    if (!folder.has(file)) continue;
    return {text::parts_of_subwords(read_file(path(file)), path(file)),
            {settings.truth("add_bos_token", true) ? "<s>" : "",
             settings.truth("add_eos_token", false) ? "</s>" : ""},
            path(file)};
  }
  throw DataError(
      "{}: there is no vocabulary; it takes tokenizer.json, vocab.txt, vocab.json with merges.txt, "
      "tokenizer.model, spiece.model, or source.spm with target.spm and vocab.json",
      folder.path.string());
}

}  // namespace

ForeignTokens foreign_tokens(const ForeignFolder& folder, std::int64_t rows, TokenSide side) {
  TokenSettings settings;
  if (folder.has("tokenizer_config.json")) {
    settings.config.emplace(folder.path / "tokenizer_config.json");
  }
  Read read = read_files(folder, settings, side);
  const JsonPlace pieces(read.tokenizer, read.name);
  ForeignTokens tokens;
  tokens.frame = read.frame;
  const auto special = [&](const char* key, std::initializer_list<const char*> usual,
                           std::optional<std::int64_t> configured) -> std::optional<text::Token> {
    if (const auto found = number_of(pieces, settings.content(key))) return found;
    if (configured) return static_cast<text::Token>(*configured);
    for (const char* content : usual) {
      if (const auto found = number_of(pieces, content)) return found;
    }
    return std::nullopt;
  };
  const JsonPlace model = pieces.at("model");
  text::SpecialNumbers numbers;
  numbers.padding = special("pad_token", {"[PAD]", "<pad>"}, folder.token("pad_token_id"));
  numbers.begin = special("cls_token", {"[CLS]"}, {});
  if (!numbers.begin) numbers.begin = special("bos_token", {"<s>"}, folder.token("bos_token_id"));
  numbers.end = special("sep_token", {"[SEP]"}, {});
  if (!numbers.end) numbers.end = special("eos_token", {"</s>"}, folder.token("eos_token_id"));
  numbers.unknown = special("unk_token", {"[UNK]", "<unk>"}, {});
  if (const auto unknown = model.find("unk_token"); unknown && !numbers.unknown) {
    numbers.unknown = number_of(pieces, unknown->text());
  }
  numbers.mask = special("mask_token", {"[MASK]", "<mask>"}, {});
  tokens.written = written_numbers(pieces);
  tokens.vocabulary = {.tokenizer = std::move(read.tokenizer),
                       .rows = static_cast<text::Token>(rows),
                       .special = {}};
  number_tokens(tokens, numbers);
  // A file of its own that does not fit says so here, before anything is read or written.
  text::foreign_tokeniser(tokens.vocabulary, read.name);
  return tokens;
}

void number_tokens(ForeignTokens& tokens, const text::SpecialNumbers& special) {
  for (const auto& number : {special.padding, special.unknown, special.begin, special.end}) {
    if (number && (*number < 0 || *number >= tokens.vocabulary.rows)) {
      throw DataError(
          "a special token is number {}, and the model has {} rows: the files are of "
          "two models",
          *number, tokens.vocabulary.rows);
    }
  }
  tokens.vocabulary.special = special;
  tokens.numbers = text::Renumbering(tokens.vocabulary.rows, special);
}

}  // namespace heed::pipeline
