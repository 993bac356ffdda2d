// SPDX-License-Identifier: Apache-2.0
// Training on pairs.
#include "heed/pipeline/embed/text_embedder.h"

#include <gtest/gtest.h>

#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/pipeline/comparison.h"
#include "heed/pipeline/measure.h"
#include "heed/pipeline/train.h"

namespace heed::pipeline {
namespace {

// Numbers in words, and in other words: only the number says what belongs together.
std::string number_pairs(int first, int last) {
  const char* const kOnes[] = {"zero", "one", "two",   "three", "four",
                               "five", "six", "seven", "eight", "nine"};
  const char* const kOthers[] = {"nought",  "ace",    "pair",   "trio",  "quartet",
                                 "quintet", "sextet", "septet", "octet", "nonet"};
  std::string lines;
  for (int i = first; i < last; ++i) {
    lines += fmt::format("{} {} of them\tthere are {} and {}\n", kOnes[i / 10], kOnes[i % 10],
                         kOthers[i / 10], kOthers[i % 10]);
  }
  return lines;
}

TEST(TrainEmbed, LearnsWhichTextsBelongTogether) {
  const test::TemporaryFolder folder;
  write_atomically(folder / "train.tsv", number_pairs(0, 90));
  write_atomically(folder / "valid.tsv", number_pairs(90, 100));
  EmbedOptions options;
  options.train = (folder / "train.tsv").string();
  options.valid = (folder / "valid.tsv").string();
  options.out = (folder / "model").string();
  options.encoder = models::TextEncoderKind::bag;
  options.embedding = 16;
  options.vocabulary.tokeniser = text::TokeniserKind::words;
  options.batch_sentences = 30;
  options.trainer.max_epochs = 40;
  options.trainer.schedule.peak = .02;
  options.trainer.schedule.decay = training::Decay::constant;
  options.trainer.schedule.warm_up = 0;
  train(options, [](std::string_view) {});

  const TextEmbedder embedder(folder / "model");
  EXPECT_GT(embedder.cosine("nine two of them", "there are nonet and pair"),
            embedder.cosine("nine two of them", "there are nonet and trio"));
  ComparedModel measured;
  const std::string file = options.valid;
  embedder.measure(std::span(&file, 1), measured);
  ASSERT_EQ(measured.measures.size(), 2u);
  const std::vector<std::size_t> all = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_GE(measured.measures[0].on(all), 80) << "of pairs that it has not seen";
  EXPECT_EQ(measured.units, 20);
  const Input pair{"one", "ace"}, alone{"one"};
  EXPECT_GT(embedder.run(std::span(&pair, 1))[0][0].score, .5);
  EXPECT_EQ(std::ranges::count(embedder.run(std::span(&alone, 1))[0][0].text, ' '), 15);
}

}  // namespace
}  // namespace heed::pipeline
