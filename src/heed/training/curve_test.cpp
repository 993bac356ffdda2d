// SPDX-License-Identifier: Apache-2.0
#include "heed/training/curve.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "heed/base/testing.h"

namespace heed::training {
namespace {

Curve small_curve() {
  Curve curve;
  curve.add_training({100, 4});
  curve.add_training({200, 2});
  curve.add_training({300, 1.0 / 3});
  curve.add_validation("loss", {200, 3});
  curve.add_validation("bleu", {200, 17.5});
  return curve;
}

TEST(Curve, ComesBackFromItsText) {
  EXPECT_EQ(small_curve().text(),
            "bleu\t200:17.5\nloss\t200:3\n"
            "training loss\t100:4 200:2 300:0.3333333333333333\n");
  EXPECT_EQ(Curve::from_text(small_curve().text()).text(), small_curve().text());
  EXPECT_EQ(Curve::from_text("").text(), "");
}

TEST(Curve, RefusesTextThatIsNone) {
  for (const char* text : {"loss", "loss\t1", "loss\t1:x", "loss\tx:1", "loss\t1:1  2:2"}) {
    EXPECT_NE(
        heed::test::message_of<DataError>([&] { Curve::from_text(text); }).find("cannot be read"),
        std::string::npos)
        << text;
  }
}

TEST(Curve, LeavesOutWhatIsNotFinite) {
  Curve curve;
  curve.add_validation("perplexity", {1, std::numeric_limits<double>::infinity()});
  curve.add_validation("perplexity", {2, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_EQ(curve.text(), "");
}

}  // namespace
}  // namespace heed::training
