// SPDX-License-Identifier: Apache-2.0
// Every recorded op against finite differences, in the build where Real is double.
#include "heed/autograd/gradcheck.h"
#include "heed/autograd/allocation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "heed/autograd/ctc.h"
#include "heed/autograd/glimpse.h"
#include "heed/autograd/mixture.h"
#include "heed/autograd/ops.h"
#include "heed/autograd/slots.h"
#include "heed/autograd/testing.h"
#include "heed/autograd/turing_heads.h"
#include "heed/tensor/arithmetic.h"

namespace heed {
namespace {

static_assert(sizeof(Real) == 8, "gradient checks are built with HEED_REAL=double");

using Args = std::span<const Variable>;

struct Case {
  std::string name;
  CheckedFunction f;
  std::vector<Tensor> inputs;
};

// Values between low and high, irregular and far enough apart that no kink is near.
Tensor values(const Shape& shape, double low = -1.3, double high = 1.4, double phase = 0) {
  Tensor x(shape);
  double* data = x.mutable_data();
  for (std::int64_t i = 0; i < x.size(); ++i) {
    const double t =
        0.5 + 0.5 * std::sin(12.9898 * (static_cast<double>(i) + 1) + 78.233 * (phase + 0.1));
    data[i] = low + (high - low) * t;
  }
  return x;
}

Tensor positive(const Shape& shape) {
  return values(shape, 0.3, 2.5);
}

CheckedFunction unary(Variable (*op)(const Variable&)) {
  return [op](Args a) { return op(a[0]); };
}

Case recurrent_case(const std::string& name, kernels::Cell cell, bool reverse, bool with_lengths) {
  const std::int64_t gates = static_cast<std::int64_t>(kernels::gate_count(cell));
  const std::int64_t steps = 4, batch = 3, width = 2, hidden = 5;
  std::vector<Tensor> inputs{
      values({steps, batch, width}, -1, 1, 1), values({gates * hidden, width}, -0.7, 0.7, 2),
      values({gates * hidden, hidden}, -0.5, 0.5, 3), values({gates * hidden}, -0.4, 0.4, 4),
      values({batch, hidden}, -0.8, 0.8, 5)};
  if (cell == kernels::Cell::lstm) inputs.push_back(values({batch, hidden}, -0.8, 0.8, 6));
  if (cell == kernels::Cell::gru) inputs.push_back(values({hidden}, -0.4, 0.4, 7));
  return {name,
          [=](Args a) {
            RecurrentWeights weights{a[1], a[2], a[3], {}};
            RecurrentState initial{a[4], {}};
            if (cell == kernels::Cell::lstm) initial.c = a[5];
            if (cell == kernels::Cell::gru) weights.candidate_bias = a[5];
            RecurrentOptions options{.reverse = reverse};
            if (with_lengths) options.lengths = Ids::of({3}, {2, 4, 0});
            const RecurrentResult result = recurrent(cell, a[0], weights, initial, options);
            Variables all{reshape(result.outputs, {-1}), reshape(result.final.h, {-1})};
            if (result.final.c.defined()) all.push_back(reshape(result.final.c, {-1}));
            return concat(all, 0);
          },
          inputs};
}

// Both results of one step, and of a second one that takes the first one's state.
Case step_case(const std::string& name, kernels::Cell cell) {
  const std::int64_t width = static_cast<std::int64_t>(kernels::gate_count(cell)) * 5;
  return {name,
          [=](Args a) {
            const bool lstm = cell == kernels::Cell::lstm;
            const Variable bias = cell == kernels::Cell::gru ? a[4] : Variable();
            RecurrentState state{a[2], lstm ? a[3] : Variable()};
            state = recurrent_step(cell, {a[0], a[1], bias}, state);
            state = recurrent_step(cell, {a[1], a[0], bias}, state);
            return lstm ? concat({state.h, state.c}, 0) : state.h;
          },
          {values({3, width}, -1, 1, 1), values({3, width}, -1, 1, 2), values({3, 5}, -1, 1, 3),
           values({3, 5}, -1, 1, 4), values({5}, -1, 1, 5)}};
}

std::vector<Case> cases() {
  std::vector<Case> all{
      {"add", [](Args a) { return a[0] + a[1]; }, {values({2, 3}), values({3}, -1, 1, 1)}},
      {"subtract",
       [](Args a) { return a[0] - a[1]; },
       {values({2, 1, 3}), values({4, 1}, -1, 1, 1)}},
      {"multiply", [](Args a) { return a[0] * a[1]; }, {values({2, 3}), values({2, 1}, -1, 1, 1)}},
      {"multiply by itself", [](Args a) { return a[0] * a[0]; }, {values({2, 3})}},
      {"divide", [](Args a) { return a[0] / a[1]; }, {values({2, 3}), positive({3})}},
      {"constants",
       [](Args a) { return (Real(2) - a[0] * Real(3) + Real(1)) / Real(4); },
       {values({5})}},
      {"negate", [](Args a) { return -a[0]; }, {values({5})}},
      {"power", [](Args a) { return power(a[0], 2.5); }, {positive({5})}},
      {"power 0", [](Args a) { return power(a[0], 0); }, {values({5})}},
      {"maximum",
       [](Args a) { return maximum(a[0], a[1]); },
       {values({2, 4}), values({4}, -1, 1, 3)}},
      {"minimum",
       [](Args a) { return minimum(a[0], a[1]); },
       {values({2, 4}), values({4}, -1, 1, 3)}},
      {"where",
       [](Args a) {
         return where(Tensor::of({2, 3}, {1, 0, 0, 1, 1, 0}), a[0], a[1]);
       },
       {values({2, 3}), values({1, 3}, -1, 1, 1)}},
      {"exp", unary(exp), {values({7})}},
      {"log", unary(log), {positive({7})}},
      {"sqrt", unary(sqrt), {positive({7})}},
      {"square", unary(square), {values({7})}},
      {"absolute", unary(absolute), {values({7})}},
      {"tanh", unary(tanh), {values({7}, -3, 3)}},
      {"sigmoid", unary(sigmoid), {values({7}, -5, 5)}},
      {"erf", unary(erf), {values({7}, -2, 2)}},
      {"relu", unary(relu), {values({7})}},
      {"gelu", unary(gelu), {values({7}, -3, 3)}},
      {"gelu_tanh", unary(gelu_tanh), {values({7}, -3, 3)}},
      // Places lie away from the edges of pixels, where a glimpse jumps.
      {"a glimpse of three scales",
       [](Args a) { return glimpse(a[0], a[1], {.size = 2, .scales = 3}); },
       {values({2, 5, 7, 2}), Tensor::of({2, 2}, {-.31, .43, .97, -.93})}},
      {"gaussian_filters",
       [](Args a) { return gaussian_filters(a[0], a[1], a[2], {.filters = 3, .pixels = 9}); },
       {values({4}, 2, 8), positive({4}), values({4}, -1, 1, 1)}},
      {"the read of DRAW",
       [](Args a) { return draw_read(a[0], a[1], 3); },
       {values({2, 6, 5, 2}), values({2, 5}, -.6, .6)}},
      {"swish", unary(swish), {values({7}, -4, 4)}},
      {"softplus", unary(softplus), {values({7}, -4, 4)}},
      {"clamp", [](Args a) { return clamp(a[0], -0.5, 0.6); }, {values({9})}},
      {"activate", [](Args a) { return activate(Activation::gelu, a[0]); }, {values({4})}},
      {"matmul",
       [](Args a) { return matmul(a[0], a[1]); },
       {values({3, 4}), values({4, 2}, -1, 1, 1)}},
      {"matmul of a transposed view",
       [](Args a) { return matmul(transpose(a[0]), transpose(a[1])); },
       {values({4, 3}), values({2, 4}, -1, 1, 1)}},
      {"matmul batched",
       [](Args a) { return matmul(a[0], a[1]); },
       {values({2, 3, 4}), values({2, 4, 2}, -1, 1, 1)}},
      {"matmul with a shared right side",
       [](Args a) { return matmul(a[0], a[1]); },
       {values({2, 3, 4}), values({4, 2}, -1, 1, 1)}},
      {"matmul broadcast",
       [](Args a) { return matmul(a[0], a[1]); },
       {values({2, 1, 3, 4}), values({3, 4, 2}, -1, 1, 1)}},
      {"the same weight twice",
       [](Args a) { return matmul(tanh(matmul(a[0], a[1])), a[1]); },
       {values({2, 3}), values({3, 3}, -1, 1, 1)}},
      {"linear",
       [](Args a) { return linear(a[0], a[1], a[2], Activation::tanh); },
       {values({2, 3, 4}), values({5, 4}, -1, 1, 1), values({5}, -1, 1, 2)}},
      {"linear of a vector without bias",
       [](Args a) { return linear(a[0], a[1], {}); },
       {values({4}), values({5, 4}, -1, 1, 1)}},
      {"sum", [](Args a) { return sum(a[0]); }, {values({2, 3})}},
      {"sum along each axis",
       [](Args a) { return sum(sum(sum(a[0], 1), 1), 0); },
       {values({2, 3, 4})}},
      {"mean", [](Args a) { return mean(square(mean(a[0], 0))); }, {values({2, 3})}},
      {"maximum along an axis", [](Args a) { return maximum(a[0], 1); }, {values({2, 4, 3})}},
      {"cumulative_sum",
       [](Args a) { return cumulative_sum(cumulative_sum(a[0], 0), 1, Running::reverse); },
       {values({3, 4})}},
      {"softmax", [](Args a) { return softmax(a[0]); }, {values({3, 5})}},
      {"softmax along axis 0", [](Args a) { return softmax(a[0], 0); }, {values({3, 5})}},
      {"log_softmax", [](Args a) { return log_softmax(a[0], 1); }, {values({2, 3, 4})}},
      {"cross_entropy",
       [](Args a) {
         return cross_entropy(a[0], Ids::of({2, 2}, {1, 0, 9, 3}),
                              {.smoothing = 0.1, .ignored = 9});
       },
       {values({2, 2, 4})}},
      {"cross_entropy of each row",
       [](Args a) {
         return cross_entropy(a[0], Ids::of({3}, {1, 0, 2}), {.reduction = Reduction::none});
       },
       {values({3, 4})}},
      {"read_and_write",
       [](Args a) {
         const SlotsAfter found =
             read_and_write(a[0], softmax(a[1]), {softmax(a[2]), sigmoid(a[3]), a[4]});
         return concat({reshape(found.read, {-1}), reshape(found.memory, {-1})}, 0);
       },
       {values({2, 4, 3}), values({2, 2, 4}, -1, 1, 2), values({2, 2, 4}, -1, 1, 3),
        values({2, 2, 3}, -1, 1, 4), values({2, 2, 3}, -1, 1, 5)}},
      {"ctc_loss",
       [](Args a) {
         return ctc_loss(a[0],
                         {.labels = Ids::of({2, 2}, {1, 1, 2, 0}),
                          .lengths = Ids::of({2}, {2, 1}),
                          .frames = Ids::of({2}, {5, 3})},
                         Reduction::none);
       },
       {values({2, 5, 3}, -3, 3)}},
      {"log_copy_mixture",
       [](Args a) {
         // Source 0 holds word 1 twice and word 5, which is its own; source 1 has padding after it.
         const CopiedTokens copied{Ids::of({2, 3}, {1, 5, 1, 0, 4, -1}), Ids::of({3}, {0, 1, 0}),
                                   6};
         const Variable y = log_copy_mixture(a[0], a[1], softmax(a[2]), copied);
         return cross_entropy(y, Ids::of({3}, {5, 4, 1}), {.reduction = Reduction::none});
       },
       {values({3, 4}), values({3}), values({3, 3}, -1, 1, 5)}},
      {"allocation", [](Args a) { return allocation(sigmoid(a[0])); }, {values({2, 5})}},
      {"turing_heads",
       [](Args a) {
         const TuringHeadsAfter found =
             turing_heads(a[0], softmax(a[1]), a[2], {.reads = 2, .writes = 2});
         const auto flat = [](const Variable& x) { return reshape(x, {-1}); };
         return concat({flat(found.read), flat(found.memory), flat(found.weights)}, 0);
       },
       {values({2, 5, 3}), values({2, 4, 5}), values({2, 4 * (3 + 6) + 12})}},
      {"log_mixture",
       [](Args a) {
         return log_mixture(a[0], a[1], Ids::of({4}, {0, 1, 1, 1}));
       },
       {values({4, 5}), positive({4})}},
      {"log_copy_mixture of every word",
       [](Args a) {
         const CopiedTokens copied{Ids::of({1, 3}, {1, 4, 1}), Ids::of({2}, {0, 0}), 5};
         return log_copy_mixture(a[0], a[1], a[2], copied);
       },
       {values({2, 4}), values({2}), positive({2, 3})}},
      {"cross_entropy summed",
       [](Args a) {
         return cross_entropy(a[0], Ids::of({3}, {1, 0, 2}), {.reduction = Reduction::sum});
       },
       {values({3, 4})}},
      {"reshape",
       [](Args a) {
         return square(reshape(a[0], {3, -1}));
       },
       {values({2, 3})}},
      {"transpose", [](Args a) { return square(transpose(a[0], 0, 2)); }, {values({2, 3, 2})}},
      {"permute",
       [](Args a) {
         return square(permute(a[0], {2, 0, 1}));
       },
       {values({2, 3, 4})}},
      {"slice", [](Args a) { return slice(a[0], 1, 1, 6, 2); }, {values({2, 7})}},
      {"select", [](Args a) { return select(a[0], 1, 2); }, {values({2, 4})}},
      {"expand",
       [](Args a) {
         return square(expand(a[0], {2, 3, 4}));
       },
       {values({3, 1})}},
      {"concat",
       [](Args a) {
         return concat({a[0], square(a[1]), a[0]}, 1);
       },
       {values({2, 3}), values({2, 1})}},
      {"stack", [](Args a) { return stack(a, 1); }, {values({2, 3}), values({2, 3}, -1, 1, 2)}},
      {"split",
       [](Args a) {
         const auto pieces = split(a[0], 1, {1, 2, 2});
         return pieces[0] * sum(pieces[2], 1);  // the middle piece receives nothing
       },
       {values({1, 5})}},
      {"unstack",
       [](Args a) {
         const auto rows = unstack(a[0], 0);
         return rows[0] * rows[2];
       },
       {values({3, 4})}},
      {"pad",
       [](Args a) {
         return square(pad(a[0], 0, {1, 2}, 3));
       },
       {values({2, 3})}},
      {"gather",
       [](Args a) {
         return gather(a[0], 1, Ids::of({2, 2, 1}, {2, 2, 0, 1}));
       },
       {values({2, 3, 1})}},
      {"embedding",
       [](Args a) {
         return embedding(a[0], Ids::of({2, 3}, {1, 3, 1, -1, 0, 1}));
       },
       {values({4, 3})}},
      {"layer_norm",
       [](Args a) { return layer_norm(a[0], a[1], a[2]); },
       {values({2, 3, 6}), positive({6}), values({6}, -1, 1, 2)}},
      {"layer_norm without gain and bias",
       [](Args a) { return layer_norm(a[0], {}, {}); },
       {values({3, 6})}},
      {"rms_norm", [](Args a) { return rms_norm(a[0], a[1]); }, {values({3, 6}), positive({6})}},
      {"dropout",
       [](Args a) { return dropout(a[0], {.probability = 0.4, .seed = 7, .stream = 3}); },
       {values({5, 4})}},
      {"locked_dropout",
       [](Args a) { return locked_dropout(a[0], {.probability = 0.4, .seed = 7, .stream = 3}); },
       {values({3, 2, 4})}},
      {"convolution_1d",
       [](Args a) {
         return convolution_1d(a[0], a[1], a[2], {.stride = 2, .padding = 2, .dilation = 2});
       },
       {values({2, 3, 7}), values({4, 3, 3}, -1, 1, 1), values({4}, -1, 1, 2)}},
      {"convolution_2d",
       [](Args a) {
         return convolution_2d(a[0], a[1], {}, {.stride = 1, .padding = 1},
                               Sliding{.stride = 2, .dilation = 2});
       },
       {values({2, 2, 4, 6}), values({3, 2, 3, 2}, -1, 1, 1)}},
      {"convolution_2d by transforms",
       [](Args a) { return convolution_2d(a[0], a[1], a[2], {.padding = 1}); },
       {values({1, 8, 3, 4}), values({9, 8, 3, 3}, -1, 1, 1), values({9}, -1, 1, 2)}},
      {"pool_1d",
       [](Args a) { return pool_1d(Pooling::maximum, a[0], 3, {.stride = 2, .padding = 1}); },
       {values({2, 2, 7})}},
      {"pool_2d",
       [](Args a) { return pool_2d(Pooling::average, a[0], 2, {.stride = 2, .padding = 1}); },
       {values({1, 2, 5, 4})}},
      {"straight_through",
       // The gradient of tanh with the value of tanh: straight_through must not change it.
       [](Args a) {
         const Variable soft = tanh(a[0]);
         return straight_through(soft.value(), soft);
       },
       {values({5})}},
  };
  using kernels::Cell;
  all.push_back(recurrent_case("tanh RNN", Cell::tanh, false, false));
  all.push_back(recurrent_case("relu RNN", Cell::relu, false, true));
  all.push_back(recurrent_case("LSTM", Cell::lstm, false, false));
  all.push_back(recurrent_case("LSTM with lengths", Cell::lstm, false, true));
  all.push_back(recurrent_case("LSTM in reverse with lengths", Cell::lstm, true, true));
  all.push_back(recurrent_case("GRU", Cell::gru, false, false));
  all.push_back(recurrent_case("GRU in reverse with lengths", Cell::gru, true, true));
  all.push_back(step_case("a step of a tanh RNN", Cell::tanh));
  all.push_back(step_case("a step of a relu RNN", Cell::relu));
  all.push_back(step_case("a step of an LSTM", Cell::lstm));
  all.push_back(step_case("a step of a GRU", Cell::gru));
  all.push_back({"a shared weight",
                 [](Args a) {
                   const Variable w = shared(a[1]);
                   return linear(linear(a[0], w, {}), w, {}) + sum(square(w));
                 },
                 {values({2, 3}), values({3, 3}, -1, 1, 1)}});
  return all;
}

TEST(Gradcheck, AgreesWithBackwardForEveryOp) {
  for (const Case& checked : cases()) {
    SCOPED_TRACE(checked.name);
    const GradcheckResult result = gradcheck(checked.f, checked.inputs);
    EXPECT_TRUE(result.passed) << result.where;
  }
}

TEST(Gradcheck, NoticesAWrongGradient) {
  const CheckedFunction wrong = [](Args a) {
    return record("wrong", a[0].value() * a[0].value(), {a[0]},
                  [x = a[0].value()](const Tensor& dy) -> Gradients { return {dy * x}; });
  };
  const std::vector<Tensor> inputs{values({3})};
  const GradcheckResult result = gradcheck(wrong, inputs);
  EXPECT_FALSE(result.passed);
  EXPECT_NE(result.where.find("input 0"), std::string::npos);
}

const auto* const kCoverage =
    ::testing::AddGlobalTestEnvironment(new testing::GradcheckCoverage("src/heed/autograd"));

}  // namespace
}  // namespace heed
