// SPDX-License-Identifier: Apache-2.0
#include "heed/autograd/variable.h"

#include <gtest/gtest.h>

#include "heed/autograd/ops.h"
#include "heed/tensor/arithmetic.h"
#include "heed/tensor/testing.h"

namespace heed {
namespace {

using testing::expect_near;
using testing::message_of;
using testing::wavy;

TEST(Backward, AddsUpOverEveryPath) {
  const Variable x = Variable::leaf(Tensor::of({2}, {3, 4}));
  backward(sum(x * x + x));
  EXPECT_EQ(x.gradient().values(), (std::vector<Real>{7, 9}));
}

TEST(Backward, AddsToWhatEarlierPassesLeft) {
  Variable x = Variable::leaf(Tensor::of({2}, {3, 4}));
  backward(sum(x));
  backward(sum(x * Real(2)));
  EXPECT_EQ(x.gradient().values(), (std::vector<Real>{3, 3}));
  x.clear_gradient();
  EXPECT_FALSE(x.gradient().defined());
}

TEST(Backward, KeepsOneLeafsGradientApartFromAnothers) {
  // add passes one tensor to both inputs: what is added to one later must not appear in the other.
  const Variable a = Variable::leaf(Tensor::of({2}, {1, 2}));
  const Variable b = Variable::leaf(Tensor::of({2}, {3, 4}));
  backward(sum((a + b) * Real(2)) + sum(a));
  EXPECT_EQ(a.gradient().values(), (std::vector<Real>{3, 3}));
  EXPECT_EQ(b.gradient().values(), (std::vector<Real>{2, 2}));
}

TEST(Backward, TakesASeedForTensors) {
  const Variable x = Variable::leaf(Tensor::of({2}, {3, 4}));
  backward(x * x, Tensor::of({2}, {1, 10}));
  EXPECT_EQ(x.gradient().values(), (std::vector<Real>{6, 80}));
}

TEST(Backward, SurvivesAChainOfAMillionOps) {
  const Variable x = Variable::leaf(Tensor::scalar(1));
  {
    Variable y = x;
    for (int i = 0; i < 1000000; ++i) y = y + Real(1);
    backward(y);
  }  // and the chain is freed without recursion
  EXPECT_EQ(x.gradient().item(), 1);
}

TEST(Backward, AddsPendingProductsByGemm) {
  const Variable w = Variable::leaf(wavy({3, 2}));
  const Tensor a = wavy({4, 3}, 1);
  const Tensor b = wavy({5, 3}, 2);
  backward(sum(matmul(Variable(a), w)) + sum(matmul(Variable(b), w)));
  const Tensor expected = matmul(a.transpose(), Tensor::full({4, 2}, 1)) +
                          matmul(b.transpose(), Tensor::full({5, 2}, 1));
  expect_near(w.gradient(), expected, 1e-5);
}

TEST(Backward, TellsWhyItCannotRun) {
  const Variable x = Variable::leaf(Tensor::of({2}, {3, 4}));
  EXPECT_NE(message_of([&] { backward(x * x); }).find("not a single number"), std::string::npos);
  EXPECT_NE(message_of([&] { backward(Variable(Tensor::scalar(1))); }).find("Variable::leaf"),
            std::string::npos);
  EXPECT_THROW(backward(x * x, Tensor::zeros({3})), UsageError);
  const Variable loss = sum(x * x);
  backward(loss);
  EXPECT_NE(message_of([&] { backward(loss); }).find("keep_graph"), std::string::npos);
}

TEST(Backward, RunsTwiceWhenTheGraphIsKept) {
  const Variable x = Variable::leaf(Tensor::of({2}, {3, 4}));
  const Variable loss = sum(x * x);
  backward(loss, {}, {.keep_graph = true});
  backward(loss);
  EXPECT_EQ(x.gradient().values(), (std::vector<Real>{12, 16}));
}

TEST(Backward, KeepsAnInnerGradientOnRequest) {
  const Variable x = Variable::leaf(Tensor::of({2}, {3, 4}));
  Variable inner = x * Real(2);
  inner.keep_gradient();
  backward(sum(inner * inner));
  EXPECT_EQ(inner.gradient().values(), (std::vector<Real>{12, 16}));
  EXPECT_EQ(x.gradient().values(), (std::vector<Real>{24, 32}));
}

TEST(Record, KeepsNoGraphWhenNoInputNeedsAGradient) {
  const Variable y = tanh(Variable(wavy({3})));
  EXPECT_FALSE(y.needs_gradient());
  const Variable x = Variable::leaf(wavy({3}));
  {
    const NoGradient scope;
    EXPECT_FALSE(tanh(x).needs_gradient());
  }
  EXPECT_TRUE(tanh(x).needs_gradient());
}

TEST(Record, FreesValuesThatNoGradientNeeds) {
  // Neither add needs its inputs again, so the first sum's elements are free once y is gone.
  const Variable x = Variable::leaf(wavy({1000}));
  Variable y = x + Real(1);
  Tensor inner = y.value();
  y = y + Real(1);
#ifndef HEED_CHECK_VERSIONS
  EXPECT_TRUE(inner.unique());
#else
  EXPECT_FALSE(inner.unique());  // this build watches it for in-place writes
#endif
}

TEST(Record, TellsTheClosureWhichInputsNeedAGradient) {
  const Variable x = Variable::leaf(wavy({2}));
  bool asked_first = false;
  bool asked_second = true;
  const Variable y = record("test", wavy({2}), {x, Variable(wavy({2}))},
                            [&](const Tensor& dy, Needs needs) -> Gradients {
                              asked_first = needs[0];
                              asked_second = needs[1];
                              return {dy, Gradient()};
                            });
  backward(sum(y));
  EXPECT_TRUE(asked_first);
  EXPECT_FALSE(asked_second);
}

TEST(Record, NamesTheOpWhoseGradientHasTheWrongCountOrShape) {
  const Variable x = Variable::leaf(wavy({2}));
  const auto run = [&](auto closure) { backward(sum(record("broken", wavy({2}), {x}, closure))); };
  EXPECT_THROW(run([](const Tensor&) -> Gradients { return {}; }), InternalError);
  try {
    run([](const Tensor&) -> Gradients { return {Tensor::zeros({3})}; });
    FAIL() << "no error";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("broken"), std::string::npos);
  }
}

TEST(Record, SendsNothingThroughOutputsNobodyUsed) {
  const Variable x = Variable::leaf(Tensor::of({4}, {1, 2, 3, 4}));
  const auto pieces = split(x, 0, {1, 3});
  backward(sum(pieces[1] * pieces[1]));
  EXPECT_EQ(x.gradient().values(), (std::vector<Real>{0, 4, 6, 8}));
}

TEST(Record, ListsTheOpsOfAVariable) {
  const Variable x = Variable::leaf(wavy({2}));
  EXPECT_EQ(recorded_ops(sum(tanh(x * x))), (std::set<std::string>{"multiply", "sum", "tanh"}));
}

#ifdef HEED_CHECK_VERSIONS
TEST(Record, CatchesInPlaceWritesBeforeBackward) {
  Variable x = Variable::leaf(wavy({2}));
  const Variable y = sum(x * x);
  x.mutable_value().mutable_data()[0] = 5;
  try {
    backward(y);
    FAIL() << "the write went unnoticed";
  } catch (const InternalError& error) {
    EXPECT_NE(std::string(error.what()).find("multiply"), std::string::npos);
  }
}
#endif

}  // namespace
}  // namespace heed
