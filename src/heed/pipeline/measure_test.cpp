// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/measure.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

TEST(Measure, OfSharesIsThatOfTheSumsNotTheMeanOfShares) {
  const Measure share = ratio("right %", {1, 3}, {1, 9}, percent);
  const std::vector<std::size_t> both = {0, 1}, second = {1, 1};
  EXPECT_DOUBLE_EQ(share.on(both), 40);
  EXPECT_NEAR(share.on(second), 100. / 3, 1e-9);
  EXPECT_EQ(ratio("none", {0}, {0}, percent).on(std::vector<std::size_t>{0}), 0);
}

TEST(Measure, NeedsAsManyFilesAsTheKindTakes) {
  const std::vector<std::string> files = {"a", "b"};
  EXPECT_NO_THROW(require_files(files, 2, "two"));
  EXPECT_EQ(test::message_of<UsageError>([&] { require_files(files, 1, "it takes one"); }),
            "--data has 2 files; it takes one");
}

}  // namespace
}  // namespace heed::pipeline
