// SPDX-License-Identifier: Apache-2.0
// Batches of sequences: one length each, the same from any place on, none of validation among them.
#include "heed/pipeline/machine/bit_batches.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/pipeline/machine/machine_testing.h"

namespace heed::pipeline {
namespace {

TEST(BitBatches, AreOfOneLengthEachAndTheSameFromAnyPlaceOn) {
  MachineOptions options;
  testing::set_small(options, "nowhere");
  BitBatches batches(options);
  std::set<std::int64_t> lengths;
  std::vector<BitBatch> first;
  for (int i = 0; i < 40; ++i) {
    first.push_back(batches.next());
    ASSERT_EQ(first.back().sequences.size(), 16u);
    for (const corpora::BitSequence& one : first.back().sequences) {
      EXPECT_EQ(one.steps, first.back().sequences[0].steps);
    }
    lengths.insert(first.back().sequences[0].steps);
  }
  EXPECT_EQ(lengths, (std::set<std::int64_t>{3, 5, 7, 9}));
  BitBatches others(options);
  others.seek(7);
  EXPECT_EQ(others.next().sequences, first[7].sequences);
  EXPECT_NE(first[7].sequences[0], first[8].sequences[0]);
}

TEST(BitBatches, OfAFileHaveEverySequenceOnceInAnEpoch) {
  const test::TemporaryFolder folder;
  MachineOptions options;
  testing::set_small(options, folder.path());
  options.task = (folder / "bits.txt").string();
  options.batch = 2;
  write_atomically(options.task, "10 01/1\n11 01/0\n10 11 01/1\n00 01/0\n");
  BitBatches batches(options);
  EXPECT_EQ(batches.epoch_batches(), 3u);
  EXPECT_EQ(batches.report(), "4 sequences of 2 to 3 steps");
  std::size_t seen = 0;
  for (int i = 0; i < 3; ++i) {
    const BitBatch batch = batches.next();
    seen += batch.sequences.size();
    EXPECT_EQ(batch.ends_epoch, i == 2);
  }
  EXPECT_EQ(seen, 4u);
}

TEST(BitBatches, ValidationHasEveryLengthAndFilesOfAnotherFormAreRefused) {
  const test::TemporaryFolder folder;
  MachineOptions options;
  testing::set_small(options, folder.path());
  std::set<std::int64_t> lengths;
  const auto held_out = validation_sequences(options, options.form());
  EXPECT_EQ(held_out.size(), 20u);
  for (const corpora::BitSequence& one : held_out) lengths.insert(one.steps);
  EXPECT_EQ(lengths, (std::set<std::int64_t>{3, 5, 7, 9}));
  options.valid = (folder / "valid.txt").string();
  write_atomically(options.valid, "101 111\n1010 0101\n");
  EXPECT_TRUE(test::message_of<DataError>([&] {
                validation_sequences(options, options.form());
              }).ends_with("valid.txt:2: vector 1 has 4 bits; the task has vectors of 3"));
}

}  // namespace
}  // namespace heed::pipeline
