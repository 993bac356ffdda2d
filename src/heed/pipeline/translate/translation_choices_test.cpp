// SPDX-License-Identifier: Apache-2.0
// The length penalty of translators: chosen on validation, kept, and used.
#include "heed/pipeline/translate/translation_choices.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/pipeline/testing.h"
#include "heed/text/lines.h"

namespace heed::pipeline {
namespace {

// A translator that has begun to learn, and its options.
struct Begun {
  test::TemporaryFolder folder{};
  TranslationOptions options{};
  std::string said{};

  Begun() {
    testing::set_small(options, folder.path());
    options.trainer.max_updates = 120;
    options.trainer.validate_every = "60";
    train(options, [this](std::string_view line) { said += std::string(line) + "\n"; });
  }
};

TEST(LengthChoice, HasTheBestBleuOfAllAlphasSearchedWith) {
  const Begun begun;
  const Translator translator(begun.options.out);
  const std::vector<std::string> sources = text::read_lines(begun.options.valid_source);
  const std::vector<std::string> references = text::read_lines(begun.options.valid_target);
  const LengthChoice choice = choose_length(translator, sources, references, {});
  const auto searched = [&](double alpha) {
    TranslateOptions options;
    options.beam.length = decoding::LengthPenalty{.alpha = alpha};
    std::vector<std::string> texts;
    for (const Translations& found : translator.translate(sources, options)) {
      texts.push_back(found.front().text);
    }
    return metrics::corpus_bleu(texts, {{references}}).score;
  };
  EXPECT_NEAR(searched(choice.alpha), choice.after.score, 1e-9) << "ranking is searching";
  EXPECT_NEAR(searched(.6), choice.before.score, 1e-9);
  for (const double alpha : {0.0, .3, 1.0, 1.5, 2.0, 4.0}) {
    EXPECT_LE(searched(alpha), choice.after.score + 1e-9) << alpha;
  }
}

TEST(LengthChoice, IsMadeWhenATrainingEndsAndUsedFromThenOn) {
  const Begun begun;
  const std::string file = begun.options.out + "/choices.tsv";
  EXPECT_NE(begun.said.find("length penalty: alpha "), begun.said.npos) << begun.said;
  EXPECT_NE(test::get(begun.options.out + "/card.md").find("| length penalty | alpha "),
            std::string::npos);
  ASSERT_TRUE(std::filesystem::exists(file));
  // So long that no search would choose it: what is used is what the file says.
  test::put(file, "length-alpha\t10\n");
  const Translator translator(begun.options.out);
  EXPECT_EQ(translator.length_penalty().alpha, 10);
  TranslateOptions options;
  options.beam.length = decoding::LengthPenalty{.alpha = 10};
  const Translation wanted = translator.translate("a b c d e", options);
  EXPECT_EQ(translator.translate("a b c d e").score, wanted.score);
  options.beam.length = decoding::LengthPenalty{};
  EXPECT_NE(translator.translate("a b c d e", options).score, wanted.score) << "a call decides";

  std::filesystem::remove(file);
  EXPECT_EQ(Translator(begun.options.out).length_penalty().alpha, .6);
  test::put(file, "length-alpha\t10\n");
  const std::filesystem::path folder = begun.options.out;
  EXPECT_EQ((Translator{folder, folder}).length_penalty().alpha, 10) << "the mean of both";
}

TEST(LengthChoice, ThatIsDamagedIsRefusedWithItsLine) {
  const Begun begun;
  test::put(begun.options.out + "/choices.tsv", "length-alpha\ttwo\n");
  const std::string message =
      test::message_of<DataError>([&] { Translator{std::filesystem::path(begun.options.out)}; });
  EXPECT_NE(message.find("choices.tsv:1: \"two\" is no length-alpha"), message.npos) << message;
}

TEST(LengthChoice, OfWeightsThatChangeIsForgotten) {
  Begun begun;
  begun.options.trainer.max_updates = 30;
  begun.options.trainer.reset = true;
  begun.options.choose = false;
  train(begun.options, testing::silent);
  EXPECT_FALSE(std::filesystem::exists(begun.options.out + "/choices.tsv"));
}

}  // namespace
}  // namespace heed::pipeline
