// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/classify/classify_data.h"

#include <gtest/gtest.h>

#include "heed/pipeline/classify/classify_testing.h"

namespace heed::pipeline {
namespace {

TEST(ClassifyData, MakesTensorsOfABatch) {
  text::PairBatch batch;
  batch.source = text::pad_rows(std::vector<text::Tokens>{{5, 6, text::kEnd}, {7, text::kEnd}});
  batch.labels = {{1, 0}, {2, 3}};
  const models::ClassifierInput input = input_of(batch);
  EXPECT_EQ(input.text.lengths.values(), (std::vector<std::int32_t>{3, 2}));
  EXPECT_FALSE(input.second.ids.defined());
  EXPECT_EQ(aspect_classes(batch, 0).values(), (std::vector<std::int32_t>{1, 2}));
  EXPECT_EQ(aspect_classes(batch, 1).values(), (std::vector<std::int32_t>{0, 3}));
  batch.target = text::pad_rows(std::vector<text::Tokens>{{8, text::kEnd}, {9, text::kEnd}});
  EXPECT_EQ(input_of(batch).second.ids.size(0), 2);
}

TEST(ClassifyData, ReadsPhrasesOfTreesInTrainingAlone) {
  test::TemporaryFolder folder;
  ClassifyOptions options;
  testing::set_small(options, folder.path());
  write_atomically(folder / "trees.txt", "(3 (2 a) (4 fine))\n");
  options.train = options.valid = (folder / "trees.txt").string();
  options.labelled.format = text::LabelledFormat::trees;
  const ClassifyFiles files(options);
  EXPECT_TRUE(files.train_form.phrases);
  EXPECT_FALSE(files.valid_form.phrases);
}

}  // namespace
}  // namespace heed::pipeline
