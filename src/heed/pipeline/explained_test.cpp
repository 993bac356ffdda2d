// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/explained.h"

#include <gtest/gtest.h>

namespace heed::pipeline {
namespace {

TEST(ExplainedStep, IsANumberAWordOrBoth) {
  EXPECT_EQ(explained_step("3").step, 3u);
  EXPECT_EQ(explained_step("3").word, "");
  EXPECT_EQ(explained_step("chat").word, "chat");
  EXPECT_EQ(explained_step("3=chat").step, 3u);
  EXPECT_EQ(explained_step("3=chat").word, "chat");
  EXPECT_EQ(explained_step("0").word, "0") << "steps count from 1: this is a word";
  EXPECT_EQ(explained_step("a=b").word, "a=b");
  EXPECT_EQ(explained_step("").step, 0u);
}

}  // namespace
}  // namespace heed::pipeline
