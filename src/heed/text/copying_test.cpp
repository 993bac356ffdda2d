// SPDX-License-Identifier: Apache-2.0
// Source tokens as target tokens, in one vocabulary and in two.
#include "heed/text/copying.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/text/documents.h"
#include "heed/text/pair_encoder.h"

namespace heed::text {
namespace {

std::unique_ptr<Tokeniser> words(std::vector<std::string> lines) {
  return train_tokeniser({.kind = TokeniserKind::words, .size = 100}, lines);
}

TEST(Copier, GivesWordsOfBothVocabulariesTheTargetsToken) {
  const auto source = words({"Paris is big", "is big"});
  const auto target = words({"Paris est grand", "est grand"});
  const CopiedSource copied = Copier(*source, *target).source(source->encode("Paris is big"));
  EXPECT_EQ(copied.tokens[0], target->find("Paris"));
  // "is" and "big" are words of the source alone: the sentence's own, numbered after the target's.
  EXPECT_EQ(copied.tokens[1], target->size());
  EXPECT_EQ(copied.tokens[2], target->size() + 1);
  EXPECT_EQ(copied.own, (std::vector<std::string>{"is", "big"}));
}

TEST(Copier, NumbersUnknownWordsByTheirTextWithinASentence) {
  const auto tokeniser = words({"sees and sees"});
  const Copier copier(*tokeniser, *tokeniser);
  const Encoding line = tokeniser->encode("Zorva sees Mulk and Zorva");
  const CopiedSource copied = copier.source(line);
  const Token size = tokeniser->size();
  EXPECT_EQ(copied.tokens,
            (Tokens{size, tokeniser->find("sees"), size + 1, tokeniser->find("and"), size}));
  EXPECT_EQ(copied.own, (std::vector<std::string>{"Zorva", "Mulk"}));
  const Tokens target = copier.target(tokeniser->encode("Mulk sees Nobody"), copied);
  EXPECT_EQ(target, (Tokens{size + 1, tokeniser->find("sees"), kUnknown}));
  EXPECT_EQ(tokeniser->decode(target, copied.own).text, "Mulk sees ⁇");
}

TEST(Copier, FindsAWordTheSourceDoesNotKnowInTheTargetsVocabulary) {
  const auto source = words({"a b"});
  const auto target = words({"a c"});
  const CopiedSource copied = Copier(*source, *target).source(source->encode("c"));
  EXPECT_EQ(copied.tokens, Tokens{target->find("c")});
  EXPECT_TRUE(copied.own.empty());
}

TEST(Copier, RefusesSubwordsOfTwoVocabularies) {
  const std::vector<std::string> lines(20, "some words to learn pieces from, here and there");
  const TokeniserOptions options{.kind = TokeniserKind::unigram, .size = 30};
  const auto one = train_tokeniser(options, lines);
  const auto other = train_tokeniser(options, lines);
  EXPECT_THROW(Copier(*one, *other), UsageError);
  const Encoding line = one->encode("some words");
  EXPECT_EQ(Copier(*one, *one).source(line).tokens, line.tokens);
}

TEST(PairEncoder, MakesUnknownWhatACropTookFromTheSource) {
  const auto tokeniser = words({"a b c"});
  const PairEncoder encode{.source = tokeniser.get(),
                           .target = tokeniser.get(),
                           .limit = {.max_length = 2, .too_long = TooLong::crop},
                           .copier = std::make_shared<Copier>(*tokeniser, *tokeniser)};
  const TokenPair pair =
      encode({.source = "Uno a Dos", .target = "Dos Uno", .line = 1}).pairs.front();
  const Token size = tokeniser->size();
  EXPECT_EQ(pair.copies, (Tokens{size, tokeniser->find("a"), kEnd}));
  EXPECT_EQ(pair.target, (Tokens{kUnknown, size, kEnd}));
}

TEST(PreviousSentences, StayWithinTheDocumentNearestFirst) {
  // Sentences 0 1 2 | 3 4, asked for in another order.
  const std::vector<std::uint64_t> documents = {1, 1, 1, 5, 5};
  const std::vector<std::size_t> places = {4, 2, 0};
  const Previous found =
      previous_sentences(places, 2, [&](std::size_t place) { return documents[place]; });
  EXPECT_EQ(found.places, (std::vector<std::size_t>{3, 1, 0}));
  EXPECT_EQ(found.rows, (std::vector<std::int32_t>{0, -1, 1, 2, -1, -1}));
}

}  // namespace
}  // namespace heed::text
