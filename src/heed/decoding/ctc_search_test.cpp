// SPDX-License-Identifier: Apache-2.0
// Labels of frames: known answers, exact where nothing is cut off, and never better than exact.
#include "heed/decoding/ctc_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "heed/autograd/ctc.h"
#include "heed/base/testing.h"
#include "heed/tensor/testing.h"

namespace heed::decoding {
namespace {

using heed::testing::wavy;
using test::message_of;
using LabelList = std::vector<std::int32_t>;

// The chance of every labelling, by all C^T paths.
std::map<LabelList, double> all_labellings(const Tensor& logits, std::int32_t blank) {
  const Tensor y = log_softmax(Variable(logits)).value();
  const auto frames = static_cast<std::size_t>(y.size(0));
  std::map<LabelList, double> all;
  LabelList path(frames);
  for (;;) {
    LabelList labels;
    double sum = 0;
    for (std::size_t t = 0; t < frames; ++t) {
      sum += static_cast<double>(y.at({static_cast<std::int64_t>(t), path[t]}));
      if (path[t] != blank && (t == 0 || path[t] != path[t - 1])) labels.push_back(path[t]);
    }
    all[labels] += std::exp(sum);
    std::size_t t = 0;
    while (t < frames && ++path[t] == y.size(1)) path[t++] = 0;
    if (t == frames) return all;
  }
}

TEST(CtcBestPath, IsEmptyWhereTheBestLabellingIsNot) {
  const auto log = [](double p) { return static_cast<Real>(std::log(p)); };
  const Tensor logits = Tensor::of({2, 2}, {log(0.4), log(0.6), log(0.4), log(0.6)});
  const Labelling path = ctc_best_path(logits, 1);
  EXPECT_TRUE(path.labels.empty());
  EXPECT_NEAR(std::exp(path.log_probability), 0.36, 1e-6);
  const Labelling found = ctc_prefix_beam(logits, {.blank = 1}).front();
  EXPECT_EQ(found.labels, LabelList{0});
  EXPECT_NEAR(std::exp(found.log_probability), 0.64, 1e-6);
}

TEST(CtcBestPath, DropsBlanksAndRepeats) {
  Tensor logits = Tensor::zeros({7, 3});
  const int path[] = {1, 1, 0, 1, 2, 2, 0};
  for (int t = 0; t < 7; ++t) logits.mutable_data()[3 * t + path[t]] = 5;
  EXPECT_EQ(ctc_best_path(logits).labels, (LabelList{1, 1, 2}));
}

// Of all paths that are these labels, by enumeration.
TEST(CtcLikeliestPlaces, AreThoseOfTheBestOfAllPaths) {
  for (int example = 0; example < 40; ++example) {
    const Tensor logits = wavy({5, 3}, example) * Real{2};
    const Tensor y = log_softmax(Variable(logits)).value();
    for (const LabelList& labels : {LabelList{1, 2}, {1, 1}, {2, 1, 2}, {1, 1, 2}, {}}) {
      double best = -std::numeric_limits<double>::infinity();
      for (int code = 0; code < 243; ++code) {
        LabelList found;
        double sum = 0;
        for (int t = 0, left = code, before = 0; t < 5; ++t, left /= 3) {
          const int symbol = left % 3;
          sum += static_cast<double>(y.at({t, symbol}));
          if (symbol != 0 && symbol != before) found.push_back(symbol);
          before = symbol;
        }
        if (found == labels) best = std::max(best, sum);
      }
      const std::vector<std::int64_t> places = ctc_likeliest_places(logits, labels);
      ASSERT_EQ(places.size(), 5u);
      double sum = 0;
      for (std::int64_t t = 0; t < 5; ++t) {
        const std::int64_t place = places[static_cast<std::size_t>(t)];
        EXPECT_TRUE(t == 0 ? place < 2 : place >= places[static_cast<std::size_t>(t - 1)]);
        sum += static_cast<double>(
            y.at({t, place % 2 == 0 ? 0 : labels[static_cast<std::size_t>(place / 2)]}));
      }
      EXPECT_GE(places.back(), 2 * std::ssize(labels) - 1);
      EXPECT_NEAR(sum, best, 1e-5);
    }
  }
}

TEST(CtcLikeliestPlaces, AreNoneWhereTheLabelsDoNotFit) {
  EXPECT_TRUE(ctc_likeliest_places(Tensor::zeros({2, 3}), {1, 1}).empty());
  EXPECT_TRUE(ctc_likeliest_places(Tensor::zeros({0, 3}), {1}).empty());
  EXPECT_EQ(ctc_likeliest_places(Tensor::zeros({3, 3}), {1, 1}),
            (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_THROW(ctc_likeliest_places(Tensor::zeros({2, 3}), {0}), UsageError);
  EXPECT_THROW(ctc_likeliest_places(Tensor::zeros({2, 3}), {3}), UsageError);
}

TEST(CtcPrefixBeam, IsExactWhereEveryPrefixIsKept) {
  for (int example = 0; example < 40; ++example) {
    const Tensor logits = wavy({5, 4}, example) * Real{2};
    const auto all = all_labellings(logits, 0);
    const auto best = std::ranges::max_element(
        all, [](const auto& a, const auto& b) { return a.second < b.second; });
    const std::vector<Labelling> found = ctc_prefix_beam(logits, {.width = 10000, .best = 3});
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].labels, best->first) << example;
    for (const Labelling& one : found) {
      EXPECT_NEAR(std::exp(one.log_probability), all.at(one.labels), 1e-5);
      EXPECT_LE(one.log_probability, found[0].log_probability);
    }
    // The same number as the loss of these labels.
    const auto count = static_cast<std::int32_t>(found[0].labels.size());
    const Variable loss = ctc_loss(
        Variable(logits.reshape({1, 5, 4})),
        {.labels = Ids::of({1, count}, found[0].labels), .lengths = Ids::of({1}, {count})});
    EXPECT_NEAR(loss.item(), -found[0].log_probability, 1e-5);
    const Labelling narrow = ctc_prefix_beam(logits, {.width = 2}).front();
    EXPECT_LE(narrow.log_probability, found[0].log_probability + 1e-6);
  }
}

TEST(CtcPrefixBeam, OfNoFramesIsEmpty) {
  const std::vector<Labelling> found = ctc_prefix_beam(Tensor::zeros({0, 3}));
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].labels.empty());
  EXPECT_EQ(found[0].log_probability, 0);
}

TEST(CtcPrefixBeam, SaysWhatDoesNotFit) {
  EXPECT_NE(message_of<UsageError>([] {
              ctc_prefix_beam(Tensor::zeros({2, 3}), {.blank = 3});
            }).find("logits [2,3] with the blank 3"),
            std::string::npos);
  EXPECT_THROW(ctc_prefix_beam(Tensor::zeros({2, 3}), {.width = 0}), UsageError);
  EXPECT_THROW(ctc_best_path(Tensor::zeros({3})), UsageError);
}

}  // namespace
}  // namespace heed::decoding
