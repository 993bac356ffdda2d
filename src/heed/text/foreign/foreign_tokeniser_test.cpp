// SPDX-License-Identifier: Apache-2.0
// Tokenisers from elsewhere, on vocabularies small enough to be checked by hand.
#include "heed/text/foreign/foreign_tokeniser.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"
#include "heed/text/foreign/cut_patterns.h"
#include "heed/text/foreign/piece_model.h"
#include "heed/text/foreign/vocabulary_files.h"

namespace heed::text {
namespace {

using test::message_of;

std::unique_ptr<Tokeniser> made_foreign(Json tokenizer, Token rows, const SpecialNumbers& special) {
  return foreign_tokeniser({.tokenizer = std::move(tokenizer), .rows = rows, .special = special},
                           "input");
}

std::vector<std::string> foreign_pieces(const Tokeniser& tokeniser, std::string_view text) {
  std::vector<std::string> pieces;
  for (const Token token : tokeniser.encode(text).tokens) pieces.push_back(tokeniser.piece(token));
  return pieces;
}

using Pieces = std::vector<std::string>;

// [PAD] 0, [UNK] 1, [CLS] 2, [SEP] 3, [MASK] 4, ...
constexpr std::string_view kWordPieces =
    "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nun\n##aff\n##able\nit\n'\ns\n.\n\u6771\ncafe\n";

std::unique_ptr<Tokeniser> wordpiece() {
  return made_foreign(parts_of_lines(kWordPieces, "vocab.txt", true), 14,
                      {.padding = 0, .unknown = 1, .begin = 2, .end = 3, .mask = 4});
}

TEST(ForeignWordPiece, TakesTheLongestPieceFromTheLeft) {
  const auto tokeniser = wordpiece();
  EXPECT_EQ(tokeniser->kind(), TokeniserKind::wordpiece);
  EXPECT_EQ(foreign_pieces(*tokeniser, "Unaffable  it's CAF\u00C9."),
            (Pieces{"un", "##aff", "##able", "it", "'", "s", "cafe", "."}));
  EXPECT_EQ(foreign_pieces(*tokeniser, "unaffX it"), (Pieces{"<unk>", "it"}));
  EXPECT_EQ(foreign_pieces(*tokeniser, "it\u6771it"), (Pieces{"it", "\u6771", "it"}));
}

TEST(ForeignWordPiece, KnowsTheWordOfEachPieceAndJoinsThemAgain) {
  const auto tokeniser = wordpiece();
  const Encoding encoding = tokeniser->encode("  unaffable it's.");
  EXPECT_EQ(encoding.words, (std::vector<int>{0, 0, 0, 1, 1, 1, 1}));
  const Decoding decoding = tokeniser->decode(encoding.tokens);
  EXPECT_EQ(decoding.text, "unaffable it's.");
  EXPECT_EQ(decoding.words, encoding.words);
}

TEST(ForeignWordPiece, LetsNoTextForgeASpecialTokenUnlessItIsAsked) {
  const auto tokeniser = wordpiece();
  for (const Token token : tokeniser->encode("it [SEP] it [PAD]").tokens) {
    EXPECT_NE(token, kEnd);
    EXPECT_NE(token, kPadding);
  }
  EXPECT_EQ(tokeniser->encode_special("it[SEP]it").tokens,
            (Tokens{tokeniser->find("it"), kEnd, tokeniser->find("it")}));
  // The mask is what is asked for, not an end.
  EXPECT_EQ(tokeniser->encode("it [MASK]").tokens,
            (Tokens{tokeniser->find("it"), tokeniser->mask()}));
}

constexpr const char* kLetters =
    R"({"a":0,"b":1,"c":2,"\u0120":3,"ab":4,"\u0120ab":5,"\u00c3":6,"\u00a9":7,"<|endoftext|>":8,"'":9,"s":10,"'s":11})";
constexpr const char* kMerges = "#version: 0.2\na b\n\u0120 ab\n' s\n";

std::unique_ptr<Tokeniser> byte_level() {
  return made_foreign(parts_of_merges(kLetters, "vocab.json", kMerges, "merges.txt", false), 12,
                      {.end = 8});
}

TEST(ForeignMerges, JoinThePairThatWasLearntFirst) {
  const auto tokeniser = byte_level();
  EXPECT_EQ(foreign_pieces(*tokeniser, "ab abc's"), (Pieces{"ab", "\u0120ab", "c", "'s"}));
  EXPECT_EQ(foreign_pieces(*tokeniser, "\u00E9"), (Pieces{"\u00C3", "\u00A9"}));
  EXPECT_EQ(tokeniser->encode("\u00E9 ab").words, (std::vector<int>{0, 0, 1}));
}

TEST(ForeignMerges, ComeBackToTheBytesTheyStandFor) {
  const auto tokeniser = byte_level();
  for (const char* text : {"ab abc's", "\u00E9 ab\u00E9", " ab"}) {
    EXPECT_EQ(tokeniser->decode(tokeniser->encode(text).tokens).text, text);
  }
  // Half a character is a sign until the other half is there.
  const Token half = tokeniser->find("\u00C3");
  EXPECT_EQ(tokeniser->decode(std::vector<Token>{half}).text, "\uFFFD");
}

TEST(ForeignMerges, ComeBackFromTheirFile) {
  const test::TemporaryFolder folder;
  const auto before = byte_level();
  before->save(folder / "tokeniser");
  const auto after = load_tokeniser(folder / "tokeniser");
  EXPECT_EQ(after->encode("ab abc's \u00E9").tokens, before->encode("ab abc's \u00E9").tokens);
  EXPECT_EQ(after->size(), before->size());
  EXPECT_EQ(after->original(kEnd), 8);
}

TEST(Renumbering, PutsTheFourFirstAndKeepsTheOrderOfTheRest) {
  const Renumbering numbers(5, {.padding = 4, .end = 0});
  EXPECT_EQ(numbers.size(), 7);  // unknown and begin are made up
  const std::vector<Token> originals = {4, Renumbering::kMadeUp, Renumbering::kMadeUp, 0, 1, 2, 3};
  for (Token token = 0; token < numbers.size(); ++token) {
    EXPECT_EQ(numbers.original(token), originals[static_cast<std::size_t>(token)]);
  }
  EXPECT_EQ(numbers.token(0), kEnd);
  EXPECT_EQ(numbers.token(1), kFirstPiece);
}

// The cuts of a text, with a bar between them.
std::string pattern_cuts(const CutPattern& pattern, std::string_view text) {
  std::string all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = pattern.end(text, at);
    all += (at > 0 ? "|" : "") + std::string(text.substr(at, end - at));
    at = end;
  }
  return all;
}

TEST(CutPattern, IsTheOneThatIsWritten) {
  EXPECT_EQ(pattern_cuts(kGpt2Cuts, "It's  12 o'clock!\n\n x"), "It|'s| | 12| o|'|clock|!|\n\n| x");
  const auto llama3 = known_pattern(
      R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)");
  ASSERT_TRUE(llama3);
  EXPECT_EQ(pattern_cuts(*llama3, "IT'S 12345 x->y;\n  z\n\n w"),
            "IT|'S| |123|45| x|->|y|;\n| | z|\n\n| w");
  EXPECT_FALSE(known_pattern(R"(\w+)"));
}

TEST(ForeignTokeniser, SaysWhatDoesNotFitAndWhere) {
  const auto refused = [](const std::string& tokenizer) {
    return message_of<DataError>([&] { made_foreign(Json::parse(tokenizer, "input"), 4, {}); });
  };
  EXPECT_EQ(refused(R"({"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b"]}})"),
            "input: model: merges: merge 1 joins \"a\" and \"b\", and \"b\" is no piece of the "
            "vocabulary");
  EXPECT_EQ(refused(R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 0}, "merges": []}})"),
            "input: model: vocab: \"a\" and \"b\" are both number 0; each piece takes its own");
  EXPECT_NE(refused(R"({"model": {"type": "Wishes"}})").find("Heed knows WordPiece, BPE"),
            std::string::npos);
  EXPECT_NE(refused(R"({"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "\\w+"},
                       "behavior": "Isolated"}, "model": {"type": "BPE", "vocab": {}, "merges": []}})")
                .find("runs no regular expression of a file"),
            std::string::npos);
  EXPECT_NE(refused(R"({"model": {"type": "BPE", "vocab": {"a": 9}, "merges": []}})")
                .find("number 9, and the model has 4 rows"),
            std::string::npos);
}

TEST(ForeignUnigram, TakesTheLikeliestPiecesAndSpellsOthersByBytes) {
  const auto tokeniser =
      made_foreign(Json::parse(R"({"normalizer": {"type": "SentencePiece", "add_dummy_prefix": true,
                                     "remove_extra_whitespaces": true},
                      "decoder": {"type": "Metaspace", "replacement": "▁"},
                      "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["▁", -2],
                        ["a", -3], ["b", -3], ["▁a", -4], ["ab", -3.5], ["▁ab", -9]]}})",
                               "input"),
                   7, {.unknown = 0});
  EXPECT_EQ(foreign_pieces(*tokeniser, " ab  a"), (Pieces{"\u2581", "ab", "\u2581a"}));
  EXPECT_EQ(foreign_pieces(*tokeniser, "a??b"), (Pieces{"\u2581a", "<unk>", "b"}));
  EXPECT_EQ(tokeniser->decode(tokeniser->encode("ab a").tokens).text, "ab a");
  EXPECT_EQ(tokeniser->encode("ab a").words, (std::vector<int>{0, 0, 1}));
}

TEST(TextFrame, IsWhatATemplatePutsAroundAText) {
  const Json json = Json::parse(
      R"({"post_processor": {"type": "Sequence", "processors": [{"type": "ByteLevel"},
        {"type": "TemplateProcessing", "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}}]}]}})",
      "input");
  const TextFrame frame = text_frame(JsonPlace(json, "input"));
  EXPECT_EQ(frame.begin, "<s>");
  EXPECT_EQ(frame.end, "");
}

}  // namespace
}  // namespace heed::text
