// SPDX-License-Identifier: Apache-2.0
#include "heed/insight/draw/matrix_view.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::insight {
namespace {

using Words = std::vector<std::string>;

// "the ca t </s>" read by "le chat </s>": two layers of two heads, the last key masked for the
// first query.
TracedExample example() {
  const auto head = [](int layer, int number, Real first) {
    return TracedHead{
        layer, number,
        Tensor::of({3, 4}, {first, 1 - first, 0, kMasked, 0, .5f, .25f, .25f, 0, 0, .125f, .875f})};
  };
  return {.title = "a cat",
          .strips = {{"source", {"▁the", "▁ca", "t", "</s>"}, {0, 1, 1, -1}},
                     {"target", {"le", "chat", "</s>"}, {}}},
          .attentions = {
              {"encoder self", "source", "source", false, {{0, 0, Tensor::full({4, 4}, .25f)}}},
              {"cross",
               "target",
               "source",
               true,
               {head(0, 0, 1), head(0, 1, .5f), head(1, 0, .25f), head(1, 1, .75f)}}}};
}

std::string mistake(const MatrixViewOptions& options) {
  return test::message_of<UsageError>([&] { matrix_view(example(), options); });
}

TEST(LookAt, BeginsWithTheMeanOfTheLastLayersCrossAttention) {
  const MatrixView view = matrix_view(example());
  EXPECT_EQ(view.title, "cross, layer 1, mean of 2 heads");
  EXPECT_EQ(view.query_strip, "target");
  EXPECT_EQ(view.key_strip, "source");
  EXPECT_EQ(view.keys, (Words{"▁the", "▁ca", "t", "</s>"}));
  EXPECT_FLOAT_EQ(view.weights.at({0, 0}), .5f);
  EXPECT_TRUE(std::isnan(view.weights.at({0, 3}))) << "masked in both heads";
}

TEST(LookAt, TakesOneHeadOrTheLargestOfAll) {
  const MatrixView one =
      matrix_view(example(), {.layer = 0, .head = 1, .aggregate = Aggregate::head});
  EXPECT_EQ(one.title, "cross, layer 0, head 1");
  EXPECT_FLOAT_EQ(one.weights.at({0, 0}), .5f);
  const MatrixView most =
      matrix_view(example(), {.layer = kAllLayers, .aggregate = Aggregate::max});
  EXPECT_EQ(most.title, "cross, layers 0 to 1, largest of 4 heads");
  EXPECT_FLOAT_EQ(most.weights.at({0, 0}), 1);
  EXPECT_FLOAT_EQ(most.weights.at({0, 1}), .75f);
}

TEST(LookAt, AddsThePiecesOfAKeyAndAveragesThoseOfAQuery) {
  const MatrixView cross = matrix_view(example(), {.merge_words = true});
  EXPECT_EQ(cross.keys, (Words{"the", "cat", "</s>"}));
  EXPECT_FLOAT_EQ(cross.weights.at({1, 1}), .75f);  // .5 + .25
  EXPECT_TRUE(std::isnan(cross.weights.at({0, 2})));
  const MatrixView self = matrix_view(example(), {.set = "encoder self", .merge_words = true});
  EXPECT_EQ(self.weights.size(0), 3);
  EXPECT_FLOAT_EQ(self.weights.at({1, 1}), .5f);  // the mean of two rows of .25 + .25
}

TEST(LookAt, HidesEndsByTheirWordNumberOrByTheirLook) {
  const MatrixView view = matrix_view(example(), {.hide_special = true});
  EXPECT_EQ(view.keys, (Words{"▁the", "▁ca", "t"}));
  EXPECT_EQ(view.queries, (Words{"le", "chat"}));
}

TEST(LookAt, NormalisesRowsOrColumnsOfWhatIsShown) {
  const MatrixView rows =
      matrix_view(example(), {.normalise = Normalise::rows, .hide_special = true});
  EXPECT_NEAR(rows.weights.at({1, 1}), .5 / .75, 1e-6);
  const MatrixView columns = matrix_view(example(), {.normalise = Normalise::columns});
  EXPECT_NEAR(columns.weights.at({0, 0}), 1, 1e-6);
  EXPECT_NEAR(columns.weights.at({1, 3}), .25 / 1.125, 1e-6);
}

TEST(LookAt, CountsWhatIsBelowTheThresholdAsZeroAndLeavesMasksAlone) {
  const MatrixView view = matrix_view(example(), {.threshold = .3});
  EXPECT_EQ(view.weights.at({1, 2}), 0);
  EXPECT_FLOAT_EQ(view.weights.at({1, 1}), .5f);
  EXPECT_TRUE(std::isnan(view.weights.at({0, 3})));
}

TEST(LookAt, SaysWhatThereIs) {
  EXPECT_EQ(mistake({.set = "cros"}), "no set 'cros'; this trace has encoder self, cross");
  EXPECT_EQ(mistake({.layer = 7}), "no layer 7; set 'cross' has layers 0 to 1");
  EXPECT_EQ(mistake({.layer = 0, .head = 5, .aggregate = Aggregate::head}),
            "no head 5; layer 0 of set 'cross' has heads 0, 1");
  TracedExample single = example();
  std::erase_if(single.attentions[1].heads, [](const TracedHead& head) { return head.head > 0; });
  EXPECT_EQ(test::message_of<UsageError>([&] {
              matrix_view(single, {.layer = 0, .head = 99, .aggregate = Aggregate::head});
            }),
            "no head 99; layer 0 of set 'cross' has head 0");
  EXPECT_NE(mistake({.layer = kAllLayers, .aggregate = Aggregate::head}).find("mean and max"),
            std::string::npos);
  TracedExample ends = example();
  ends.strips[1].words = {-1, -1, -1};
  EXPECT_EQ(test::message_of<UsageError>([&] { matrix_view(ends, {.hide_special = true}); }),
            "strip 'target': 3 tokens, and none is left to show");
}

}  // namespace
}  // namespace heed::insight
