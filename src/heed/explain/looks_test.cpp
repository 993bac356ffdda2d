// SPDX-License-Identifier: Apache-2.0
// Explainers that follow attention through layers, on matrices whose answers are known.
#include "heed/explain/looks.h"

#include <gtest/gtest.h>

#include <cmath>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/explain/explainer.h"
#include "heed/explain/subject.h"

namespace heed::explain {
namespace {

// A number with these looks.
class Looked final : public Subject {
 public:
  explicit Looked(Looks looks) : looks_(std::move(looks)) {}
  std::size_t size() const override { return looks_.size; }
  std::vector<double> outputs(std::span<const Kept> copies, Removal) const override {
    return std::vector<double>(copies.size(), 0);
  }
  bool attends() const override { return true; }
  std::vector<double> attention() const override { return by_word(looks_, read_at(looks_)); }
  bool has_looks() const override { return true; }
  Looks looks() const override { return looks_; }

 private:
  Looks looks_;
};

Explanation explained(const std::string& written, const Looks& looks) {
  return make_explainer(written)->explain(Looked(looks));
}

void expect_shares(const std::string& written, const Looks& looks,
                   const std::vector<double>& wanted) {
  const std::vector<double> found = explained(written, looks).shares;
  ASSERT_EQ(found.size(), wanted.size()) << written;
  for (std::size_t t = 0; t < found.size(); ++t) EXPECT_NEAR(found[t], wanted[t], 1e-6) << written;
}

// The two layers of two tokens that specifications of rollout and flow calculate with; the number
// is read at one of them.
Looks two_tokens(std::size_t read) {
  Looks looks{.words = {0, 1}, .size = 2};
  looks.layers = {{.weights = Tensor::of({1, 2, 2}, {.5, .5, 0, 1})},
                  {.weights = Tensor::of({1, 2, 2}, {1, 0, .5, .5})}};
  looks.readout = {read == 0 ? 1. : 0., read == 1 ? 1. : 0.};
  return looks;
}

TEST(Rollout, IsTheProductOfLayersHalfPassedBy) {
  expect_shares("rollout", two_tokens(0), {.75, .25});
  expect_shares("rollout", two_tokens(1), {.1875, .8125});
  EXPECT_EQ(explained("rollout", two_tokens(0)).note, "");
}

TEST(Rollout, IsMixedAsTheAnswerReads) {
  Looks looks = two_tokens(0);
  looks.readout.clear();
  // Two heads of one look, .2 and .6 at the first token.
  looks.reads = {{.weights = Tensor::of({2, 1, 2}, {.2, .8, .6, .4})}};
  expect_shares("attention", looks, {.4, .6});
  expect_shares("rollout", looks, {.4 * .75 + .6 * .1875, .4 * .25 + .6 * .8125});
  looks.layers.clear();
  expect_shares("rollout", looks, {.4, .6});
}

TEST(Rollout, OfACausalModelIsNotedAndComparedWithEvenAttention) {
  Looks looks{.words = {0, 1, 2}, .size = 3};
  looks.layers = {{.weights = Tensor::of(
                       {1, 3, 3}, {1, 0, 0, .5, .5, 0, Real(1 / 3.), Real(1 / 3.), Real(1 / 3.)})}};
  looks.readout = {0, 0, 1};
  looks.causal = true;
  expect_shares("rollout(against=uniform)", looks, {1, 1, 1});
  EXPECT_TRUE(explained("rollout", looks).note.starts_with("tokens see none after them"));
  EXPECT_FALSE(explained("flow", looks).note.empty());
}

TEST(Flow, IsWhatFitsThroughThePipes) {
  expect_shares("flow", two_tokens(1), {.2, .8});
}

TEST(Attention, IsAnyLayerAndHeadOnTheWay) {
  Looks looks = two_tokens(1);
  looks.layers[0].weights = Tensor::of({2, 2, 2}, {.5, .5, 0, 1, .25, .75, .5, .5});
  expect_shares("attention(layer=0)", looks, {.25, .75});
  expect_shares("attention(layer=0, head=1)", looks, {.5, .5});
  expect_shares("attention(layer=0, head=max)", looks, {.5, 1});
  expect_shares("attention(layer=1, head=0)", looks, {.5, .5});
  // Without a look at the last layer, "read" with a head is that layer's.
  expect_shares("attention(head=0)", looks, {.5, .5});
  expect_shares("attention(layer=all)", looks, {.375, .625});
  EXPECT_EQ(test::message_of<UsageError>([&] { explained("attention(layer=2)", looks); }),
            "layer=2: no such layer; the model has 2 of self-attention, from 0 on");
  EXPECT_EQ(test::message_of<UsageError>([&] { explained("attention(head=1)", looks); }),
            "head=1: no such head; there are 1, from 0 on");
  EXPECT_THROW(make_explainer("attention(layer=-1)"), UsageError);
  EXPECT_THROW(make_explainer("attention(head=first)"), UsageError);
}

TEST(Attention, LeavesTokensOfNoWordOut) {
  Looks looks = two_tokens(0);
  looks.words = {-1, 0};
  looks.size = 1;
  expect_shares("attention(layer=0)", looks, {.5});
}

// Weights .5 of vectors (3, 0) and (0, 4), and -.25 of one head: |.5 (3,0) + .25 (1,0)|.
TEST(Norms, AreLengthsOfWhatIsRead) {
  Looks looks{.words = {0, 1}, .size = 2};
  looks.reads = {{.weights = Tensor::of({2, 1, 2}, {.5, .5, .25, .75}),
                  .values = Tensor::of({2, 2, 2}, {3, 0, 0, 4, 1, 0, 0, -2})}};
  expect_shares("norms", looks, {1.75, .5});
  expect_shares("norms(head=1)", looks, {.25, 1.5});
  looks.reads[0].values = {};
  EXPECT_THROW(explained("norms", looks), UsageError);
}

// Three tokens whose values are (1, 0), (0, 1) and (1, 1): the weights (a, b, c) read (a + c, b +
// c), so that (1, 1, -1) may be added to them, and the part without it is what is effective.
TEST(EffectiveAttention, ReadsTheSameWithoutWhatChangesNothing) {
  Looks looks{.words = {0, 1, 2}, .size = 3};
  looks.reads = {{.weights = Tensor::of({1, 1, 3}, {.5, .2, .3}),
                  .values = Tensor::of({1, 3, 2}, {1, 0, 0, 1, 1, 1})}};
  const double off = (.5 + .2 - .3) / 3;
  expect_shares("effective_attention", looks, {.5 - off, .2 - off, .3 + off});
  EXPECT_EQ(explained("effective_attention", looks).note,
            "14% of the weights (of their squares) could be others with the same output");
  // Another point of the same line is the same to it.
  looks.reads[0].weights = Tensor::of({1, 1, 3}, {.6, .3, .2});
  expect_shares("effective_attention", looks, {.5 - off, .2 - off, .3 + off});
  // Where values are independent all of it is.
  looks.reads[0].values = Tensor::of({1, 3, 3}, {1, 0, 0, 0, 2, 0, 1, 1, 1});
  expect_shares("effective_attention", looks, {.6, .3, .2});
}

// R_1 = I + C_1 with C_1 = [[0, .1], [.4, 0]] (a weight whose gradient is below zero adds nothing),
// read with c = (.5, 0).
TEST(Relevance, FollowsWhatRaisesTheOutput) {
  Looks looks{.words = {0, 1}, .size = 2};
  looks.layers = {{.weights = Tensor::of({1, 2, 2}, {.5, .5, .8, .2}),
                   .gradients = Tensor::of({1, 2, 2}, {-1, .2, .5, -.1})}};
  looks.reads = {
      {.weights = Tensor::of({1, 1, 2}, {.5, .5}), .gradients = Tensor::of({1, 1, 2}, {1, -3})}};
  expect_shares("relevance", looks, {.5, .05});
  looks.reads.clear();
  looks.readout = {0, 1};
  expect_shares("relevance", looks, {.4, 0});
}

}  // namespace
}  // namespace heed::explain
