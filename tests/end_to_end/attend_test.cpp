// SPDX-License-Identifier: Apache-2.0
// The verb `attend` as a user meets it: shapes in and out, masks, parameters, gradients, mistakes.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "attend_fixture.h"

namespace heed {
namespace {

using test::HeedAttend;
using test::ProgramResult;
using test::run_heed;
using test::Shape;
using test::wavy;

TEST_F(HeedAttend, GivesTheWorkedExample) {
  inputs = {{"query", {{1, 2}, {1, 0}}},
            {"keys", {{2, 2}, {std::log(3.0f), 0, 0, 5}}},
            {"values", {{2, 1}, {4, 8}}}};
  attend("dot");
  EXPECT_EQ(shape("context"), (Shape{1, 1}));
  EXPECT_EQ(shape("weights"), (Shape{1, 2}));
  EXPECT_EQ(shape("lse"), (Shape{1}));
  // exp(log 3) : exp(0) = 3 : 1
  EXPECT_NEAR(out("weights")[0], 0.75, 1e-6);
  EXPECT_NEAR(out("context")[0], 0.75 * 4 + 0.25 * 8, 1e-6);
  EXPECT_NEAR(out("scores")[0], std::log(3.0), 1e-6);
  EXPECT_NEAR(out("lse")[0], std::log(4.0), 1e-6);
  attend("dot | full | sparsemax");
  EXPECT_FALSE(has("lse"));
  EXPECT_EQ(out("weights"), (std::vector<double>{1, 0}));
}

TEST_F(HeedAttend, KeepsTheRankOfItsInputs) {
  inputs = {{"query", wavy({2, 3, 8})}, {"keys", wavy({2, 5, 8}, 1)}, {"values", wavy({2, 5, 4})}};
  attend("scaled_dot");
  EXPECT_EQ(shape("context"), (Shape{2, 3, 4}));
  EXPECT_EQ(shape("weights"), (Shape{2, 3, 5}));
  EXPECT_EQ(shape("lse"), (Shape{2, 3}));
  attend("scaled_dot", {"--heads", "4"});
  EXPECT_EQ(shape("context"), (Shape{2, 3, 4}));
  EXPECT_EQ(shape("weights"), (Shape{2, 4, 3, 5}));

  inputs = {{"query", wavy({2, 4, 3, 2})},
            {"keys", wavy({2, 2, 5, 2}, 1)},
            {"values", wavy({2, 2, 5, 6})}};
  attend("scaled_dot");
  EXPECT_EQ(shape("context"), (Shape{2, 4, 3, 6}));
  EXPECT_EQ(shape("lse"), (Shape{2, 4, 3}));
}

TEST_F(HeedAttend, SplitsHeadsThatShareKeys) {
  inputs = {{"query", wavy({1, 3, 8})}, {"keys", wavy({1, 5, 4}, 1)}, {"values", wavy({1, 5, 6})}};
  attend("scaled_dot", {"--heads", "4,2"});
  EXPECT_EQ(shape("context"), (Shape{1, 3, 12}));
  EXPECT_EQ(run("scaled_dot", {"--heads", "4,3"}).exit_code, 2);
  EXPECT_EQ(run("scaled_dot", {"--heads", "3"}).exit_code, 2);
}

TEST_F(HeedAttend, TakesBooleanMasksFloatMasksAndLengths) {
  inputs = {{"query", {{1, 1}, {1}}}, {"keys", {{3, 1}, {0, 0, 0}}}, {"values", wavy({3, 1})}};
  mask_shape = {1, 3};
  allowed = {1, 0, 1};
  attend("dot");
  EXPECT_EQ(out("weights"), (std::vector<double>{0.5, 0, 0.5}));
  allowed = {0, 0, 0};
  attend("dot");
  EXPECT_EQ(out("weights"), (std::vector<double>{0, 0, 0})) << "no allowed key: zeros, no NaN";
  EXPECT_EQ(out("context"), (std::vector<double>{0}));
  EXPECT_EQ(out("lse"), (std::vector<double>{-INFINITY}));
  allowed = {};
  inputs["mask"] = {{1, 3}, {std::log(3.0f), -INFINITY, 0}};
  attend("dot");
  EXPECT_NEAR(out("weights")[0], 0.75, 1e-6);
  EXPECT_EQ(out("weights")[1], 0);
  inputs.erase("mask");
  lengths = {2};
  attend("dot");
  EXPECT_EQ(out("weights"), (std::vector<double>{0.5, 0.5, 0}));
}

TEST_F(HeedAttend, GivesEachGroupOfHeadsItsPartOfTheMask) {
  inputs = {{"query", wavy({1, 2, 1, 1})},
            {"keys", {{1, 2, 2, 1}, {0, 0, 0, 0}}},
            {"values", wavy({1, 2, 2, 1})}};
  mask_shape = {1, 2, 1, 2};
  allowed = {1, 0, 0, 1};
  attend("1x(dot); 1x(dot | full | sparsemax)");
  EXPECT_EQ(out("weights"), (std::vector<double>{1, 0, 0, 1}));
}

TEST_F(HeedAttend, ProjectsWhereMatricesAreGiven) {
  inputs = {{"query", {{1, 2}, {3, 5}}}, {"keys", {{1, 2}, {7, 11}}},    {"values", {{1, 1}, {2}}},
            {"W_Q", {{1, 2}, {1, 0}}},   {"W_K", {{1, 2}, {0, 1}}},      {"W_V", {{2, 1}, {1, 10}}},
            {"W_O", {{1, 2}, {1, 1}}},   {"grad_context", {{1, 1}, {1}}}};
  attend("dot");
  EXPECT_EQ(out("scores"), (std::vector<double>{3 * 11}));
  EXPECT_EQ(out("context"), (std::vector<double>{2 + 20}));
  EXPECT_EQ(out("grad_W_O"), (std::vector<double>{2, 20}));
  EXPECT_EQ(out("grad_values"), (std::vector<double>{11}));
}

TEST_F(HeedAttend, NeedsEveryParameterUnlessASeedIsGiven) {
  inputs = {{"query", wavy({2, 4})}, {"keys", wavy({3, 4}, 1)}, {"values", wavy({3, 2}, 2)}};
  const ProgramResult lacking = run("additive(size=5)");
  EXPECT_EQ(lacking.exit_code, 3);
  for (const char* name : {"score.v", "score.W1", "score.W2", "--init"}) {
    EXPECT_NE(lacking.err.find(name), std::string::npos) << lacking.err;
  }
  attend("additive(size=5)", {"--init", "1"});
  const std::vector<double> first = out("context");
  attend("additive(size=5)", {"--init", "1"});
  EXPECT_EQ(out("context"), first);
  attend("additive(size=5)", {"--init", "2"});
  EXPECT_NE(out("context"), first);

  inputs["grad_context"] = wavy({2, 2}, 3);
  inputs["score.v"] = wavy({5}, 4);
  inputs["score.W1"] = wavy({5, 4}, 5);
  inputs["score.W2"] = wavy({5, 4}, 6);
  attend("additive(size=5)");
  EXPECT_EQ(shape("grad_score.W1"), (Shape{5, 4}));
}

// d/dx of <grad_context, context> + <grad_weights, weights>, against differences of the program.
TEST_F(HeedAttend, GivesTheGradientsOfItsInputs) {
  inputs = {{"query", wavy({2, 3})},
            {"keys", wavy({4, 3}, 1)},
            {"values", wavy({4, 2}, 2)},
            {"grad_context", wavy({2, 2}, 3)},
            {"grad_weights", wavy({2, 4}, 4)}};
  const std::map<std::string, test::Given> before = inputs;
  const auto objective = [&] {
    attend("scaled_dot | causal(align=end)");
    double sum = 0;
    for (const char* name : {"context", "weights"}) {
      const std::vector<double> value = out(name);
      const std::vector<float>& seed = inputs["grad_" + std::string(name)].values;
      for (std::size_t i = 0; i < value.size(); ++i) sum += value[i] * double{seed[i]};
    }
    return sum;
  };
  for (const char* name : {"query", "keys", "values"}) {
    inputs = before;
    objective();
    const double gradient = out("grad_" + std::string(name))[1];
    inputs[name].values[1] += 0.02f;
    const double above = objective();
    inputs[name].values[1] -= 0.04f;
    EXPECT_NEAR((above - objective()) / 0.04, gradient, 2e-4) << name;
  }
}

TEST_F(HeedAttend, TakesSegments) {
  inputs = {{"query", wavy({2, 1})}, {"keys", {{3, 1}, {0, 0, 0}}}, {"values", wavy({3, 1})}};
  whole = {{"query_segments", {0, 7}}, {"key_segments", {0, 7, 0}}};
  attend("dot");
  EXPECT_EQ(out("weights"), (std::vector<double>{0.5, 0, 0.5, 0, 1, 0}));
  attend("dot | segments & causal");
  EXPECT_EQ(out("weights"), (std::vector<double>{1, 0, 0, 0, 1, 0}));
}

TEST_F(HeedAttend, TakesBoundsAndGivesTheirGradient) {
  inputs = {{"query", {{1, 1}, {1}}},
            {"keys", {{3, 1}, {2, 0, 0}}},
            {"values", {{3, 1}, {4, 2, 0}}},
            {"bounds", {{3}, {0.5, 1, 1}}},
            {"grad_context", {{1, 1}, {1}}}};
  attend("dot | full | constrained_softmax");
  EXPECT_EQ(out("weights"), (std::vector<double>{0.5, 0.25, 0.25}));
  // One more on the first key takes one half from each of the others: 4 - (2 + 0) / 2.
  EXPECT_EQ(out("grad_bounds"), (std::vector<double>{3, 0, 0}));
}

TEST_F(HeedAttend, WritesTheDrawOfASampleAndItsGradients) {
  inputs = {{"query", {{1, 1}, {1}}},
            {"keys", {{3, 1}, {0, 1, 2}}},
            {"values", wavy({3, 1})},
            {"grad_log_probability", {{1}, {1}}}};
  attend("dot | full | sample", {"--init", "4"});
  const std::vector<double> weights = out("weights");
  const double total = 1 + std::exp(1) + std::exp(2);
  double entropy = 0, drawn = 0;
  for (int k = 0; k < 3; ++k) {
    const double p = std::exp(k) / total;
    entropy -= p * std::log(p);
    drawn += weights[static_cast<std::size_t>(k)] * std::log(p);
  }
  EXPECT_EQ(shape("log_probability"), (Shape{1}));
  EXPECT_NEAR(out("log_probability")[0], drawn, 1e-6);
  EXPECT_NEAR(out("entropy")[0], entropy, 1e-6);
  EXPECT_FALSE(has("lse")) << "the weights are not exp(scores - lse)";
  // d log p_k / d score_j = 1_k - p_j, and d score_j / d key_j = query = 1.
  for (std::size_t k = 0; k < 3; ++k) {
    const double p = std::exp(static_cast<double>(k)) / total;
    EXPECT_NEAR(out("grad_keys")[k], weights[k] - p, 1e-6);
  }
  inputs.erase("grad_log_probability");
  inputs["grad_entropy"] = {{1}, {2}};
  attend("dot | full | sample", {"--init", "4"});
  for (std::size_t k = 0; k < 3; ++k) {
    const double p = std::exp(static_cast<double>(k)) / total;
    EXPECT_NEAR(out("grad_keys")[k], -2 * p * (std::log(p) + entropy), 1e-6);
  }
  inputs.erase("grad_entropy");
  attend("dot");
  EXPECT_FALSE(has("entropy"));
}

TEST_F(HeedAttend, WritesTheLogSumExpWhereWeightsAreItsExponentials) {
  inputs = {{"query", {{1, 1}, {1}}}, {"keys", {{2, 1}, {0, 0}}}, {"values", wavy({2, 1})}};
  for (const char* spec : {"dot", "dot | full | softmax", "dot | full | softmax(temperature=1)"}) {
    attend(spec);
    EXPECT_NEAR(out("lse")[0], std::log(2.0), 1e-6) << spec;
  }
  for (const char* spec : {"dot | full | softmax(temperature=2)", "dot | full | topk_softmax",
                           "dot | full | sigmoid", "dot | full | entmax"}) {
    attend(spec);
    EXPECT_FALSE(has("lse")) << spec;
  }
}

TEST_F(HeedAttend, ShowsAScreenfulAndSaysWhatItLeftOut) {
  inputs = {{"query", wavy({3, 4, 40, 2})},
            {"keys", wavy({3, 4, 50, 2})},
            {"values", wavy({3, 4, 50, 1})}};
  const ProgramResult some = run("dot", {"--show"});
  EXPECT_NE(some.out.find("sequence 1, head 3\n"), std::string::npos);
  EXPECT_EQ(some.out.find("sequence 2"), std::string::npos);
  EXPECT_TRUE(
      some.out.ends_with("shown: 8 of 12 heatmaps, 32 of 40 queries, 32 of 50 keys; "
                         "--show-only SEQUENCE,HEAD shows one whole\n"))
      << some.out.substr(some.out.size() - 200);
  const ProgramResult one = run("dot", {"--show-only", "2,3"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  const std::size_t last = one.out.find("\n39  ");
  ASSERT_NE(last, std::string::npos) << one.out;
  EXPECT_EQ(one.out.size() - last, std::string("\n39  ").size() + 50 + 1) << "a cell for each key";
  EXPECT_EQ(one.out.find("shown:"), std::string::npos);
}

TEST_F(HeedAttend, SaysWhatIsWrong) {
  inputs = {{"query", wavy({2, 3})}, {"keys", wavy({4, 3})}, {"valuess", wavy({4, 2})}};
  const ProgramResult missing = run("dot");
  EXPECT_EQ(missing.exit_code, 3);
  EXPECT_NE(missing.err.find("no tensor values"), std::string::npos) << missing.err;
  inputs["values"] = wavy({4, 2});
  const ProgramResult unused = run("dot");
  EXPECT_EQ(unused.exit_code, 0);
  EXPECT_NE(unused.err.find("\"valuess\" (did you mean \"values\"?)"), std::string::npos);
  const ProgramResult unknown = run("dott");
  EXPECT_EQ(unknown.exit_code, 2);
  EXPECT_NE(unknown.err.find('^'), std::string::npos) << unknown.err;
  const ProgramResult option = run("scaled_dot(scal=2)");
  EXPECT_EQ(option.exit_code, 2);
  EXPECT_NE(option.err.find("\n             ^"), std::string::npos) << option.err;
  inputs["keys"] = wavy({4, 5});
  EXPECT_EQ(run("dot").exit_code, 2) << "widths that differ";
}

TEST_F(HeedAttend, ShowsWeightsInTheTerminal) {
  inputs = {{"query", {{1, 1}, {1}}}, {"keys", {{2, 1}, {0, 0}}}, {"values", wavy({2, 1})}};
  const ProgramResult result = run("dot", {"--show"});
  EXPECT_EQ(result.out, "        0      1\n0  @  .50 @  .50\n") << result.err;
}

TEST(HeedAttendDemo, WalksThroughScoreNormaliseCombine) {
  const ProgramResult result = run_heed({"attend", "--demo"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  // cat: (0.75 * 2 + 0.5 * 2) / sqrt(4)
  for (const char* text : {"1. Score", "1.250", "2. Normalise", "3. Combine"}) {
    EXPECT_NE(result.out.find(text), std::string::npos) << text << "\n" << result.out;
  }
}

}  // namespace
}  // namespace heed
