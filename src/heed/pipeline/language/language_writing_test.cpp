// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/language/language_writing.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/pipeline/language/language_options.h"

namespace heed::pipeline {
namespace {

LanguageGenerator untrained_writer(LanguageModelKind kind) {
  LanguageModelOptions options;
  options.model = kind;
  options.embedding = options.hidden = options.stack.width = 8;
  options.stack.heads = 2;
  options.stack.inner = 8;
  options.stack.layers = 1;
  options.stack.longest = 8;
  options.stack.positions = models::Positions::learned;
  const std::vector<std::string> lines = {"abc d"};
  TokeniserPointer tokeniser = text::train_tokeniser(
      {.kind = text::TokeniserKind::characters, .spaces = text::Spaces::kept}, lines);
  Random random(3);
  std::shared_ptr<models::LanguageModel> model =
      make_language_model(options, tokeniser->size(), random);
  return {tokeniser, model, text::LineEnds::token};
}

TEST(LanguageWriting, WritesInTurnsWhatEachWouldWriteAlone) {
  for (const LanguageModelKind kind : {LanguageModelKind::recurrent, LanguageModelKind::gpt}) {
    const LanguageGenerator generator = untrained_writer(kind);
    const GenerateOptions first{.length = 20};
    const GenerateOptions second{.length = 20, .seed = 2};
    LanguageGenerator::Writing a(generator, "ab", first);
    LanguageGenerator::Writing b(generator, "c", second);
    std::string heard;
    while (!a.done() || !b.done()) {
      if (!a.done()) heard += a.next();
      if (!b.done()) b.next();
    }
    EXPECT_EQ(heard, generator.generate("ab", first));
    EXPECT_EQ(b.finished().text, generator.generate("c", second));
  }
}

TEST(LanguageWriting, CanBeLeftOff) {
  const LanguageGenerator generator = untrained_writer(LanguageModelKind::gpt);
  LanguageGenerator::Writing writing(generator, "ab", {.length = 1000, .trace = true});
  EXPECT_TRUE(writing.finished().text.empty());
  for (int i = 0; i < 3; ++i) writing.next();
  EXPECT_EQ(writing.written(), 3);
  EXPECT_FALSE(writing.done());
  EXPECT_EQ(writing.finished().text, generator.generate("ab", {.length = 3}));
  // The end of line before the prompt, "ab", and two of the three letters were read.
  EXPECT_EQ(writing.finished().trace.strips.front().tokens.size(), 5u);
}

TEST(LanguageWriting, RefusesWhatCannotBeDrawn) {
  const LanguageGenerator generator = untrained_writer(LanguageModelKind::gpt);
  EXPECT_THROW(LanguageGenerator::Writing(generator, "a", {.draw = {.temperature = 0}}),
               UsageError);
}

TEST(LanguageWriting, EndsBeforeATextToStopAtAndGivesNothingOfIt) {
  const LanguageGenerator generator = untrained_writer(LanguageModelKind::gpt);
  const std::string whole = generator.generate("ab", {.length = 60});
  // Every part of two letters ends the text where it first comes, and nothing of it is heard.
  for (std::size_t i = 0; i + 2 < whole.size(); ++i) {
    const std::string stop = whole.substr(i, 2);
    LanguageGenerator::Writing writing(generator, "ab", {.length = 60, .stop = {"zz", stop}});
    std::string heard;
    while (!writing.done()) heard += writing.next();
    EXPECT_TRUE(writing.stopped());
    EXPECT_EQ(heard, whole.substr(0, whole.find(stop))) << stop;
    EXPECT_EQ(writing.finished().text, heard);
    EXPECT_EQ(writing.written(), static_cast<std::int64_t>(whole.find(stop)) + 2) << stop;
  }
}

TEST(LanguageWriting, GivesWhatItHeldBackWhenNoStopCame) {
  const LanguageGenerator generator = untrained_writer(LanguageModelKind::gpt);
  const std::string whole = generator.generate("ab", {.length = 12});
  LanguageGenerator::Writing writing(generator, "ab", {.length = 12, .stop = {whole + "more"}});
  std::string heard;
  for (int i = 0; i < 11; ++i) heard += writing.next();
  EXPECT_EQ(heard, "");
  EXPECT_EQ(writing.next(), whole);
  EXPECT_FALSE(writing.stopped());
  EXPECT_THROW(LanguageGenerator::Writing(generator, "a", {.stop = {""}}), UsageError);
}

TEST(LanguageWriting, KeepsTokensWithTheirProbabilities) {
  const LanguageGenerator generator = untrained_writer(LanguageModelKind::gpt);
  LanguageGenerator::Writing writing(
      generator, "ab", {.length = 4, .greedy = true, .probabilities = true, .alternatives = 3});
  std::string text;
  while (!writing.done()) text += writing.next();
  ASSERT_EQ(writing.tokens().size(), 4u);
  std::string joined;
  double sum = 0;
  for (const WrittenToken& token : writing.tokens()) {
    EXPECT_EQ(token.begin, joined.size());
    joined += token.piece;
    sum += token.log_probability;
    ASSERT_EQ(token.alternatives.size(), 3u);
    EXPECT_EQ(token.alternatives[0].second, token.log_probability) << "the likeliest was taken";
    EXPECT_EQ(token.alternatives[0].first, token.piece);
    EXPECT_GE(token.alternatives[1].second, token.alternatives[2].second);
  }
  EXPECT_EQ(joined, text);
  // The same as the model says of the text when it reads it.
  const double with = generator.score(generator.encode("ab" + text)).log_probability;
  const double without = generator.score(generator.encode("ab")).log_probability;
  EXPECT_NEAR(sum, with - without, 1e-3);
}

}  // namespace
}  // namespace heed::pipeline
