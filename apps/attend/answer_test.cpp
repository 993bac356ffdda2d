// SPDX-License-Identifier: Apache-2.0
#include "attend/answer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "attend/catalogue.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::attend {
namespace {

class Given final : public AttendTensors {
 public:
  explicit Given(std::map<std::string, Tensor> tensors) : tensors_(std::move(tensors)) {}
  Given(std::map<std::string, Tensor> tensors, Mask mask)
      : tensors_(std::move(tensors)), mask_(std::move(mask)) {}
  const std::string& name() const override { return name_; }
  Tensor tensor(const std::string& name) override {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? Tensor() : found->second;
  }
  Ids ids(const std::string& name, const Shape&) override {
    return name == "lengths" ? lengths : Ids();
  }
  std::optional<Mask> mask() override { return mask_; }

  Ids lengths{};

 private:
  std::map<std::string, Tensor> tensors_;
  std::optional<Mask> mask_{};
  std::string name_ = "given";
};

TEST(Attend, GivesContextWeightsAndGradientsInTheRankOfTheInput) {
  Given input({{"query", Tensor::of({1, 2}, {1, 0})},
               {"keys", Tensor::of({2, 2}, {1, 0, 1, 0})},
               {"values", Tensor::of({2, 1}, {2, 4})},
               {"grad_context", Tensor::of({1, 1}, {1})}});
  const Answer found = answer(input, read_question(input, {}), {.spec = "scaled_dot"});
  EXPECT_EQ(found.tensors.at("context").values(), std::vector<Real>{3});
  EXPECT_EQ(found.tensors.at("weights").values(), (std::vector<Real>{.5, .5}));
  EXPECT_EQ(found.tensors.at("grad_values").values(), (std::vector<Real>{.5, .5}));
  EXPECT_EQ(found.weights.shape(), Shape({1, 1, 1, 2}));
  EXPECT_TRUE(found.tensors.contains("lse"));
}

// Three keys that score alike, with the values 1, 2 and 4; two sentences of two queries.
std::map<std::string, Tensor> alike() {
  return {{"query", Tensor::zeros({2, 2, 1})},
          {"keys", Tensor::zeros({2, 3, 1})},
          {"values", Tensor::of({2, 3, 1}, {1, 2, 4, 1, 2, 4})}};
}

std::vector<Real> context_of(Given& input, const std::string& spec, const Heads& heads = {}) {
  return answer(input, read_question(input, heads), {.spec = spec}).tensors.at("context").values();
}

TEST(Attend, KeepsToTheMaskOfEachSentence) {
  Given input(alike(), {.values = Tensor::of({2, 1, 3}, {1, 0, 0, 0, 1, 0})});
  EXPECT_EQ(context_of(input, "dot"), (std::vector<Real>{1, 1, 2, 2}));
}

TEST(Attend, KeepsToTheLengthsOfSentences) {
  Given input(alike());
  input.lengths = Ids::of({2}, {1, 2});
  EXPECT_EQ(context_of(input, "dot"), (std::vector<Real>{1, 1, 1.5, 1.5}));
  input.lengths = Ids::of({2}, {1, 4});
  EXPECT_NE(test::message_of<UsageError>([&] {
              context_of(input, "dot");
            }).find("lengths holds 4; a sequence has 0 to 3 keys"),
            std::string::npos);
}

TEST(Attend, AddsAFloatMaskOnceAndHidesWhatIsMinusInfinity) {
  const auto infinity = std::numeric_limits<Real>::infinity();
  const Real third = std::log(Real{3});  // three times the weight
  Given input(alike(), {.values = Tensor::of({3}, {third, 0, -infinity}), .added = true});
  for (const char* spec : {"dot", "dot + tensor"}) {
    const std::vector<Real> context = context_of(input, spec);
    ASSERT_EQ(context.size(), 4u);
    for (const Real value : context) EXPECT_NEAR(value, .75 * 1 + .25 * 2, 1e-6) << spec;
  }
  Given wrong(alike(), {.values = Tensor::of({3}, {infinity, 0, 0}), .added = true});
  EXPECT_NE(test::message_of<UsageError>([&] { context_of(wrong, "dot"); }).find("mask holds inf"),
            std::string::npos);
}

TEST(Attend, WritesTheLogSumExpOfPlainSoftmaxAlone) {
  const auto has = [](const std::string& spec) {
    Given input(alike());
    return answer(input, read_question(input, {}), {.spec = spec}).tensors.contains("lse");
  };
  EXPECT_TRUE(has("dot"));
  EXPECT_TRUE(has("dot | full | softmax"));
  EXPECT_FALSE(has("dot | full | softmax(temperature=2)"));
  EXPECT_FALSE(has("dot | full | sparsemax"));
}

TEST(Attend, ProjectsSplitsAndMergesHeads) {
  // Two heads of the query share one of keys and values, which are 2 and 3 times the input.
  Given input({{"query", Tensor::of({1, 1, 2}, {1, 1})},
               {"keys", Tensor::of({1, 2, 1}, {1, 2})},
               {"values", Tensor::of({1, 2, 1}, {1, 2})},
               {"W_Q", Tensor::of({2, 2}, {1, 0, 0, -1})},
               {"W_K", Tensor::of({1, 1}, {2})},
               {"W_V", Tensor::of({1, 1}, {3})},
               {"W_O", Tensor::of({3, 2}, {1, 0, 0, 1, 1, 1})}});
  const Heads heads{.query = 2, .key = 1, .given = true};
  const std::vector<Real> found = context_of(input, "dot", heads);
  const double share = 1 / (1 + std::exp(2.0));  // of the key that scores 2 less
  const double first = 3 * share + 6 * (1 - share), second = 3 * (1 - share) + 6 * share;
  ASSERT_EQ(found.size(), 3u);
  EXPECT_NEAR(found[0], first, 1e-5);
  EXPECT_NEAR(found[1], second, 1e-5);
  EXPECT_NEAR(found[2], first + second, 1e-5);
}

TEST(Attend, AddsTheGradientsOfAllThatIsGivenUpstream) {
  std::map<std::string, Tensor> tensors = {{"query", Tensor::of({1, 1}, {1})},
                                           {"keys", Tensor::of({2, 1}, {1, 0})},
                                           {"values", Tensor::of({2, 1}, {2, 4})}};
  const auto gradient = [&](bool context, bool weights) {
    std::map<std::string, Tensor> all = tensors;
    if (context) all["grad_context"] = Tensor::of({1, 1}, {1});
    if (weights) all["grad_weights"] = Tensor::of({1, 2}, {3, -1});
    Given input(all);
    const Answer found = answer(input, read_question(input, {}), {.spec = "dot"});
    return found.tensors.at("grad_keys").values();
  };
  const std::vector<Real> one = gradient(true, false), other = gradient(false, true),
                          both = gradient(true, true);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_NEAR(both[i], one[i] + other[i], 1e-6);
    EXPECT_GT(std::abs(one[i]), 1e-2);
  }
}

TEST(Attend, DrawsParametersOnlyWhenItMay) {
  Given input({{"query", Tensor::of({1, 1}, {1})},
               {"keys", Tensor::of({1, 1}, {1})},
               {"values", Tensor::of({1, 1}, {1})}});
  EXPECT_NE(test::message_of<UsageError>([&] {
              answer(input, read_question(input, {}), {.spec = "additive"});
            }).find("given: no tensor "),
            std::string::npos);
  EXPECT_NO_THROW(answer(input, read_question(input, {}), {.spec = "additive", .init = 1}));
}

TEST(Catalogue, ListsThePartsOfAllKinds) {
  const nlohmann::json parts = catalogue_json();
  EXPECT_GT(parts.size(), 40u);
  EXPECT_EQ(parts.front()["kind"], "score");
  EXPECT_EQ(parts.back()["kind"], "whole mechanism");
}

}  // namespace
}  // namespace heed::attend
