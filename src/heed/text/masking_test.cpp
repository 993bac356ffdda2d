// SPDX-License-Identifier: Apache-2.0
#include "heed/text/masking.h"

#include <gtest/gtest.h>

#include <numeric>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::text {
namespace {

constexpr Token kVocabulary = 1000;

// 200 pieces, two to a word, and the end.
struct Example {
  Tokens tokens = Tokens(200);
  std::vector<std::int32_t> words = std::vector<std::int32_t>(200);
  Example() {
    std::iota(tokens.begin(), tokens.end(), kFirstPiece);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::int32_t>(i / 2);
    tokens.push_back(kEnd);
    words.push_back(-1);
  }
};

TEST(Masking, Hides80Replaces10AndKeeps10OfEveryHundredOfTheTokensToGuess) {
  const Example example;
  double guessed = 0;
  double hidden = 0;
  double kept = 0;
  for (std::uint64_t line = 1; line <= 500; ++line) {
    Random random = masking_random({}, 0, line);
    const Masked result = masked(example.tokens, example.words, kVocabulary, {}, random);
    for (std::size_t i = 0; i < result.places.size(); ++i) {
      const auto place = static_cast<std::size_t>(result.places[i]);
      EXPECT_EQ(result.wanted[i], example.tokens[place]);
      EXPECT_NE(place, 200u) << "the end is never masked";
      ++guessed;
      hidden += result.tokens[place] == kUnknown;
      kept += result.tokens[place] == example.tokens[place];
    }
  }
  EXPECT_NEAR(guessed / (500 * 200), .15, .002);
  EXPECT_NEAR(hidden / guessed, .8, .015);
  EXPECT_NEAR(kept / guessed, .1, .015);
}

TEST(Masking, ChangesNothingElse) {
  const Example example;
  Random random(3);
  const Masked result = masked(example.tokens, example.words, kVocabulary, {}, random);
  Tokens restored = result.tokens;
  for (std::size_t i = 0; i < result.places.size(); ++i) {
    restored[static_cast<std::size_t>(result.places[i])] = result.wanted[i];
  }
  EXPECT_EQ(restored, example.tokens);
}

TEST(Masking, TakesAllTokensOfAWordWhenAsked) {
  const Example example;
  Random random(3);
  const Masked result =
      masked(example.tokens, example.words, kVocabulary, {.whole_words = true}, random);
  ASSERT_EQ(result.places.size() % 2, 0u);
  for (std::size_t i = 0; i < result.places.size(); i += 2) {
    EXPECT_EQ(result.places[i] % 2, 0);
    EXPECT_EQ(result.places[i + 1], result.places[i] + 1);
  }
}

TEST(Masking, TakesAtLeastOneTokenButNoneThatIsUnknown) {
  Random random(1);
  const Masked one = masked({kUnknown, 7, kEnd}, std::vector<std::int32_t>{0, 1, -1}, kVocabulary,
                            {.share = .01}, random);
  EXPECT_EQ(one.places, std::vector<std::int32_t>{1});
  const Masked none =
      masked({kUnknown, kEnd}, std::vector<std::int32_t>{0, -1}, kVocabulary, {}, random);
  EXPECT_TRUE(none.places.empty());
}

TEST(Masking, KeepsItsShareOnAverageHoweverShortTheText) {
  const Tokens tokens = {5, 6, 7, 8, 9, 10, 11, 12, 13, 14, kEnd};
  const std::vector<std::int32_t> words = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, -1};
  double guessed = 0;
  for (std::uint64_t line = 1; line <= 2000; ++line) {
    Random random = masking_random({}, 0, line);
    guessed += static_cast<double>(masked(tokens, words, kVocabulary, {}, random).places.size());
  }
  EXPECT_NEAR(guessed / (2000 * 10), .15, .005);  // one token or two
}

TEST(Masking, IsTheSameForALineAndAnEpochAndAnotherInTheNext) {
  const Example example;
  const auto places = [&](std::uint64_t epoch, std::uint64_t line) {
    Random random = masking_random({}, epoch, line);
    return masked(example.tokens, example.words, kVocabulary, {}, random).places;
  };
  EXPECT_EQ(places(2, 17), places(2, 17));
  EXPECT_NE(places(2, 17), places(3, 17));
  EXPECT_NE(places(2, 17), places(2, 18));
}

TEST(Masking, RefusesSharesThatMaskNothing) {
  const Example example;
  Random random(1);
  EXPECT_TRUE(test::message_of<UsageError>([&] {
                masked(example.tokens, example.words, kVocabulary, {.share = 0}, random);
              }).starts_with("masking: a share of 0"));
}

}  // namespace
}  // namespace heed::text
