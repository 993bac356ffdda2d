// SPDX-License-Identifier: Apache-2.0
// Sample: how often each key is drawn, its log-probability, the gradient of REINFORCE, and what it
// is drawn from. That draws of any part are right tests/laws/draw_laws_test.cpp proves.
#include <gtest/gtest.h>

#include "heed/attention/normalisers/of_normaliser.h"
#include "heed/attention/testing.h"
#include "heed/base/testing.h"

namespace heed::attention {
namespace {

TEST(Sample, DrawsKeysAsOftenAsSoftmaxSays) {
  const auto part = normaliser("sample");
  std::vector<double> share(3, 0.0);
  constexpr int kRows = 20000;
  for (std::uint64_t r = 0; r < kRows; ++r) {
    RowData<double> row{.scores = {-2, 0, 0.5}, .random = {.seed = 9, .row = r}};
    const auto p = weights_of(*part, row);
    for (std::size_t i = 0; i < 3; ++i) share[i] += p[i] / kRows;
  }
  expect_all_near(share, {0.0486, 0.3592, 0.5922}, 0.012);  // three deviations of 20,000 draws
}

TEST(Sample, SaysItsLogProbabilityAndEntropy) {
  const auto part = normaliser("sample");
  RowData<double> row{.scores = {-2, 0, 0.5}};
  const auto drawn = weights_of(*part, row);
  const auto p = weights_of(*normaliser("softmax"), row.scores);
  double log_probability = 0, entropy = 0;
  for (std::size_t i = 0; i < 3; ++i) {
    log_probability += drawn[i] * std::log(p[i]);
    entropy -= p[i] * std::log(p[i]);
  }
  const auto draw = row_part(*part).draw(row.row(), drawn);
  EXPECT_TRUE(row_part(*part).draws());
  EXPECT_NEAR(draw.log_probability, log_probability, 1e-14);
  EXPECT_NEAR(draw.entropy, entropy, 1e-14);
}

TEST(Sample, GradientsOfLogProbabilityAndEntropyAreThoseOfFiniteDifferences) {
  const auto part = normaliser("sample");
  RowData<double> row{.scores = {-2, 0, 0.5, 0.1}};
  const auto drawn = weights_of(*part, row);
  const std::vector<double> none(4, 0.0);
  std::vector<double> dz(4);
  row_part(*part).backward(
      row.row(), drawn, {.weights = none, .log_probability = 0.7, .entropy = -1.3}, {.scores = dz});
  const auto objective = [&] {
    const auto draw = row_part(*part).draw(row.row(), drawn);
    return 0.7 * draw.log_probability - 1.3 * draw.entropy;
  };
  for (std::size_t i = 0; i < 4; ++i) {
    const double before = row.scores[i], step = 1e-6;
    row.scores[i] = before + step;
    const double above = objective();
    row.scores[i] = before - step;
    const double below = objective();
    row.scores[i] = before;
    EXPECT_NEAR(dz[i], (above - below) / (2 * step), 1e-8);
  }
}

// Every gradient of a row, given those of a draw's log-probability and entropy.
std::vector<double> score_gradient(const Normaliser& part, RowData<double> row,
                                   const RowUpstream<double>& upstream) {
  std::vector<double> dz(row.scores.size());
  row_part(part).backward(row.row(), weights_of(part, row), upstream, {.scores = dz});
  return dz;
}

TEST(Sample, IsTrainedByTheDrawLessTheWeights) {
  for (const char* of : {"softmax", "sigmoid"}) {
    const auto part = normaliser("sample", {{"of", of}});
    RowData<double> row{.scores = {0.5, -1.0, 2.0, 1.6, 0.0, 1.5}};
    const auto z = weights_of(*part, row), p = weights_of(*normaliser(of), row.scores);
    const std::vector<double> none(6, 0.0);
    const auto dz = score_gradient(*part, row, {.weights = none, .log_probability = 2});
    for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(dz[i], 2 * (z[i] - p[i]), 1e-14) << of;
  }
}

TEST(Sample, DrawsNoKeyThatASparseNormaliserLeavesOut) {
  const auto part = normaliser("sample", {{"of", "sparsemax"}});
  for (std::uint64_t r = 0; r < 2000; ++r) {
    RowData<double> row{.scores = {0.5, -1.0, 2.0, 1.6, 0.0, 1.5}, .random = {.seed = 2, .row = r}};
    const auto z = weights_of(*part, row);
    EXPECT_EQ(z[2] + z[3] + z[5], 1);  // the support of sparsemax
  }
}

TEST(Sample, StraightThroughHasTheGradientOfTheWeights) {
  const std::vector<double> g = {0.3, -0.7, 1.1, -0.2, 0.9, 0.4};
  for (const char* of : {"softmax", "entmax(alpha=1.25)", "sigmoid"}) {
    const auto part = normaliser("sample", {{"of", of}, {"gradient", "straight-through"}});
    RowData<double> row{.scores = {0.5, -1.0, 2.0, 1.6, 0.0, 1.5}};
    EXPECT_FALSE(row_part(*part).draws()) << "a loss would count it twice";
    EXPECT_EQ(gradients_of(*part, row, g).scores, gradient_of(*OfNormaliser(of), row.scores, g));
  }
}

// E[J (grad of the loss at the draw)] = J (grad at the mean) for a quadratic loss, whose gradient
// is linear: the soft gradient.
TEST(Sample, StraightThroughIsTheSoftGradientOnAverageForAQuadraticLoss) {
  const auto& golden = structured_golden().at("estimators");
  const auto x = structured_golden().at("x").get<std::vector<double>>();
  const auto values = golden.at("values").get<std::vector<std::vector<double>>>();
  const auto target = golden.at("target").get<std::vector<double>>();
  const auto gradient_at = [&](const std::vector<double>& w) {
    std::vector<double> g(6, 0.0);
    for (std::size_t d = 0; d < 2; ++d) {
      double read = -target[d];
      for (std::size_t i = 0; i < 6; ++i) read += values[i][d] * w[i];
      for (std::size_t i = 0; i < 6; ++i) g[i] += values[i][d] * read;
    }
    return g;
  };
  const auto soft = normaliser("softmax");
  const auto p = weights_of(*soft, x);
  std::vector<double> mean(6, 0.0);
  for (std::size_t k = 0; k < 6; ++k) {  // every draw by its chance
    std::vector<double> z(6, 0.0);
    z[k] = 1;
    const auto dz = gradient_of(*soft, x, gradient_at(z));
    for (std::size_t i = 0; i < 6; ++i) mean[i] += p[k] * dz[i];
  }
  expect_all_near(mean, gradient_of(*soft, x, gradient_at(p)), 1e-14);
  const auto rows = golden.at("rows").get<std::vector<nlohmann::json>>();
  const auto row = std::ranges::find_if(rows, [](const nlohmann::json& one) {
    return one.at("name") == "straight-through sample (softmax)";
  });
  ASSERT_NE(row, rows.end());
  expect_all_near(mean, row->at("mean").get<std::vector<double>>(), 1e-11);
}

TEST(Sample, TakesTheLikeliestWithoutNoise) {
  const RowRandom no_noise{.likeliest = true};
  const auto one = weights_of(*normaliser("sample"),
                              RowData<double>{.scores = {1, 3, 3, -1}, .random = no_noise});
  EXPECT_EQ(one, (std::vector<double>{0, 1, 0, 0}));
  const auto gates = weights_of(*normaliser("sample", {{"of", "sigmoid"}}),
                                RowData<double>{.scores = {1, -3, 0, -1}, .random = no_noise});
  EXPECT_EQ(gates, (std::vector<double>{1, 0, 1, 0}));
}

TEST(Sample, WorksForOneAndTwoKeysAndSaysNanForScoresThatAreNone) {
  EXPECT_EQ(weights_of(*normaliser("sample"), {-7.0}), std::vector<double>{1});
  const auto two = weights_of(*normaliser("sample"), {0.0, 0.0});
  EXPECT_EQ(two[0] + two[1], 1);
  EXPECT_TRUE(std::isnan(weights_of(*normaliser("sample"), {0.0, std::nan(""), 1.0})[0]));
}

TEST(Sample, FloatDrawsWhatDoubleDraws) {
  const auto part = normaliser("sample", {{"of", "entmax(alpha=1.25)"}});
  for (std::uint64_t r = 0; r < 100; ++r) {
    RowData<double> wide{.scores = {0.5, -1, 2, 1.625, 0, 1.5}, .random = {.seed = 3, .row = r}};
    RowData<float> narrow{.scores = {0.5F, -1, 2, 1.625F, 0, 1.5F}, .random = wide.random};
    const auto z = weights_of(*part, wide);
    const auto narrow_z = weights_of(*part, narrow);
    EXPECT_EQ(std::vector<double>(narrow_z.begin(), narrow_z.end()), z);
    EXPECT_NEAR(row_part(*part).draw(narrow.row(), narrow_z).log_probability,
                row_part(*part).draw(wide.row(), z).log_probability, 1e-6);
  }
}

TEST(Sample, LearnsTheParametersOfWhatItIsDrawnFrom) {
  const auto part = normaliser("sample", {{"of", "entmax(alpha=1.3, learnable=true)"}});
  RowData<double> row{.scores = {0.5, -1, 2, 1.6}, .parameters = first_parameters(*part)};
  ASSERT_EQ(row.parameters.size(), 1u);
  const auto z = weights_of(*part, row);
  std::vector<double> none(4, 0.0), dz(4), d_parameters(1, 0.0);
  row_part(*part).backward(row.row(), z, {.weights = none, .log_probability = 1},
                           {.scores = dz, .parameters = d_parameters});
  const double before = row.parameters[0], step = 1e-6;
  row.parameters[0] = before + step;
  const double above = row_part(*part).draw(row.row(), z).log_probability;
  row.parameters[0] = before - step;
  const double below = row_part(*part).draw(row.row(), z).log_probability;
  EXPECT_NEAR(d_parameters[0], (above - below) / (2 * step), 1e-8);
  EXPECT_NE(d_parameters[0], 0);
}

TEST(Sample, SaysWhatCannotBeDrawnFrom) {
  const auto said = [](const char* of) {
    return heed::test::message_of<UsageError>([&] { normaliser("sample", {{"of", of}}); });
  };
  EXPECT_EQ(said("identity"),
            "sample: of: \"identity\" cannot be drawn from: it gives no chances; it takes a "
            "normaliser such as softmax, sparsemax or sigmoid");
  EXPECT_EQ(said("sinkhorn"),
            "sample: of: \"sinkhorn\" weighs all queries together; it takes a normaliser such as "
            "softmax, sparsemax or sigmoid");
  EXPECT_EQ(said("gumbel_softmax"),
            "sample: of: \"gumbel_softmax\" is random itself; it takes a normaliser such as "
            "softmax, sparsemax or sigmoid");
  EXPECT_EQ(said("spigot"),
            "sample: of: \"spigot\" has no gradient of its own; it takes a normaliser such as "
            "softmax, sparsemax or sigmoid");
  EXPECT_NE(said("sofmax").find("did you mean"), std::string::npos) << said("sofmax");
  EXPECT_NE(said("entmax(alpha=0)").find("entmax: alpha"), std::string::npos);
  EXPECT_THROW(normaliser("sample", {{"gradient", "none"}}), UsageError);
}

TEST(Sample, IsWrittenWithQuotesWhereTheyAreNeeded) {
  EXPECT_EQ(normaliser("sample", {{"of", "sparsemax"}})->written(), "sample(of=sparsemax)");
  EXPECT_EQ(normaliser("sample", {{"of", "entmax( alpha = 1.25 )"}})->written(),
            "sample(of=\"entmax(alpha=1.25)\")");
}

TEST(Sample, DrawsWholeChoicesOfAStructure) {
  for (const char* of : {"linear_chain", "span", "exactly"}) {
    SCOPED_TRACE(of);
    const auto part = normaliser("sample", {{"of", of}});
    RowData<double> data{.scores = {.4, -.3, 1.1, .2, -.8}};
    std::vector<double> often(5);
    constexpr int kDraws = 4000;
    for (int draw = 0; draw < kDraws; ++draw) {
      data.random.row = static_cast<std::uint64_t>(draw);
      const std::vector<double> z = weights_of(*part, data);
      for (std::size_t i = 0; i < 5; ++i) often[i] += z[i] / kDraws;
    }
    const std::vector<double> mean = weights_of(*normaliser(of), data);
    for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(often[i], mean[i], 5 * .5 / std::sqrt(kDraws));
  }
}

TEST(Sample, TellsHowLikelyAGateIsOpenAndNothingOfOthers) {
  const auto gates = normaliser("sample", {{"of", "sigmoid"}});
  const auto open = row_part(*gates).open_chance(.7);
  ASSERT_TRUE(open);
  const double p = 1 / (1 + std::exp(-.7));
  EXPECT_NEAR(open->value, p, 1e-12);
  EXPECT_NEAR(open->slope, p * (1 - p), 1e-12);
  EXPECT_FALSE(row_part(*normaliser("sample")).open_chance(.7)) << "one key depends on the others";
  EXPECT_FALSE(row_part(*normaliser("sigmoid")).open_chance(.7)) << "nothing is drawn";
}

}  // namespace
}  // namespace heed::attention
