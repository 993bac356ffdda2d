// SPDX-License-Identifier: Apache-2.0
#include "heed/pipeline/classify/class_weights.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::pipeline {
namespace {

using Weights = std::vector<std::vector<Real>>;

// Three texts are good, one is bad.
text::Labels labels() {
  text::Labels counted(std::vector<std::string>{"label"});
  for (const char* label : {"good", "bad", "good", "good"}) {
    counted.add(std::vector<std::string>{label});
  }
  return counted;
}

TEST(ClassWeights, AreOneOrBalancedOrAsWritten) {
  EXPECT_EQ(class_weights("none", labels(), "train.tsv"), (Weights{{1, 1}}));
  EXPECT_EQ(class_weights("balanced", labels(), "train.tsv"), (Weights{{2, Real(4) / (2 * 3)}}));
  EXPECT_EQ(class_weights("bad=2.5", labels(), "train.tsv"), (Weights{{2.5, 1}}));
  EXPECT_EQ(class_weights("good=.5, bad=3", labels(), "train.tsv"), (Weights{{3, .5}}));
}

TEST(ClassWeights, RefuseAnEmptyClassAndBadNumbers) {
  const auto message = [](const char* written) {
    return test::message_of<UsageError>([&] { class_weights(written, labels(), "train.tsv"); });
  };
  EXPECT_EQ(
      message("godo=2"),
      "--class-weights: no text of train.tsv has the class \"godo\" (did you mean \"good\"?); "
      "leave it out, or add texts");
  EXPECT_EQ(message("bad=1,good=2,bad=3"),
            "--class-weights: \"bad\" has two weights in \"bad=1,good=2,bad=3\"; give one");
  EXPECT_EQ(message("bad=0"), "--class-weights: 0 for \"bad\"; a weight is above 0");
  EXPECT_TRUE(message("heavy").starts_with("--class-weights is \"heavy\": it takes none"));
}

}  // namespace
}  // namespace heed::pipeline
