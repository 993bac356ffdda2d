// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/surface.h"

#include <gtest/gtest.h>

#include "heed/base/text.h"
#include "heed/text/labelled.h"

namespace heed::pipeline {
namespace {

using text::TokeniserKind;

std::unique_ptr<text::Tokeniser> learnt(const text::TokeniserOptions& options,
                                        const std::string& line) {
  const std::vector<std::string> lines(20, line);
  return text::train_tokeniser(options, lines);
}

std::string surface(const text::Tokeniser& tokeniser, const std::string& line) {
  return join(surface_pieces(tokeniser, line, tokeniser.encode(line)), " ");
}

TEST(SurfacePieces, ShowUnknownWordsAsTheyWereWrittenWithAMark) {
  const auto words = learnt({.kind = TokeniserKind::words}, "I sleep , well .");
  EXPECT_EQ(surface(*words, "I love sleep, well."), "I love(?) sleep , well .");
  EXPECT_EQ(surface(*words, "Love, Émile."), "Love(?) , Émile(?) .");
  EXPECT_EQ(surface(*words, "I sleep."), "I sleep .");
  EXPECT_EQ(surface(*words, ""), "");
}

TEST(SurfacePieces, KeepTheCaseThatTheTokeniserTookAway) {
  const auto words = learnt({.kind = TokeniserKind::words, .lower_case = true}, "i sleep well .");
  EXPECT_EQ(surface(*words, "I SLEEP Well."), "I SLEEP Well .");
  EXPECT_EQ(surface(*words, "I LOVE it."), "I LOVE(?) it(?) .");
}

TEST(SurfacePieces, LayCharactersAndSubwordsAlongTheWord) {
  const auto letters = learnt({.kind = TokeniserKind::characters, .lower_case = true}, "abc");
  EXPECT_EQ(surface(*letters, "aBß"), "a B ß(?)");
  const auto pieces = learnt({.kind = TokeniserKind::bpe, .size = 30, .lower_case = true},
                             "the cat sleeps, the dog sleeps");
  const std::string line = "The CAT sleeps";
  std::string joined;
  for (const std::string& piece : surface_pieces(*pieces, line, pieces->encode(line))) {
    joined += piece;
  }
  EXPECT_EQ(joined, "▁The▁CAT▁sleeps");
  std::string unknown;
  for (const std::string& piece : surface_pieces(*pieces, "cats ЖЩ", pieces->encode("cats ЖЩ"))) {
    unknown += piece;
  }
  EXPECT_EQ(unknown, "▁cats▁ЖЩ(?)");
}

TEST(SurfacePieces, FollowTheSentencesOfADocument) {
  const auto words = learnt({.kind = TokeniserKind::words}, "it is good .");
  const std::string text = "It is good. Bad it is.";
  const text::Encoding encoding = text::encode_text(*words, text, text::TextShape::document);
  EXPECT_EQ(join(surface_pieces(*words, text, encoding), " "),
            "It(?) is good . </s> Bad(?) it is . </s>");
}

TEST(SurfacePieces, FollowTheLinesOfALongTextAndWhatWasWrittenAfterIt) {
  const auto words = learnt({.kind = TokeniserKind::words}, "it is good .");
  const text::Token it = words->find("it");
  const text::Token is = words->find("is");
  const auto shown = [&](const std::string& text, const text::Tokens& tokens) {
    return join(surface_of_lines(*words, text, tokens), " ");
  };
  EXPECT_EQ(shown("It is\nbad", {text::kEnd, text::kUnknown, is, text::kEnd, text::kUnknown, it}),
            "</s> It(?) is </s> bad(?) it");
  EXPECT_EQ(shown("It is", {text::kUnknown, is, text::kUnknown}), "It(?) is <unk>")
      << "what the model wrote is its own";
  EXPECT_EQ(shown("it is", {it}), "it") << "cut short";
  EXPECT_EQ(shown("it is", {is, it}), "is it") << "another text";
  EXPECT_EQ(shown("", {}), "");
}

}  // namespace
}  // namespace heed::pipeline
