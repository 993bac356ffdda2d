// SPDX-License-Identifier: Apache-2.0
// Misuses of tensors, ops and gradients.
#include "heed/autograd/ops.h"
#include "misuse.h"

namespace heed::misuse {
namespace {

const Tensor kPair = Tensor::of({2}, {1, 2});
const Tensor kTable = Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6});

TEST(MisuseOfTensors, IsRefused) {
  expect_refused({
      {"fewer values than the shape",
       [] {
         Tensor::of({2, 2}, {1, 2});
       },
       {"2 values", "[2,2]", "4"}},
      {"a negative size",
       [] {
         Tensor(Shape{2, -1});
       },
       {"-1"}},
      {"seven axes",
       [] {
         Shape({1, 1, 1, 1, 1, 1, 1});
       },
       {"7", "6"}},
      {"more elements than can be counted",
       [] {
         Shape({std::int64_t{1} << 40, std::int64_t{1} << 40});
       },
       {"2^59"}},
      {"an axis too many", [] { kTable.size(2); }, {"axis 2", "[2,3]"}},
      {"a stride of an axis too many", [] { kTable.stride(-3); }, {"axis -3", "[2,3]"}},
      {"an index outside",
       [] {
         kTable.at({0, 3});
       },
       {"index 3", "[2,3]"}},
      {"too few indices", [] { kTable.at({0}); }, {"1 indices", "[2,3]"}},
      {"item of many", [] { kTable.item(); }, {"[2,3]", "one"}},
      {"item of none", [] { Tensor().item(); }, {"item", "not defined"}},
      {"a span of a view", [] { kTable.transpose().span(); }, {"[3,2]", "packed()"}},
      {"a slice beyond the end", [] { kTable.slice(0, 1, 5); }, {"1:5", "[2,3]"}},
      {"a slice that steps back", [] { kTable.slice(0, 0, 2, -1); }, {"0:2:-1"}},
      {"selecting outside", [] { kTable.select(1, 3); }, {"[2,3]"}},
      {"reshaping to another size", [] { kTable.reshape({4}); }, {"[2,3]", "[4]"}},
      {"an open size that does not divide",
       [] {
         kTable.reshape({-1, 4});
       },
       {"6", "4"}},
      {"two open sizes",
       [] {
         kTable.reshape({-1, -1});
       },
       {"-1"}},
      {"squeezing an axis of three", [] { kTable.squeeze(1); }, {"[2,3]"}},
      {"expanding what does not stretch",
       [] {
         kTable.expand({4, 3});
       },
       {"[2,3]", "[4,3]"}},
      {"permuting one axis twice",
       [] {
         kTable.permute({0, 0});
       },
       {"axis 0", "twice"}},
      {"permuting too few axes", [] { kTable.permute({0}); }, {"1 axes", "[2,3]"}},
      {"assigning another shape", [] { Tensor(kTable).assign(kPair); }, {"[2]", "[2,3]"}},
      {"cloning nothing", [] { Tensor().clone(); }, {"clone", "not defined"}},
      {"adding nothing", [] { kPair + Tensor(); }, {"add", "not defined"}},
      {"nothing times a number", [] { Tensor() * 2; }, {"multiply", "not defined"}},
      {"the sum of nothing", [] { sum(Tensor()); }, {"sum", "not defined"}},
      {"shapes that do not broadcast", [] { kPair* kTable; }, {"[2]", "[2,3]"}},
      {"the maximum of an empty axis",
       [] {
         maximum(Tensor(Shape{2, 0}), 1);
       },
       {"[2,0]"}},
      {"joining none", [] { concat(std::span<const Tensor>(), 0); }, {"concat", "at least one"}},
      {"an id beyond the axis",
       [] {
         gather(kTable, 1, Ids::of({2, 1}, {0, 3}));
       },
       {"id 3", "2"}},
      {"adding into a view",
       [] {
         Tensor view = kTable.clone().transpose();
         add_to(view, view);
       },
       {"add_to", "[3,2]"}},
  });
}

TEST(MisuseOfOps, IsRefused) {
  const Variable none;
  const Variable x = Variable::leaf(kTable.clone());
  const Variable cube = Variable::leaf(Tensor::zeros({2, 3, 4}));
  const auto needs = [](const std::string& op, std::function<void()> act) {
    return Misuse{op + " of nothing", std::move(act), {"not defined"}};
  };
  expect_refused({
      needs("add", [&] { x + none; }),
      needs("subtract", [&] { none - x; }),
      needs("multiply", [&] { none* x; }),
      needs("divide", [&] { x / none; }),
      needs("scale", [&] { none* Real(2); }),
      needs("negate", [&] { -none; }),
      needs("power", [&] { power(none, 2); }),
      needs("maximum", [&] { maximum(x, none); }),
      needs("where", [&] { where(Tensor(), x, x); }),
      needs("exp", [&] { exp(none); }),
      needs("log", [&] { log(none); }),
      needs("sqrt", [&] { sqrt(none); }),
      needs("square", [&] { square(none); }),
      needs("absolute", [&] { absolute(none); }),
      needs("tanh", [&] { tanh(none); }),
      needs("sigmoid", [&] { sigmoid(none); }),
      needs("erf", [&] { erf(none); }),
      needs("relu", [&] { relu(none); }),
      needs("gelu", [&] { gelu(none); }),
      needs("swish", [&] { swish(none); }),
      needs("softplus", [&] { softplus(none); }),
      needs("clamp", [&] { clamp(none, 0, 1); }),
      needs("sum", [&] { sum(none); }),
      needs("mean", [&] { mean(none); }),
      needs("expand",
            [&] {
              expand(none, {2, 2});
            }),
      needs("dropout", [&] { dropout(none, {.probability = Real(0.5)}); }),
      {"a product of nothing", [&] { matmul(x, none); }, {"matmul", "[2,3]"}},
      {"softmax of nothing", [&] { softmax(none); }, {"softmax"}},
      {"layer_norm of nothing", [&] { layer_norm(none, none, none); }, {"layer_norm"}},
      {"embedding by no ids", [&] { embedding(x, Ids()); }, {"embedding", "not defined"}},
      {"embedding of nothing", [&] { embedding(none, Ids::of({1}, {0})); }, {"embedding"}},
      {"losses of no targets", [&] { cross_entropy(select(x, 0, 0), Ids()); }, {"cross_entropy"}},
      {"reshaping nothing", [&] { reshape(none, {1}); }, {"reshape"}},
      {"a sequence of nothing",
       [&] {
         recurrent(kernels::Cell::lstm, none, {x, x, none, none});
       },
       {"recurrent"}},
      {"a product that does not fit", [&] { matmul(x, x); }, {"[2,3]", "3 rows"}},
      {"a linear layer of another width",
       [&] {
         linear(x, Variable(Tensor::zeros({5, 4})), {});
       },
       {"[2,3]", "[5,4]"}},
      {"a class beyond the logits",
       [&] {
         cross_entropy(x, Ids::of({2}, {0, 3}));
       },
       {"3"}},
      {"targets of another shape",
       [&] {
         cross_entropy(x, Ids::of({3}, {0, 1, 2}));
       },
       {"[3]"}},
      {"smoothing of more than all",
       [&] {
         cross_entropy(x, Ids::of({2}, {0, 1}), {.smoothing = 2});
       },
       {"smoothing", "2"}},
      {"dropping everything", [&] { dropout(x, {.probability = 1}); }, {"probability", "1"}},
      {"clamping to nothing", [&] { clamp(x, 1, 0); }, {"1", "0"}},
      {"splitting into other sizes",
       [&] {
         split(x, 1, {1, 1});
       },
       {"[1,1]", "3"}},
      {"padding by less than nothing",
       [&] {
         pad(x, 0, {-1, 0});
       },
       {"-1"}},
      {"a word outside the table", [&] { embedding(x, Ids::of({1}, {2})); }, {"id 2", "1"}},
      {"a window larger than the image",
       [&] { pool_1d(Pooling::maximum, cube, 9, {}); },
       {"1 x 9"}},
      {"a stride of nothing",
       [&] { pool_1d(Pooling::maximum, cube, 2, {.stride = 0}); },
       {"stride 0"}},
      {"a gain of another width",
       [&] { layer_norm(x, Variable(Tensor::zeros({4})), {}); },
       {"[4]", "[2,3]"}},
  });
}

TEST(MisuseOfGradients, IsRefused) {
  Variable x = Variable::leaf(kTable.clone());
  expect_refused({
      {"backward of a constant", [] { backward(sum(Variable(kPair))); }, {"leaf"}},
      {"backward of nothing", [] { backward(Variable()); }, {"leaf"}},
      {"backward of many numbers", [&] { backward(x * x); }, {"[2,3]", "seed"}},
      {"a seed of another shape", [&] { backward(x * x, kPair); }, {"[2]", "[2,3]"}},
      {"backward twice",
       [&] {
         const Variable loss = sum(square(x));
         backward(loss);
         backward(loss);
       },
       {"keep_graph"}},
      {"writing a parameter before backward",
       [&] {
         const Variable loss = sum(square(x));
         x.mutable_value().mutable_data()[0] = 9;
         backward(loss);
       },
       {"square", "clone()"}},
      {"writing data before backward",
       [&] {
         Tensor data = kTable.clone();
         const Variable loss = sum(x * data);
         data.mutable_data()[0] = 9;
         backward(loss);
       },
       {"multiply", "clone()"}},
  });
}

TEST(MisuseOfTensors, IsReasonableWhere) {
  expect_to_work({
      {"a tensor without elements",
       [] {
         sum(Tensor(Shape{0, 3}));
       },
       "sums of nothing are 0"},
      {"softmax of no keys",
       [] {
         softmax(Variable(Tensor(Shape{2, 0})));
       },
       "there is no weight"},
      {"packing nothing", [] { Tensor().packed(); }, "an operand that may be left out stays so"},
      {"the gradient of a constant", [] { EXPECT_FALSE(Variable(kPair).gradient().defined()); },
       "undefined says that nothing arrived"},
      {"losses of no rows",
       [] {
         const Variable x = Variable::leaf(Tensor(Shape{0, 3}));
         EXPECT_EQ(cross_entropy(x, Ids(Shape{0})).item(), 0);
       },
       "an empty batch has no loss; the mean of no rows is 0, not NaN"},
      {"a bias that is left out", [] { linear(Variable(kTable), Variable(kTable), {}); },
       "undefined is how an option is left out"},
  });
}

}  // namespace
}  // namespace heed::misuse
