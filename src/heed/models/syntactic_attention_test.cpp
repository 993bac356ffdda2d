// SPDX-License-Identifier: Apache-2.0
// Syntactic attention against trees that are known, and against a text without padding.
#include "heed/models/syntactic_attention.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/attention/trace.h"
#include "heed/autograd/ops.h"
#include "heed/base/testing.h"
#include "heed/models/classifier_testing.h"
#include "heed/nn/initialisers.h"

namespace heed::models {
namespace {

EncodedText states_of(const Tensor& states, const Ids& lengths) {
  return {.states = states, .words = states, .last = {}, .lengths = lengths};
}

TEST(SyntacticAttention, WeighsHeadsOverAllTreesAndLeavesPaddingOut) {
  Random random(3);
  const SyntacticAttention syntax("bilinear | full | tree", 4, random);
  const Tensor three = nn::uniform({1, 3, 4}, random, Real(-1), Real(1));
  Tensor padded = Tensor::full({1, 5, 4}, Real{50});
  std::copy_n(three.data(), three.size(), padded.mutable_data());
  SyntaxWatch alone, among;
  const EncodedText one =
      syntax(states_of(three, Ids::of({1}, {3})), kSyntaxSite, {.watch = &alone});
  const EncodedText other =
      syntax(states_of(padded, Ids::of({1}, {3})), kSyntaxSite, {.watch = &among});
  for (std::int64_t s = 0; s < 3; ++s) {
    double row = 0;
    for (std::int64_t j = 0; j < 3; ++j) {
      row += alone.seen.at({0, 0, s, j});
      EXPECT_NEAR(among.seen.at({0, 0, s, j}), alone.seen.at({0, 0, s, j}), 1e-5);
    }
    EXPECT_NEAR(row, 1, 1e-5);
    for (std::int64_t d = 0; d < 4; ++d) {
      EXPECT_NEAR(other.states.value().at({0, s, d}), one.states.value().at({0, s, d}), 1e-4);
    }
  }
  EXPECT_TRUE(attention::is_masked(among.seen.at({0, 0, 0, 4})));
  EXPECT_TRUE(attention::is_masked(among.seen.at({0, 0, 4, 0}))) << "padding hangs on no word";
  EXPECT_NEAR(one.last.value().at({0, 1}), one.states.value().at({0, 2, 1}), 0);
}

TEST(SyntacticAttention, LossIsMinusTheLogarithmOfTheTreesProbability) {
  Random random(3);
  const SyntacticAttention syntax("dot | full | tree(projective=false, roots=many)", 2, random);
  // With equal scores each of the (n+1)^(n-1) trees is as likely as another: 3 of two words.
  const Variable scores(Tensor::zeros({3, 1, 3, 3}));
  const Ids heads = Ids::of({3, 3}, {1, 1, -1, 0, 0, 1, -1, -1, -1});
  const Tensor lost = syntax.loss(scores, heads, Ids::of({3}, {2, 3, 0})).value();
  EXPECT_NEAR(lost.at({0}), std::log(3), 1e-5);
  EXPECT_NEAR(lost.at({1}), std::log(16), 1e-5);
  EXPECT_EQ(lost.at({2}), 0) << "its tree is not known";
}

TEST(SyntacticAttention, FindsTheLikeliestTreeRatherThanTheBestHeadOfEachWord) {
  Random random(3);
  const SyntacticAttention trees("dot | full | tree", 2, random);
  const SyntacticAttention rows("dot | full | softmax", 2, random);
  // Each of the two words likes to hang on the other; a tree needs a root.
  const Tensor scores = Tensor::of({1, 1, 2, 2}, {0, 5, 4, 0});
  const Tensor weights = Tensor::of({1, 1, 2, 2}, {.1, .9, .8, .2});
  const Ids words = Ids::of({1}, {2});
  EXPECT_EQ(trees.heads(scores, weights, words).values(), (std::vector<std::int32_t>{1, 1}));
  EXPECT_EQ(rows.heads(scores, weights, words).values(), (std::vector<std::int32_t>{1, 0}));
}

TEST(SyntacticAttention, LearnsKnownTreesByItsLoss) {
  // Words 1 and 3 hang on word 2 of their neighbours, by what they are alone.
  Random random(5);
  SyntacticAttention syntax("bilinear | full | tree", 6, random);
  const Tensor states = nn::uniform({2, 4, 6}, random, Real(-1), Real(1));
  const Ids heads = Ids::of({2, 4}, {1, 1, 1, 2, 2, 2, 2, -1});
  const Ids words = Ids::of({2}, {4, 3});
  nn::Parameters parameters = nn::parameters(syntax);
  Ids found;
  for (int update = 0; update < 300; ++update) {
    SyntaxWatch watch;
    syntax(states_of(states, words), kSyntaxSite, {.watch = &watch});
    backward(sum(syntax.loss(watch.scores, heads, words)));
    for (nn::Parameter& one : parameters) {
      if (!one.variable.gradient().defined()) continue;
      const Tensor slope = one.variable.gradient().packed();
      Real* const value = one.variable.mutable_value().mutable_data();
      for (std::int64_t i = 0; i < slope.size(); ++i) value[i] -= Real(.03) * slope.data()[i];
    }
    nn::clear_gradients(parameters);
    found = syntax.heads(watch.scores.value(), watch.seen, words);
  }
  EXPECT_EQ(found.values(), heads.values());
}

TEST(SyntacticAttention, IsOfOneMechanismAndTreesAreOfThoseThatHaveSome) {
  Random random(1);
  const auto message = [&](const char* text) {
    return test::message_of<UsageError>([&] { SyntacticAttention(text, 4, random); });
  };
  EXPECT_NE(message("1x(dot); 1x(scaled_dot)").find("heads"), std::string::npos);
  EXPECT_NO_THROW(check_trees("dot | full | sparse_tree"));
  const std::string rows = test::message_of<UsageError>([&] { check_trees("dot"); });
  EXPECT_NE(rows.find("softmax has no trees that could be learnt"), std::string::npos);
  EXPECT_THROW(check_trees("dot | full | monotone"), UsageError);
}

TEST(SyntacticAttention, IsRefusedWhereTextsAreNotRead) {
  Random random(1);
  ClassifierOptions options = testing::tiny_classifier();
  options.syntax = "dot | full | tree";
  options.documents = true;
  EXPECT_THROW(Classifier(options, random), UsageError);
  options.documents = false;
  options.query = PoolingQuery::token;
  EXPECT_THROW(Classifier(options, random), UsageError);
}

TEST(SyntacticAttention, IsWatchedByItsSite) {
  Random random(2);
  ClassifierOptions options = testing::tiny_classifier();
  options.syntax = "dot | full | tree";
  const Classifier model(options, random);
  const Sequences text = testing::random_sequences({5, 3}, 20, random);
  attention::Trace trace;
  model({.text = text}, {.watch = &trace});
  ASSERT_EQ(trace.entries().size(), 2U);
  EXPECT_EQ(trace.entries()[0].site, kSyntaxSite);
  SyntaxWatch watch;
  model({.text = text}, {.watch = &watch});
  const Ids heads = watch.found(model, text);
  EXPECT_GE(heads.at({0, 3}), 0);
  EXPECT_EQ(heads.at({0, 4}), -1) << "the end of the text is no word";
  EXPECT_FALSE(SyntaxWatch().found(model, text).defined());
}

}  // namespace
}  // namespace heed::models
