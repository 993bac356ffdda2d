// SPDX-License-Identifier: Apache-2.0
// Where a text is cut, and where everything is after its parts were joined.
#include "heed/pipeline/translate/translation_parts.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/testing.h"
#include "heed/insight/trace/trace_document.h"

namespace heed::pipeline {
namespace {

std::shared_ptr<const text::Tokeniser> words() {
  const std::vector<std::string> lines = {"a b c d e . !", "猫 。"};
  return text::train_tokeniser({.kind = text::TokeniserKind::words, .size = 50}, lines);
}

std::vector<std::string> texts_of(const std::vector<TextPart>& parts) {
  std::vector<std::string> texts;
  for (const TextPart& part : parts) texts.push_back(part.text);
  return texts;
}

TEST(PartsOf, AreSentencesWithTheirPlacesInTheText) {
  const auto tokeniser = words();
  const auto parts = parts_of("  a b. c d e!  a.", *tokeniser, 100);
  EXPECT_EQ(texts_of(parts), (std::vector<std::string>{"a b.", "c d e!", "a."}));
  EXPECT_EQ(parts[1].first_word, 2);
  EXPECT_EQ(parts[2].first_word, 5);
  EXPECT_FALSE(parts[1].joined);
}

TEST(PartsOf, AreNotSeparatedWhereNoSpaceSeparatesThem) {
  const auto parts = parts_of("猫。猫。 a", *words(), 100);
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_TRUE(parts[1].joined);
  EXPECT_EQ(parts[1].first_word, 0) << "white space makes words";
  EXPECT_FALSE(parts[2].joined);
  EXPECT_EQ(parts[2].first_word, 1);
}

TEST(PartsOf, CutASentenceThatIsTooLongBetweenWordsIntoEqualPieces) {
  const auto tokeniser = words();
  EXPECT_EQ(texts_of(parts_of("a b c d e a b", *tokeniser, 3)),
            (std::vector<std::string>{"a b c", "d e a", "b"}));
  EXPECT_EQ(texts_of(parts_of("a b c d e a b c", *tokeniser, 6)),
            (std::vector<std::string>{"a b c d", "e a b c"}))
      << "no stump";
  EXPECT_EQ(parts_of("a b", *tokeniser, 2).size(), 1u);
}

// Two parts: "x y" from "a b." with links 0-0 1-1, "z" from "c." with 0-0.
std::vector<Translation> two_translations() {
  std::vector<Translation> parts(2);
  const auto fill = [](Translation& part, const std::string& text,
                       const std::vector<std::string>& source,
                       const std::vector<std::string>& target) {
    const auto rows = static_cast<std::int64_t>(target.size());
    const auto columns = static_cast<std::int64_t>(source.size());
    part.text = text;
    part.log_probability = part.score = -1;
    part.pieces = target;
    part.source_pieces = source;
    part.weights = Tensor::full({rows, columns}, 1);
    part.word_weights = Tensor::full({rows - 1, columns - 1}, 2);
    part.attentions = {{{.set = "cross"}, Tensor::full({2, rows, columns}, 3)}};
    part.trace.strips = {{.name = "source", .tokens = source, .words = {}},
                         {.name = "target", .tokens = target, .words = {}}};
    for (auto& strip : part.trace.strips) {
      for (std::size_t i = 0; i + 1 < strip.tokens.size(); ++i) {
        strip.words.push_back(static_cast<int>(i));
      }
      strip.words.push_back(-1);
    }
    part.trace.attentions = {{.kind = "cross",
                              .queries = "target",
                              .keys = "source",
                              .heads = {{.weights = Tensor::full({rows, columns}, .5F)}}}};
  };
  fill(parts[0], "x y", {"a", "b.", "</s>"}, {"x", "y", "</s>"});
  fill(parts[1], "z", {"c.", "</s>"}, {"z", "</s>"});
  parts[0].alignment = {{0, 0}, {1, 1}};
  parts[1].alignment = {{0, 0}};
  return parts;
}

TEST(Joined, MovesLinksWeightsAndTracesToTheirPlaces) {
  const std::vector<TextPart> parts = {{.text = "a b.", .first_word = 0},
                                       {.text = "c.", .first_word = 2}};
  std::vector<Translation> translations = two_translations();
  const Translation whole = joined(parts, translations, "a b. c.");
  EXPECT_EQ(whole.text, "x y z");
  EXPECT_EQ(whole.parts, 2u);
  EXPECT_EQ(whole.log_probability, -2);
  EXPECT_EQ(text::to_pharaoh(whole.alignment), "0-0 1-1 2-2");
  ASSERT_EQ(whole.weights.shape(), Shape({5, 5}));
  EXPECT_EQ(whole.weights.at({2, 2}), 1);
  EXPECT_EQ(whole.weights.at({3, 3}), 1);
  EXPECT_EQ(whole.weights.at({0, 3}), 0) << "the first part could not see the second";
  ASSERT_EQ(whole.word_weights.shape(), Shape({3, 3}));
  EXPECT_EQ(whole.word_weights.at({2, 2}), 2);
  EXPECT_EQ(whole.word_weights.at({2, 1}), 0);
  ASSERT_EQ(whole.attentions.front().weights.shape(), Shape({2, 5, 5}));
  EXPECT_EQ(whole.attentions.front().weights.at({1, 4, 4}), 3);
  EXPECT_TRUE(std::isnan(whole.attentions.front().weights.at({1, 4, 0})));
  EXPECT_EQ(whole.trace.title, "a b. c.");
  EXPECT_EQ(whole.trace.strips.at(0).words, (std::vector<int>{0, 1, -1, 2, -1}));
  EXPECT_EQ(whole.trace.strips.at(1).tokens,
            (std::vector<std::string>{"x", "y", "</s>", "z", "</s>"}));
  EXPECT_TRUE(std::isnan(whole.trace.attentions.at(0).heads.at(0).weights.at({0, 4})));
  EXPECT_NO_THROW(insight::check({.examples = {whole.trace}}));
}

TEST(Joined, SharesTheWordThatTwoPartsMakeTogether) {
  const std::vector<TextPart> parts = {{.text = "a b.", .first_word = 0},
                                       {.text = "c.", .first_word = 1, .joined = true}};
  std::vector<Translation> translations = two_translations();
  const Translation whole = joined(parts, translations, "");
  EXPECT_EQ(whole.text, "x yz");
  EXPECT_EQ(text::to_pharaoh(whole.alignment), "0-0 1-1") << "both are the second word";
  EXPECT_EQ(whole.word_weights.at({1, 1}), 4) << "added";
}

}  // namespace
}  // namespace heed::pipeline
