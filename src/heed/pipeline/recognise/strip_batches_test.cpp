// SPDX-License-Identifier: Apache-2.0
// Batches of strips: padded, the same after a seek, and of other digits than validation.
#include "heed/pipeline/recognise/strip_batches.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/images/testing.h"
#include "heed/pipeline/recognise/recognise_testing.h"

namespace heed::pipeline {
namespace {

using corpora::Strip;

TEST(StripTensors, ArePaddedWithZeros) {
  const std::vector<Strip> strips = {
      {.height = 2, .values = {1, 2, 3, 4}, .labels = {5}, .labelled = true},
      {.height = 2, .values = {7, 8}, .labels = {1, 2}, .labelled = true}};
  const models::StripTensors tensors = strip_tensors(strips);
  EXPECT_EQ(tensors.frames.values(), (std::vector<Real>{1, 2, 3, 4, 7, 8, 0, 0}));
  EXPECT_EQ(tensors.lengths.values(), (std::vector<std::int32_t>{2, 1}));
  const models::StripLabels labels = strip_labels(strips);
  EXPECT_EQ(labels.labels.values(), (std::vector<std::int32_t>{5, 0, 1, 2}));
  EXPECT_EQ(labels.counts.values(), (std::vector<std::int32_t>{1, 2}));
}

TEST(StripBatches, GoOnAfterASeek) {
  const test::TemporaryFolder folder;
  RecogniseOptions options;
  testing::set_small(options, folder.path());
  options.epoch_batches = 2;
  StripBatches batches(options);
  const auto first = batches.next();
  EXPECT_FALSE(batches.ends_epoch());
  const auto second = batches.next();
  EXPECT_TRUE(batches.ends_epoch());
  EXPECT_NE(first, second);
  EXPECT_EQ(batches.report(), "32 fresh strips of 1 to 3 symbols");
  batches.seek(1);
  EXPECT_EQ(batches.next(), second);
  EXPECT_EQ(batches.held_out().size(), 40u);
}

TEST(StripBatches, KeepDigitsForValidation) {
  const test::TemporaryFolder folder;
  RecogniseOptions options;
  testing::set_small(options, folder.path());
  options.task = StripTask::digits;
  options.images = (folder / "i").string();
  options.labels = (folder / "l").string();
  write_atomically(options.images, images::testing::small_digit_images(10, 12));
  write_atomically(options.labels, images::testing::small_digit_labels(10));
  StripBatches batches(options);
  EXPECT_EQ(batches.learnt().height, 12);
  for (const Strip& strip : batches.next()) {
    for (const int label : strip.labels) EXPECT_NE(label, 9);
  }
  for (const Strip& strip : batches.held_out()) {
    for (const int label : strip.labels) EXPECT_EQ(label, 9);
  }
  EXPECT_EQ(held_out_digits(options).labels, (std::vector<int>{9}));
  write_atomically(options.images, images::testing::small_digit_images(9, 12));
  write_atomically(options.labels, images::testing::small_digit_labels(9));
  EXPECT_THROW(StripBatches{options}, DataError);
}

TEST(StripBatches, RefuseDigitsThatCtcMayHaveNoRoomFor) {
  const test::TemporaryFolder folder;
  RecogniseOptions options;
  testing::set_small(options, folder.path());
  options.task = StripTask::digits;
  options.images = (folder / "i").string();
  options.labels = (folder / "l").string();
  write_atomically(options.images, images::testing::small_digit_images(10, 8));
  write_atomically(options.labels, images::testing::small_digit_labels(10));
  EXPECT_EQ(test::message_of<DataError>([&] { StripBatches{options}; }),
            options.images +
                ": pictures of 8 columns, of which 3 side by side may have 4 states; CTC takes up "
                "to 5, one for each label and one more between equal ones: give wider pictures, or "
                "--writes attention");
  options.model.writing = models::LabelWriting::attention;
  EXPECT_NO_THROW(StripBatches{options});
}

}  // namespace
}  // namespace heed::pipeline
