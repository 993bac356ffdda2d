// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/language/language_options.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/pipeline/language/language_generator.h"
#include "heed/pipeline/language/language_testing.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

using test::TemporaryFolder;

std::string weights_of(const LanguageOptions& options) {
  return read_file(options.out + "/model.safetensors");
}

TEST(TrainLanguage, LearnsWhatIsCertain) {
  TemporaryFolder folder;
  LanguageOptions options;
  testing::set_small(options, folder.path());
  options.trainer.max_updates = 250;
  options.trainer.validate_every = "125";
  const TrainingReport report = train(options, testing::silent);
  // A line leaves open letter and length, log 9 in all, of 6 tokens on average: .37 a token.
  EXPECT_LT(report.outcome.best.at("loss"), .55);
  const LanguageGenerator generator(options.out);
  EXPECT_EQ(generator.generate("aa ", {.length = 3, .greedy = true}), "AA\n");
  EXPECT_EQ(generator.generate("bbb B", {.length = 2, .greedy = true}), "BB");
  EXPECT_NE(report.data.find("400 lines"), std::string::npos) << report.data;
}

TEST(TrainLanguage, InTwoRunsGivesTheWeightsOfOne) {
  for (const bool attends : {false, true}) {
    for (const LanguageModelKind model : {LanguageModelKind::recurrent, LanguageModelKind::gpt}) {
      TemporaryFolder folder;
      TemporaryFolder other;
      LanguageOptions whole;
      LanguageOptions parts;
      testing::set_small(whole, folder.path(), model);
      testing::set_small(parts, other.path(), model);
      if (attends) whole.model.attention = parts.model.attention = "scaled_dot";
      if (attends) whole.windows = parts.windows = text::Windows::random;
      if (model == LanguageModelKind::recurrent) {
        whole.windows = parts.windows = text::Windows::contiguous;
      }
      train(whole, testing::silent);
      parts.trainer.max_updates = 13;
      train(parts, testing::silent);
      EXPECT_NE(weights_of(whole), weights_of(parts));
      parts.trainer.max_updates = 30;
      train(parts, testing::silent);
      EXPECT_EQ(weights_of(whole), weights_of(parts));
    }
  }
}

TEST(TrainLanguage, GoesOnWithItsMemoryToTheSameBits) {
  for (const models::CompressionKind compression :
       {models::CompressionKind::none, models::CompressionKind::convolution}) {
    TemporaryFolder folder;
    TemporaryFolder other;
    LanguageOptions whole;
    LanguageOptions parts;
    for (LanguageOptions* options : {&whole, &parts}) {
      testing::set_small(*options, options == &whole ? folder.path() : other.path(),
                         LanguageModelKind::transformer_xl);
      options->model.stack.positions = models::Positions::distances;
      options->model.memory = 20;
      options->model.compression = compression;
      options->model.slots = 4;
    }
    train(whole, testing::silent);
    parts.trainer.max_updates = 13;  // windows of 12 end within segments of 16
    train(parts, testing::silent);
    EXPECT_NE(weights_of(whole), weights_of(parts));
    parts.trainer.max_updates = 30;
    train(parts, testing::silent);
    EXPECT_EQ(weights_of(whole), weights_of(parts));
  }
}

TEST(TrainLanguage, HoldsOutTheEndWhereThereIsNoValidationText) {
  TemporaryFolder folder;
  LanguageOptions options;
  testing::set_small(options, folder.path(), LanguageModelKind::gpt);
  options.valid.clear();
  options.valid_fraction = .1;
  const TrainingReport report = train(options, testing::silent);
  EXPECT_GT(report.outcome.best.at("bits-per-character"), 0);
  EXPECT_EQ(read_file(options.folder().card()).find("| model | decoder-only Transformer |") ==
                std::string::npos,
            false);
}

TEST(TrainLanguage, CarriesTheStateOfARecurrentModelFromWindowToWindow) {
  const auto loss = [](std::int64_t window) {
    TemporaryFolder folder;
    LanguageOptions options;
    testing::set_small(options, folder.path());
    options.window = window;
    options.trainer.max_updates = 1;
    options.trainer.schedule.peak = 1e-9;  // it stays as it was drawn
    return train(options, testing::silent).outcome.best.at("loss");
  };
  EXPECT_NEAR(loss(4), loss(24), 1e-5);  // however the text is cut
}

TEST(TrainLanguage, GivesPerplexityAndBitsPerCharacterByTheirFormulas) {
  TemporaryFolder folder;
  LanguageOptions options;
  testing::set_small(options, folder.path());
  options.vocabulary.tokeniser = text::TokeniserKind::words;
  options.trainer.max_updates = 1;
  // 3 words in 10 characters, 4 words in 11, and two ends of lines.
  write_atomically(options.valid, "aa AA bbb\xC3\xA4\naa AA bb BB\n");
  const TrainingReport report = train(options, testing::silent);
  const training::Metrics& found = report.outcome.best;
  ASSERT_NE(report.data.find("held out: 9 tokens"), std::string::npos) << report.data;
  const double nats = found.at("loss") * 9;  // of the whole text, 23 characters
  EXPECT_NEAR(found.at("bits-per-character"), nats / std::log(2.0) / 23, 1e-9);
  EXPECT_NEAR(found.at("perplexity"), std::exp(found.at("loss")), 1e-9);
}

TEST(TrainLanguage, StartsFromAnotherModelAndSaysWhatItTook) {
  TemporaryFolder folder;
  LanguageOptions options;
  testing::set_small(options, folder.path());
  train(options, testing::silent);
  TemporaryFolder other;
  LanguageOptions more;
  testing::set_small(more, other.path());
  more.init_from = options.out;
  more.model.attention = "additive";
  more.trainer.max_updates = 1;
  std::string said;
  train(more, [&](std::string_view line) { said += std::string(line) + "\n"; });
  EXPECT_NE(said.find("left as they were: attention.score.v, attention.score.W1"),
            std::string::npos)
      << said;
}

TEST(TrainLanguage, ATextThatIsTooShortSaysWhatWouldDo) {
  TemporaryFolder folder;
  LanguageOptions options;
  testing::set_small(options, folder.path());
  options.tracks = 5000;
  try {
    train(options, testing::silent);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("too short for 5000 tracks"), std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace heed::pipeline
