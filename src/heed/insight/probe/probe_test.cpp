// SPDX-License-Identifier: Apache-2.0
// Probes find what is there, and nothing where there is nothing.
#include "heed/insight/probe/probe.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/random.h"

namespace heed::insight {
namespace {

// 400 vectors of 6 features; labels by a rule of the features, words by turns.
template <typename Rule>
ProbeData drawn(const Rule& rule, std::int32_t words = 40) {
  Random random(3);
  ProbeData data{.vectors = Tensor({400, 6}), .learnt = 300};
  fill_uniform(std::span(data.vectors.mutable_data(), 2400), random, -1, 1);
  for (std::int64_t i = 0; i < 400; ++i) {
    data.labels.push_back(rule(data.vectors.data() + i * 6));
    data.words.push_back(
        static_cast<std::int32_t>(random.integer(static_cast<std::uint64_t>(words))));
  }
  return data;
}

TEST(Probe, ReadsWhatIsLinearAndCodesItInLess) {
  const ProbeResult found =
      probe(drawn([](const Real* x) { return x[2] > 0 ? 1 : 0; }), {.epochs = 30});
  EXPECT_GT(found.accuracy, .9);
  EXPECT_LT(found.control, .7);  // words are drawn apart from the vectors
  EXPECT_GT(found.selectivity(), .25);
  EXPECT_GT(found.compression(), 1.5);
  EXPECT_NEAR(found.uniform_bits, 300, 1e-9);
}

TEST(Probe, NeedsHiddenUnitsForWhatIsNot) {
  const ProbeData data = drawn([](const Real* x) { return x[0] * x[1] > 0 ? 1 : 0; });
  EXPECT_LT(probe(data, {.epochs = 30}).accuracy, .65);
  EXPECT_GT(probe(data, {.hidden = 32, .epochs = 80}).accuracy, .8);
}

TEST(Probe, FindsNothingWhereThereIsNothing) {
  Random random(8);
  const ProbeResult found =
      probe(drawn([&](const Real*) { return static_cast<int>(random.integer(2)); }));
  EXPECT_NEAR(found.accuracy, .5, .15);
  EXPECT_LT(found.compression(), 1.1);
}

TEST(Probe, BaselinesAreOfLabelsAndWords) {
  ProbeData data{.vectors = Tensor::zeros({8, 1}),
                 .labels = {0, 0, 1, 1, 0, 1, 0, 1},
                 .words = {0, 0, 1, 1, 2, 1, 0, 9},
                 .learnt = 5};
  const ProbeBaselines found = probe_baselines(data);
  EXPECT_NEAR(found.commonest, 1. / 3, 1e-12);
  EXPECT_NEAR(found.by_word, 2. / 3, 1e-12);
}

TEST(Probe, RefusesWhatCannotBeLearnt) {
  ProbeData data{.vectors = Tensor::zeros({2, 1}), .labels = {0, 0}, .words = {0, 1}, .learnt = 1};
  EXPECT_THROW(probe(data), UsageError);
  data.labels = {0, 1};
  data.learnt = 2;
  EXPECT_THROW(probe(data), UsageError);
  data.learnt = 1;
  data.words.pop_back();
  EXPECT_THROW(probe(data), UsageError);
}

}  // namespace
}  // namespace heed::insight
