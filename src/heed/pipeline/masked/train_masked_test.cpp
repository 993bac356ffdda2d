// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/masked/masked_options.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/pipeline/classify/classify_testing.h"
#include "heed/pipeline/masked/filler.h"

namespace heed::pipeline {
namespace {

using test::TemporaryFolder;
using testing::no_words;

TEST(TrainMasked, LearnsWhichWordsGoTogether) {
  TemporaryFolder folder;
  MaskedOptions options;
  testing::set_small(options, folder.path());
  options.trainer.max_updates = 400;
  options.trainer.validate_every = "100";
  const TrainingReport report = train(options, no_words);
  EXPECT_GE(report.outcome.best.at("accuracy"), .9);
  EXPECT_LE(report.outcome.best.at("perplexity"), 1.6);
  const Filler filler(options.out);
  EXPECT_EQ(filler.fill("sun shines rain [MASK] wind blows")[0][0].word, "falls");
}

TEST(TrainMasked, InTwoRunsGivesTheWeightsOfOne) {
  TemporaryFolder folder;
  TemporaryFolder other;
  MaskedOptions whole;
  testing::set_small(whole, folder.path());
  train(whole, no_words);
  MaskedOptions parts;
  testing::set_small(parts, other.path());
  parts.trainer.max_updates = 17;
  train(parts, no_words);
  parts.trainer.max_updates = 30;
  train(parts, no_words);
  EXPECT_EQ(read_file(whole.out + "/model.safetensors"),
            read_file(parts.out + "/model.safetensors"));
}

TEST(TrainMasked, SaysWhatToDoWhenThereIsNothingToPredict) {
  TemporaryFolder folder;
  MaskedOptions first;
  testing::set_small(first, folder.path());
  first.trainer.max_updates = 1;
  train(first, no_words);
  MaskedOptions options;
  testing::set_small(options, folder.path());
  test::put(folder / "train.txt", "other other\nwords words\n");
  options.valid = "";
  options.out = (folder / "second").string();
  options.vocabulary.given = first.out + "/tokeniser";
  const std::string message = test::message_of<DataError>([&] { train(options, no_words); });
  EXPECT_NE(message.find("no token can be masked"), std::string::npos) << message;
}

}  // namespace
}  // namespace heed::pipeline
