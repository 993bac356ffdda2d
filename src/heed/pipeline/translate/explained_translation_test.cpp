// SPDX-License-Identifier: Apache-2.0
// Translations explained step by step, of translators that have learnt next to nothing: what they
// say is of no matter here.
#include "heed/pipeline/translate/explained_translation.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/pipeline/explained_testing.h"
#include "heed/pipeline/explanations.h"
#include "heed/pipeline/testing.h"
#include "heed/pipeline/translate/translator.h"

namespace heed::pipeline {
namespace {

class ExplainedTranslations : public ::testing::TestWithParam<std::string> {
 protected:
  static std::filesystem::path folder(const std::string& kind) {
    static std::map<std::string, std::unique_ptr<test::TemporaryFolder>> folders;
    std::unique_ptr<test::TemporaryFolder>& mine = folders[kind];
    if (!mine) {
      mine = std::make_unique<test::TemporaryFolder>();
      TranslationOptions options;
      testing::set_small(options, mine->path(), kind);
      options.trainer.max_updates = 2;
      train(options, testing::silent);
    }
    return mine->path() / "model";
  }
  const Input input_ = {"e d c b a", "A B C"};
};

TEST_P(ExplainedTranslations, AreTheLogProbabilitiesOfTheirPieces) {
  const Translator translator(folder(GetParam()));
  const InputScore score = translator.score(input_.text, input_.second);
  Explained first = translator.explained(input_);
  ASSERT_EQ(first.steps.size(), score.token_log_probabilities.size());
  EXPECT_EQ(first.words.size(), 5u);
  for (std::size_t step = 0; step < first.steps.size(); ++step) {
    const Explained one = first.at(step);
    EXPECT_EQ(one.step, step);
    EXPECT_NEAR(one.subject->output(), score.token_log_probabilities[step], 1e-4) << step;
  }
  // A word of the translation, and another in its place.
  EXPECT_EQ(translator.explained(input_, {.label = "B"}).step, 1u);
  EXPECT_EQ(translator.explained(input_, {.label = "3"}).step, 2u);
  const Explained other = translator.explained(input_, {.label = "2=C"});
  const Explained own = translator.explained(input_, {.label = "2"});
  EXPECT_NE(other.subject->output(), own.subject->output());
  EXPECT_TRUE(test::message_of<UsageError>([&] {
                translator.explained(input_, {.label = "9"});
              }).starts_with("--target 9: the translation \"A B C\" has 4 pieces"));
  EXPECT_THROW(translator.explained(input_, {.label = "F"}), UsageError);
  EXPECT_TRUE(test::message_of<UsageError>([&] {
                translator.explained(input_, {.label = "2=chat"});
              }).starts_with("--target 2=chat: \"chat\" is not in the vocabulary"));
  EXPECT_THROW(translator.explained({"  "}), UsageError);
}

TEST_P(ExplainedTranslations, AreExplainedByTheWordsOfTheSource) {
  const Translator translator(folder(GetParam()));
  const Explained explained = translator.explained(input_, {.label = "2"});
  testing::expect_slopes(*explained.subject);
  testing::expect_same_alone(*explained.subject);
  ASSERT_TRUE(explained.subject->attends());
  double sum = 0;
  for (const double one : testing::shares(*explained.subject, "attention")) sum += one;
  EXPECT_GT(sum, .3);
  EXPECT_LE(sum, 1 + 1e-5) << "the end has the rest";
  for (const char* written : {"relevance", "rollout", "norms", "flow"}) {
    for (const double one : testing::shares(*explained.subject, written)) {
      EXPECT_TRUE(std::isfinite(one)) << written;
    }
  }
}

TEST_P(ExplainedTranslations, AreAMatrixOfStepsForEachMethod) {
  const Translator translator(folder(GetParam()));
  const Explanations found =
      explanations(translator, input_, {.methods = {"leave_one_out", "attention"}});
  ASSERT_TRUE(found.written());
  EXPECT_EQ(found.steps.size(), 4u);
  const insight::TracedExample example = traced(found, "title");
  EXPECT_NO_THROW(insight::check({.examples = {example}}));
  ASSERT_EQ(example.attentions.size(), 2u);
  EXPECT_EQ(example.attentions[0].heads[0].weights.shape(), Shape({4, 5}));
  // Without a translation it is the model's own.
  const Explained own = translator.explained({input_.text});
  const std::string text = translator.translate(input_.text).text;
  EXPECT_EQ(own.steps.size(), translator.score(input_.text, text).pieces.size());
}

INSTANTIATE_TEST_SUITE_P(Kinds, ExplainedTranslations, ::testing::Values("seq2seq", "transformer"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace heed::pipeline
