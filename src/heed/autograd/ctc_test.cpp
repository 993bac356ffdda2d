// SPDX-License-Identifier: Apache-2.0
// CTC against known answers and against the sum over all paths.
#include "heed/autograd/ctc.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "heed/base/testing.h"
#include "heed/tensor/testing.h"

namespace heed {
namespace {

using heed::testing::expect_near;
using heed::testing::wavy;
using test::message_of;

nlohmann::json known_answers() {
  return nlohmann::json::parse(
      std::ifstream(std::filesystem::path(HEED_SOURCE_DIR) / "tests/golden/memory.json"))["ctc"];
}

Tensor matrix_of(const nlohmann::json& rows) {
  std::vector<Real> values;
  for (const auto& row : rows) {
    for (const double value : row) values.push_back(static_cast<Real>(value));
  }
  Tensor matrix(
      {static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(rows[0].size())});
  std::ranges::copy(values, matrix.mutable_data());
  return matrix;
}

Ids labels_of(const std::vector<std::int32_t>& labels) {
  return Ids::of({1, static_cast<std::int64_t>(labels.size())}, labels);
}

CtcTargets one_target(const std::vector<std::int32_t>& labels, std::int32_t blank = 0) {
  return {.labels = labels_of(labels),
          .lengths = Ids::of({1}, {static_cast<std::int32_t>(labels.size())}),
          .blank = blank};
}

std::vector<std::int32_t> collapsed(const std::vector<std::int32_t>& path, std::int32_t blank) {
  std::vector<std::int32_t> labels;
  for (std::size_t t = 0; t < path.size(); ++t) {
    if (path[t] != blank && (t == 0 || path[t] != path[t - 1])) labels.push_back(path[t]);
  }
  return labels;
}

// -log of the sum over all C^T paths that are these labels; logits [T,C].
double enumerated_loss(const Tensor& logits, const std::vector<std::int32_t>& labels,
                       std::int32_t blank) {
  const Tensor y = log_softmax(Variable(logits)).value();
  const auto frames = static_cast<std::size_t>(logits.size(0));
  std::vector<std::int32_t> path(frames);
  std::vector<double> sums;
  for (;;) {
    if (collapsed(path, blank) == labels) {
      double sum = 0;
      for (std::size_t t = 0; t < frames; ++t) {
        sum += static_cast<double>(y.at({static_cast<std::int64_t>(t), path[t]}));
      }
      sums.push_back(sum);
    }
    std::size_t t = 0;
    while (t < frames && ++path[t] == logits.size(1)) path[t++] = 0;
    if (t == frames) break;
  }
  if (sums.empty()) return std::numeric_limits<double>::infinity();
  const double top = *std::ranges::max_element(sums);
  double total = 0;
  for (const double sum : sums) total += std::exp(sum - top);
  return -top - std::log(total);
}

double loss_of(const Tensor& logits, const CtcTargets& targets) {
  const Variable three(logits.reshape({1, logits.size(0), logits.size(1)}));
  return static_cast<double>(ctc_loss(three, targets).item());
}

TEST(Ctc, HasTheKnownLossesGradientsAndPosteriors) {
  const nlohmann::json answers = known_answers();  // items() does not keep them
  for (const auto& [name, one] : answers.items()) {
    if (!one.contains("logits")) continue;
    SCOPED_TRACE(name);
    const Tensor logits = matrix_of(one["logits"]);
    const Variable leaf = Variable::leaf(logits.reshape({1, logits.size(0), logits.size(1)}));
    const std::vector<std::int32_t> target = one["target"];
    const Variable loss = ctc_loss(leaf, one_target(target, one["blank"]));
    if (one["loss"].is_string()) {
      EXPECT_EQ(loss.item(), std::numeric_limits<Real>::infinity());
    } else {
      EXPECT_NEAR(loss.item(), one["loss"].get<double>(), 2e-6);
    }
    backward(loss);
    expect_near(leaf.gradient().reshape(logits.shape()), matrix_of(one["gradient"]), 2e-6);
    if (one["posterior_of_extended_label"].is_null()) continue;
    expect_near(ctc_posterior(logits, labels_of(target).reshape({-1}), one["blank"]),
                matrix_of(one["posterior_of_extended_label"]), 2e-6);
  }
}

TEST(Ctc, IsTheSumOverAllPaths) {
  for (const std::vector<std::int32_t>& labels :
       {std::vector<std::int32_t>{}, {1}, {1, 2}, {2, 2}, {1, 2, 1}, {2, 2, 1}}) {
    for (const double spread : {0.5, 3.0, 40.0, 3000.0}) {  // beyond any range: by logarithms
      const Tensor logits = wavy({5, 3}, static_cast<int>(labels.size())) * Real(spread);
      const double expected = enumerated_loss(logits, labels, 0);
      EXPECT_NEAR(loss_of(logits, one_target(labels)), expected, 1e-5 * (1 + expected))
          << labels.size() << " labels, spread " << spread;
    }
  }
}

TEST(Ctc, IsTheSameInDoublesAndByLogarithms) {
  // One frame forbids a symbol that no path needs, which makes the range infinite.
  Tensor logits = wavy({30, 6}) * Real{4};
  const std::vector<std::int32_t> labels = {1, 3, 3, 2, 5, 1};
  const double in_doubles = loss_of(logits, one_target(labels));
  logits.mutable_data()[0 * 6 + 5] = -std::numeric_limits<Real>::infinity();
  const double by_logarithms = loss_of(logits, one_target(labels));
  // Symbol 5 is out of reach at the first frame, but its chance went to the others there.
  const Tensor before = log_softmax(Variable(wavy({30, 6}) * Real{4})).value();
  const double gone = std::log1p(-std::exp(static_cast<double>(before.at({0, 5}))));
  EXPECT_NEAR(by_logarithms, in_doubles + gone, 1e-4);
}

TEST(Ctc, LeavesOutFramesPastTheEndAndLabelsThatArePadding) {
  const Tensor first = wavy({4, 3}), second = wavy({6, 3}, 1);
  Tensor both = Tensor::zeros({2, 6, 3});
  std::ranges::copy(first.span(), both.mutable_data());
  std::ranges::copy(second.span(), both.mutable_data() + 18);
  for (int i = 12; i < 18; ++i) both.mutable_data()[i] = Real(0.7 * i);
  const Variable leaf = Variable::leaf(both);
  const CtcTargets targets{.labels = Ids::of({2, 3}, {1, 77, 77, 2, 1, 2}),
                           .lengths = Ids::of({2}, {1, 3}),
                           .frames = Ids::of({2}, {4, 6})};
  const Variable each = ctc_loss(leaf, targets, Reduction::none);
  EXPECT_NEAR(each.value().at({0}), enumerated_loss(first, {1}, 0), 1e-5);
  EXPECT_NEAR(each.value().at({1}), enumerated_loss(second, {2, 1, 2}, 0), 1e-5);
  EXPECT_NEAR(ctc_loss(leaf, targets).item(), (each.value().at({0}) + each.value().at({1})) / 2,
              1e-5);
  EXPECT_NEAR(ctc_loss(leaf, targets, Reduction::sum).item(), sum(each).item(), 1e-5);
  backward(ctc_loss(leaf, targets));
  const Tensor gradient = leaf.gradient();
  for (std::int64_t t = 0; t < 6; ++t) {
    Real row = 0, size = 0;
    for (std::int64_t c = 0; c < 3; ++c) {
      row += gradient.at({0, t, c});
      size += std::abs(gradient.at({0, t, c}));
    }
    EXPECT_NEAR(row, 0, 1e-6) << "rows of the gradient add up to nothing";
    EXPECT_EQ(size == 0, t >= 4) << t;
  }
}

TEST(Ctc, CountsTargetsThatHaveTooFewFrames) {
  const CtcTargets targets{.labels = Ids::of({3, 2}, {1, 1, 1, 2, 2, 0}),
                           .lengths = Ids::of({3}, {2, 2, 0}),
                           .frames = Ids::of({3}, {2, 2, 0})};
  EXPECT_EQ(ctc_infeasible(targets, 2), (std::vector<std::int64_t>{0}));
  const Variable leaf = Variable::leaf(wavy({3, 2, 3}));
  const Variable each = ctc_loss(leaf, targets, Reduction::none);
  EXPECT_EQ(each.value().at({0}), std::numeric_limits<Real>::infinity());
  EXPECT_TRUE(std::isfinite(each.value().at({1})));
  EXPECT_EQ(each.value().at({2}), 0) << "no frames, no labels";
  backward(sum(each));
  for (std::int64_t i = 0; i < 6; ++i) EXPECT_EQ(leaf.gradient().packed().data()[i], 0);
}

TEST(Ctc, OfNumbersThatAreNoneIsNone) {
  Tensor logits = wavy({3, 3});
  logits.mutable_data()[4] = std::numeric_limits<Real>::quiet_NaN();
  EXPECT_TRUE(std::isnan(loss_of(logits, one_target({1}))));
}

TEST(Ctc, SaysWhatDoesNotFit) {
  const Variable logits(wavy({2, 4, 3}));
  EXPECT_NE(message_of<UsageError>([&] {
              ctc_loss(logits, {.labels = Ids::of({1, 2}, {1, 2}), .lengths = Ids::of({1}, {2})});
            }).find("logits [2,4,3], labels [1,2], lengths [1], frames undefined; it takes"),
            std::string::npos);
  const CtcTargets with_blank{.labels = Ids::of({2, 1}, {1, 0}), .lengths = Ids::of({2}, {1, 1})};
  EXPECT_NE(message_of<UsageError>([&] {
              ctc_loss(logits, with_blank);
            }).find("sequence 1 has the label 0; labels are 0 to 2 without the blank 0"),
            std::string::npos);
  CtcTargets far = with_blank;
  far.blank = 3;
  EXPECT_NE(message_of<UsageError>([&] {
              ctc_loss(logits, far);
            }).find("the blank is 3, and there are 3 symbols"),
            std::string::npos);
  const CtcTargets long_ones{.labels = Ids::of({2, 1}, {1, 2}), .lengths = Ids::of({2}, {1, 2})};
  EXPECT_THROW(ctc_loss(logits, long_ones), UsageError);
}

}  // namespace
}  // namespace heed
