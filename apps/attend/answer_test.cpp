// SPDX-License-Identifier: Apache-2.0
#include "attend/answer.h"

#include <gtest/gtest.h>

#include "attend/catalogue.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::attend {
namespace {

class Given final : public AttendTensors {
 public:
  explicit Given(std::map<std::string, Tensor> tensors) : tensors_(std::move(tensors)) {}
  const std::string& name() const override { return name_; }
  Tensor tensor(const std::string& name) override {
    const auto found = tensors_.find(name);
    return found == tensors_.end() ? Tensor() : found->second;
  }
  Ids ids(const std::string&, const Shape&) override { return {}; }
  std::optional<Mask> mask() override { return std::nullopt; }

 private:
  std::map<std::string, Tensor> tensors_;
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
  EXPECT_EQ(parts.back()["kind"], "normaliser");
}

}  // namespace
}  // namespace heed::attend
