// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/language/language_writing.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/pipeline/language/language_options.h"

namespace heed::pipeline {
namespace {

LanguageGenerator random_model(LanguageModelKind kind) {
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
    const LanguageGenerator generator = random_model(kind);
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
  const LanguageGenerator generator = random_model(LanguageModelKind::gpt);
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
  const LanguageGenerator generator = random_model(LanguageModelKind::gpt);
  EXPECT_THROW(LanguageGenerator::Writing(generator, "a", {.draw = {.temperature = 0}}),
               UsageError);
}

}  // namespace
}  // namespace heed::pipeline
