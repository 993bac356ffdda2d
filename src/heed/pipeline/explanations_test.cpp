// SPDX-License-Identifier: Apache-2.0
// Methods side by side, on a model whose answers are known.
#include "heed/pipeline/explanations.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "heed/base/error.h"
#include "heed/explain/testing.h"
#include "heed/insight/trace/signed_set.h"

namespace heed::pipeline {
namespace {

// Says a sum of its words' values, in two steps where it is told to write.
class Summer final : public Model {
 public:
  explicit Summer(bool writes) : writes_(writes) {}
  const ModelKind& kind() const override { throw InternalError("not asked"); }
  std::int64_t length(std::string_view) const override { return 3; }
  std::int64_t parameter_count() const override { return 0; }
  std::vector<std::vector<Answer>> run(std::span<const Input>, const Settings&) const override {
    return {};
  }
  std::vector<insight::TracedExample> trace(std::span<const Input>,
                                            const Settings&) const override {
    return {};
  }
  void measure(std::span<const std::string>, ComparedModel&) const override {}
  Explained explained(const Input&, const ExplainedTarget&) const override { return step(0); }

 private:
  Explained step(std::size_t number) const {
    const double sign = number == 0 ? 1 : -1;
    Explained one{.subject = std::make_unique<explain::SumSubject>(
                      std::vector<double>{sign * .5, sign * -1, 0}),
                  .words = {"a", "b", "c"},
                  .target = "sum",
                  .probability = .5};
    if (!writes_) return one;
    one.steps = {"x", "y"};
    one.step = number;
    one.at = [this](std::size_t other) { return step(other); };
    return one;
  }
  bool writes_;
};

TEST(Explanations, StandSideBySide) {
  const Summer model(false);
  const Explanations found =
      explanations(model, {"a b c"}, {.methods = {"leave_one_out", "gradient_input", "uniform"}});
  ASSERT_EQ(found.methods.size(), 3u);
  EXPECT_FALSE(found.written());
  EXPECT_NEAR(found.methods[0].steps[0].shares[1], -1, 1e-12);
  const std::vector<Agreement> all = agreements(found);
  ASSERT_EQ(all.size(), 3u);
  EXPECT_NEAR(all[0].found->tau, 1, 1e-12);
  EXPECT_FALSE(all[1].found.has_value()) << "an explainer that is constant agrees with nobody";
  const auto json = nlohmann::json::parse(explanations_json(found));
  EXPECT_EQ(json["words"].size(), 3u);
  EXPECT_EQ(json["methods"][1]["method"], "gradient_input");
  EXPECT_TRUE(json["agreement"][1]["tau"].is_null());
  EXPECT_EQ(suitable_explainers(*model.explained({}, {}).subject),
            (std::vector<std::string>{"leave_one_out", "shapley", "integrated_gradients",
                                      "gradient_input"}));
}

TEST(Explanations, AreOfEveryStepUnlessOneIsAskedFor) {
  const Summer model(true);
  const ExplainCall call{.methods = {"leave_one_out", "occlusion(width=3)"}};
  const Explanations found = explanations(model, {"a b c"}, call);
  ASSERT_TRUE(found.written());
  const insight::TracedExample example = traced(found, "a b c");
  EXPECT_EQ(insight::strip_of(example, "target").tokens, (std::vector<std::string>{"x", "y"}));
  const Tensor shares = insight::signed_shares(example.attentions[0]);
  EXPECT_NEAR(shares.at({0, 1}), -1, 1e-6);
  EXPECT_NEAR(shares.at({1, 1}), 1, 1e-6);
  const Tensor undefined = insight::signed_shares(example.attentions[1]);
  EXPECT_TRUE(attention::is_masked(undefined.at({0, 0}))) << "a span of the whole text";
  const auto json = nlohmann::json::parse(explanations_json(found));
  EXPECT_EQ(json["steps"].size(), 2u);
  EXPECT_TRUE(json["methods"][1]["steps"][0].contains("undefined"));
  ExplainCall one = call;
  one.target.label = "1";
  EXPECT_FALSE(explanations(model, {"a b c"}, one).written());
}

}  // namespace
}  // namespace heed::pipeline
