// SPDX-License-Identifier: Apache-2.0
#include "heed/autograd/variable.h"

#include <gtest/gtest.h>
#include <future>

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

template <typename Write>
void expect_the_write_noticed(const Variable& loss, const std::string& op, Write&& write) {
  write();
  try {
    backward(loss);
    FAIL() << "the write before " << op << " went back went unnoticed";
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(op), std::string::npos) << error.what();
  }
}

TEST(Record, NoticesParametersAndDataWrittenBeforeBackward) {
  Variable x = Variable::leaf(wavy({2}));
  Tensor data = wavy({2});
  expect_the_write_noticed(sum(x * x), "multiply",
                           [&] { x.mutable_value().mutable_data()[0] = 5; });
  expect_the_write_noticed(sum(tanh(x) * data), "multiply", [&] { data.mutable_data()[0] = 5; });
  // Through another tensor that shares the elements.
  expect_the_write_noticed(sum(exp(x)), "exp", [&] {
    Tensor same = x.value();
    same.mutable_data()[0] = 5;
  });
}

TEST(Record, LetsParametersBeWrittenOnceBackwardHasRun) {
  Variable x = Variable::leaf(Tensor::of({1}, {2}));
  for (int update = 0; update < 2; ++update) {
    backward(sum(x * x));
    x.mutable_value().mutable_data()[0] = 3;
  }
  EXPECT_EQ(x.gradient().values(), (std::vector<Real>{4 + 6}));
}

TEST(Record, KeepsIdsThatTheCallerWritesBeforeBackward) {
  const Variable table = Variable::leaf(Tensor::of({3, 1}, {1, 2, 3}));
  Ids ids = Ids::of({2}, {0, 1});
  const Variable loss = sum(square(embedding(table, ids)));
  ids.mutable_data()[0] = 2;
  backward(loss);
  EXPECT_EQ(table.gradient().values(), (std::vector<Real>{2, 4, 0}));
}

#ifdef HEED_CHECK_VERSIONS
TEST(Record, NoticesWritesToWhatOpsHaveMade) {
  const Variable x = Variable::leaf(wavy({2}));
  const Variable y = exp(x);
  expect_the_write_noticed(sum(y), "sum", [&] {
    Tensor same = y.value();
    same.mutable_data()[0] = 5;
  });
}
#endif

TEST(Backward, IsRightWhenOtherThreadsRecordedPartsOfTheGraph) {
  const Variable x = Variable::leaf(Tensor::of({1}, {2}));
  const auto on_another_thread = [](auto&& work) {
    return std::async(std::launch::async, work).get();
  };
  // d(10 x^2 + 3 x)/dx = 20 x + 3, with x^2 recorded before or after the rest.
  {
    const Variable squared = on_another_thread([&] { return square(x); });
    backward(sum(squared * Real(10) + x * Real(3)));
    EXPECT_EQ(x.gradient().item(), 43);
  }
  Variable y = x;
  y.clear_gradient();
  const Variable line = x * Real(3);
  backward(on_another_thread([&] { return sum(square(x) * Real(10) + line); }));
  EXPECT_EQ(x.gradient().item(), 43);
}

TEST(Backward, IsRightWhenAChainPassesFromThreadToThread) {
  // Each step reads the one before and x itself: y = x^(n+1), dy/dx = (n+1) x^n.
  const Variable x = Variable::leaf(Tensor::of({1}, {1}));
  Variable y = x;
  for (int step = 0; step < 40; ++step) {
    y = step % 3 == 0 ? y * x : std::async(std::launch::async, [&] { return y * x; }).get();
  }
  backward(sum(y));
  EXPECT_EQ(x.gradient().item(), 41);
}

}  // namespace
}  // namespace heed
