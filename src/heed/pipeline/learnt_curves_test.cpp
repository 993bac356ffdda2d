// SPDX-License-Identifier: Apache-2.0
// Numbers of heads by update: from a training, through its resumption, to a description.
#include "heed/pipeline/learnt_curves.h"

#include <gtest/gtest.h>

#include "heed/base/testing.h"
#include "heed/pipeline/language/language_testing.h"
#include "heed/pipeline/model_facts.h"
#include "heed/pipeline/testing.h"

namespace heed::pipeline {
namespace {

TEST(LearntCurves, FollowWhatEachHeadLearnsThroughTwoRuns) {
  test::TemporaryFolder folder;
  LanguageOptions options;
  testing::set_small(options, folder.path(), LanguageModelKind::gpt);
  options.model.attention = "scaled_dot | full | entmax(learnable=true)";
  options.trainer.max_updates = 15;
  train(options, testing::silent);
  options.trainer.max_updates = 30;
  train(options, testing::silent);
  const training::Curve curve = training::Curve::from_text(read_file(options.out + "/heads.tsv"));
  ASSERT_EQ(curve.series().size(), 2U);
  for (const auto& [name, points] : curve.series()) {
    EXPECT_TRUE(name.starts_with("alpha, stack.layers.0.self, head ")) << name;
    std::vector<std::int64_t> updates;
    for (const training::CurvePoint& point : points) updates.push_back(point.update);
    EXPECT_EQ(updates, (std::vector<std::int64_t>{15, 30})) << name;
    EXPECT_NE(points.front().value, points.back().value);
  }
  EXPECT_NE(read_file(options.out + "/heads.svg").find("alpha"), std::string::npos);
  const insight::ModelFacts facts = facts_of_folder(options.out);
  ASSERT_EQ(facts.learnt.size(), 1U);
  ASSERT_EQ(facts.learnt[0].heads.size(), 2U);
  const std::string text = insight::to_text(insight::describe(facts));
  for (std::size_t head = 0; head < 2; ++head) {
    EXPECT_GT(facts.learnt[0].heads[head], 1);
    EXPECT_LT(facts.learnt[0].heads[head], 2);
  }
  EXPECT_NE(text.find(fmt::format("; alpha {:.3g} {:.3g}", facts.learnt[0].heads[0],
                                  facts.learnt[0].heads[1])),
            std::string::npos)
      << text;
}

}  // namespace
}  // namespace heed::pipeline
