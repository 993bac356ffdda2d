// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/translate/translation_options.h"

#include <gtest/gtest.h>

#include <functional>

#include "heed/base/error.h"
#include "heed/pipeline/testing.h"
#include "heed/pipeline/translate/translator.h"

namespace heed::pipeline {
namespace {

using test::TemporaryFolder;

std::string weights_of(const TranslationOptions& options) {
  return read_file(options.out + "/model.safetensors");
}

TEST(TrainTranslation, LearnsToReverseAndSayItInCapitals) {
  TemporaryFolder folder;
  TranslationOptions options;
  testing::set_small(options, folder.path());
  options.model.hidden = 48;
  options.trainer.max_updates = 500;
  options.trainer.validate_every = "100";
  options.trainer.early_stopping = "exact";
  options.valid_metrics = {"exact", "bleu", "chrf"};
  const TrainingReport report = train(options, testing::silent);
  EXPECT_GE(report.outcome.best.at("exact"), .9);
  const Translator translator(options.out);
  EXPECT_EQ(translator.translate("a b c d").text, "D C B A");
  EXPECT_EQ(text::to_pharaoh(translator.translate("a b c", {.attention = true}).alignment),
            "0-2 1-1 2-0");
}

TEST(TrainTranslation, LeavesEverythingAModelFolderHas) {
  TemporaryFolder folder;
  TranslationOptions options;
  testing::set_small(options, folder.path(), "transformer");
  train(options, testing::silent);
  for (const char* name :
       {"model.safetensors", "config.toml", "source.tokeniser", "target.tokeniser", "card.md",
        "curve.svg", "examples.txt", "checkpoints"}) {
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(options.out) / name)) << name;
  }
}

TEST(TrainTranslation, NamesTheLineThatHasNoRoomInLearnedPositions) {
  TemporaryFolder folder;
  TranslationOptions options;
  testing::set_small(options, folder.path(), "transformer");
  options.trainer.max_updates = 1;
  options.model.stack.positions = models::Positions::learned;
  options.model.stack.longest = 2;
  const auto message = [&] {
    return test::message_of<DataError>([&] { train(options, testing::silent); });
  };
  EXPECT_TRUE(message().starts_with(options.valid_source + ":1: a text takes 4 positions"));
  options.valid_source = options.valid_target = "";
  EXPECT_TRUE(message().starts_with(options.train_source)) << message();
  EXPECT_TRUE(
      message().ends_with("raise --longest, or let --max-length and --too-long crop or "
                          "skip it"));
  options.model.stack.longest = 16;
  options.trainer.reset = true;
  train(options, testing::silent);
  const std::vector<std::string> lines = {"a b", "a a a a a a a a a a a a a a a a"};
  const Translator translator(options.out);
  EXPECT_GT(translator.translate(lines).at(1).front().parts, 1u) << "cut where it can be";
  EXPECT_EQ(
      test::message_of<UsageError>([&] { translator.translate(lines, {.split = Split::never}); }),
      "line 2: a text takes 17 positions, its end included, and this model has learned 16; "
      "shorten it, or train a model with more (--longest)");
}

TEST(TrainTranslation, InTwoRunsGivesTheWeightsOfOne) {
  TemporaryFolder folder;
  TemporaryFolder other;
  TranslationOptions whole;
  testing::set_small(whole, folder.path());
  train(whole, testing::silent);
  TranslationOptions parts;
  testing::set_small(parts, other.path());
  parts.trainer.max_updates = 13;
  train(parts, testing::silent);
  EXPECT_NE(weights_of(whole), weights_of(parts));
  parts.trainer.max_updates = 30;
  train(parts, testing::silent);
  EXPECT_EQ(weights_of(whole), weights_of(parts));
}

TEST(TrainTranslation, LearnsOtherWeightsWithSmoothedLabelsAndWithCoverageLoss) {
  const auto weights = [](const std::function<void(TranslationOptions&)>& change) {
    TemporaryFolder folder;
    TranslationOptions options;
    testing::set_small(options, folder.path());
    options.trainer.max_updates = 2;
    change(options);
    train(options, testing::silent);
    return weights_of(options);
  };
  const auto smoothed = [&](double share) {
    return weights([share](auto& options) { options.label_smoothing = share; });
  };
  EXPECT_EQ(smoothed(0), smoothed(0));
  EXPECT_NE(smoothed(0), smoothed(.1));
  const auto covered = [&](double share) {
    return weights([share](auto& options) {
      options.model.copy = true;
      options.coverage_loss = share;
    });
  };
  EXPECT_EQ(covered(0), covered(0));
  EXPECT_NE(covered(0), covered(.5));
  EXPECT_NE(covered(.25), covered(.5));
}

TEST(TrainTranslation, RefusesToGoOnWithOtherOptionsOrData) {
  TemporaryFolder folder;
  TranslationOptions options;
  testing::set_small(options, folder.path());
  options.trainer.max_updates = 5;
  train(options, testing::silent);
  options.model.stack.dropout = .2;
  try {
    train(options, testing::silent);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("dropout"), std::string::npos) << error.what();
  }
  options.model.stack.dropout = .1;
  write_atomically(options.train_source, testing::reversed_lines(400, 9).source);
  EXPECT_THROW(train(options, testing::silent), UsageError);
  options.trainer.reset = true;
  EXPECT_NO_THROW(train(options, testing::silent));
}

TEST(TrainTranslation, HoldsOutAFractionWhereThereIsNoValidationSet) {
  TemporaryFolder folder;
  TranslationOptions options;
  testing::set_small(options, folder.path());
  options.valid_source.clear();
  options.valid_target.clear();
  options.valid_fraction = .1;
  const TrainingReport report = train(options, testing::silent);
  EXPECT_GT(report.outcome.best.at("loss"), 0);
  EXPECT_GE(report.outcome.epochs, 1);
  const text::HoldOut hold{.fraction = .1, .seed = options.trainer.seed};
  int learnt = 0;
  for (std::uint64_t line = 1; line <= 400; ++line) learnt += hold.holds(line) ? 0 : 1;
  EXPECT_LT(learnt, 390);
  EXPECT_TRUE(report.data.starts_with(fmt::format("{} pairs", learnt))) << report.data;
}

TEST(TrainTranslation, TellsWhatBecameOfLinesThatAreTooLong) {
  TemporaryFolder folder;
  TranslationOptions options;
  testing::set_small(options, folder.path());
  options.max_length = 4;
  options.trainer.max_updates = 0;
  options.trainer.max_epochs = 1;
  const std::string line = train(options, testing::silent).data;
  EXPECT_NE(line.find("too long and skipped: "), std::string::npos) << line;
  EXPECT_NE(line.find("(lines "), std::string::npos) << line;
  EXPECT_NE(line.find("padding "), std::string::npos) << line;
}

TEST(TrainTranslation, StartsFromAnotherModelWithItsVocabularies) {
  TemporaryFolder folder;
  TranslationOptions options;
  testing::set_small(options, folder.path());
  train(options, testing::silent);
  TemporaryFolder other;
  TranslationOptions more;
  testing::set_small(more, other.path());
  more.init_from = options.out;
  more.trainer.max_updates = 1;
  more.trainer.schedule.peak = 1e-12;
  train(more, testing::silent);
  const Translator before(options.out);
  const Translator after(more.out);
  EXPECT_NEAR(before.score("a b", "B A").log_probability, after.score("a b", "B A").log_probability,
              1e-4);
}

TEST(TrainTranslation, StartsFromWordVectorsOfTheRightWidth) {
  TemporaryFolder folder;
  TranslationOptions options;
  testing::set_small(options, folder.path());
  options.trainer.max_updates = 1;
  std::string vectors;
  for (char letter = 'a'; letter <= 'f'; ++letter) {
    vectors += letter;
    for (int i = 0; i < 24; ++i) vectors += " 0.25";
    vectors += "\n";
  }
  write_atomically(folder.path() / "vectors.txt", vectors);
  options.embeddings = (folder.path() / "vectors.txt").string();
  EXPECT_NO_THROW(train(options, testing::silent));
  options.model.embedding = 16;
  options.trainer.reset = true;
  try {
    train(options, testing::silent);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("24"), std::string::npos) << error.what();
  }
}

TEST(TrainTranslation, BadDataNameFileLineAndRemedy) {
  TemporaryFolder folder;
  const auto message = [&](const std::string& source, const std::string& target) -> std::string {
    TranslationOptions options;
    testing::set_small(options, folder.path());
    write_atomically(options.train_source, source);
    write_atomically(options.train_target, target);
    try {
      train(options, testing::silent);
    } catch (const DataError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(message("a\nb\n", "A\n").find("train.tgt"), std::string::npos);
  EXPECT_NE(message("a\n\xff\n", "A\nB\n").find("train.src:2"), std::string::npos);
  EXPECT_NE(message("", "").find("train.src"), std::string::npos);
  EXPECT_NE(message("\n\n", "\n\n").find("no pair"), std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "model/model.safetensors"));
}

}  // namespace
}  // namespace heed::pipeline
