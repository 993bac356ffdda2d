// SPDX-License-Identifier: Apache-2.0
// Tests of the recurrent networks: values against a scalar loop, gradients against finite
// differences.
#include "heed/kernels/recurrent/rnn.h"

#include <algorithm>
#include <random>
#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

constexpr Cell kCells[] = {Cell::tanh, Cell::relu, Cell::lstm, Cell::gru};

// All buffers of one network: parameters and inputs, results, and the gradients of a loss
// sum(outputs * out_weights) + sum(h_final * h_weights) + sum(c_final * c_weights).
template <typename T>
struct Network {
  Network(const RnnShape& of, unsigned seed) : shape(of) {
    const std::size_t gh = gate_count(shape.cell) * shape.hidden;
    const std::size_t rows = shape.steps * shape.batch;
    const std::size_t state = shape.batch * shape.hidden;
    std::mt19937 random(seed);
    const auto draw = [&](std::size_t n, double range) {
      std::vector<T> v(n);
      std::uniform_real_distribution<double> uniform(-range, range);
      for (T& value : v) value = static_cast<T>(static_cast<float>(uniform(random)));
      return v;
    };
    const double scale = 1 / std::sqrt(static_cast<double>(shape.hidden + 1));
    x = draw(rows * shape.inputs, 1);
    w_x = draw(gh * shape.inputs, scale);
    w_h = draw(gh * shape.hidden, scale);
    bias = draw(gh, 0.5);
    candidate_bias = draw(shape.hidden, 0.5);
    h0 = draw(state, 1);
    c0 = draw(state, 1);
    out_weights = draw(rows * shape.hidden, 1);
    h_weights = draw(state, 1);
    c_weights = draw(state, 1);
  }

  RnnWeights<T> weights() const {
    return {w_x.data(), w_h.data(), bias.data(), candidate_bias.data(), packed};
  }

  void forward() {
    const std::size_t state = shape.batch * shape.hidden;
    outputs.assign(shape.steps * shape.batch * shape.hidden, NAN);
    h_final.assign(state, NAN);
    c_final.assign(state, NAN);
    saved.assign(rnn_saved_size<T>(shape), NAN);
    std::vector<T> workspace(rnn_forward_workspace_size<T>(shape), NAN);
    rnn_forward<T>(shape, weights(),
                   {.x = x.data(),
                    .h0 = h0.data(),
                    .c0 = c0.data(),
                    .outputs = outputs.data(),
                    .h_final = h_final.data(),
                    .c_final = c_final.data(),
                    .saved = saved.data(),
                    .workspace = workspace.data()});
  }

  double loss() {
    forward();
    double sum = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) sum += outputs[i] * out_weights[i];
    for (std::size_t i = 0; i < h_final.size(); ++i) sum += h_final[i] * h_weights[i];
    if (shape.cell == Cell::lstm) {
      for (std::size_t i = 0; i < c_final.size(); ++i) sum += c_final[i] * c_weights[i];
    }
    return sum;
  }

  void backward() {
    d_x.assign(x.size(), NAN);
    d_w_x.assign(w_x.size(), NAN);
    d_w_h.assign(w_h.size(), NAN);
    d_bias.assign(bias.size(), NAN);
    d_candidate_bias.assign(candidate_bias.size(), 0);
    d_h0.assign(h0.size(), NAN);
    d_c0.assign(c0.size(), 0);
    std::vector<T> workspace(rnn_backward_workspace_size<T>(shape), NAN);
    rnn_backward<T>(shape, weights(),
                    {.x = x.data(),
                     .saved = saved.data(),
                     .d_outputs = out_weights.data(),
                     .d_h_final = h_weights.data(),
                     .d_c_final = c_weights.data(),
                     .d_x = d_x.data(),
                     .d_w_x = d_w_x.data(),
                     .d_w_h = d_w_h.data(),
                     .d_bias = d_bias.data(),
                     .d_candidate_bias = d_candidate_bias.data(),
                     .d_h0 = d_h0.data(),
                     .d_c0 = d_c0.data(),
                     .workspace = workspace.data()});
  }

  RnnShape shape;
  const T* packed = nullptr;
  std::vector<T> x, w_x, w_h, bias, candidate_bias, h0, c0;
  std::vector<T> outputs, h_final, c_final, saved;
  std::vector<T> out_weights, h_weights, c_weights;
  std::vector<T> d_x, d_w_x, d_w_h, d_bias, d_candidate_bias, d_h0, d_c0;
};

double sigmoid(double v) {
  return 1 / (1 + std::exp(-v));
}

// The equations of rnn.h, one sequence, one step and one unit at a time.
template <typename T>
void reference_forward(const Network<T>& net, std::vector<double>& outputs, std::vector<double>& h,
                       std::vector<double>& c) {
  const RnnShape& s = net.shape;
  const std::size_t hidden = s.hidden;
  outputs.assign(s.steps * s.batch * hidden, 0);
  h.assign(net.h0.begin(), net.h0.end());
  c.assign(net.c0.begin(), net.c0.end());
  for (std::size_t b = 0; b < s.batch; ++b) {
    const std::size_t length = s.lengths != nullptr ? s.lengths[b] : s.steps;
    for (std::size_t step = 0; step < length; ++step) {
      const std::size_t t = s.reverse ? length - 1 - step : step;
      const std::vector<double> before(h.begin() + b * hidden, h.begin() + (b + 1) * hidden);
      const auto from_x = [&](std::size_t row) {
        double sum = net.bias[row];
        for (std::size_t i = 0; i < s.inputs; ++i) {
          sum += static_cast<double>(net.w_x[row * s.inputs + i]) *
                 net.x[(t * s.batch + b) * s.inputs + i];
        }
        return sum;
      };
      const auto from_h = [&](std::size_t row) {
        double sum = 0;
        for (std::size_t i = 0; i < hidden; ++i) sum += net.w_h[row * hidden + i] * before[i];
        return sum;
      };
      for (std::size_t u = 0; u < hidden; ++u) {
        const auto total = [&](std::size_t gate) {
          return from_x(gate * hidden + u) + from_h(gate * hidden + u);
        };
        double& state = h[b * hidden + u];
        if (s.cell == Cell::tanh) state = std::tanh(total(0));
        if (s.cell == Cell::relu) state = std::max(total(0), 0.0);
        if (s.cell == Cell::lstm) {
          double& cell = c[b * hidden + u];
          cell = sigmoid(total(1)) * cell + sigmoid(total(0)) * std::tanh(total(2));
          state = sigmoid(total(3)) * std::tanh(cell);
        }
        if (s.cell == Cell::gru) {
          const double r = sigmoid(total(0));
          const double z = sigmoid(total(1));
          const std::size_t row = 2 * hidden + u;
          const double n = std::tanh(from_x(row) + r * (from_h(row) + net.candidate_bias[u]));
          state = (1 - z) * n + z * before[u];
        }
        outputs[(t * s.batch + b) * hidden + u] = state;
      }
    }
  }
}

template <typename T>
void expect_near(const std::vector<T>& actual, const std::vector<double>& expected,
                 double tolerance, const char* name) {
  ASSERT_EQ(actual.size(), expected.size()) << name;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], tolerance * std::max(1.0, std::abs(expected[i])))
        << name << " element " << i;
  }
}

std::string describe(const RnnShape& s) {
  return ::testing::PrintToString(static_cast<int>(s.cell)) + " T " + std::to_string(s.steps) +
         " B " + std::to_string(s.batch) + " I " + std::to_string(s.inputs) + " H " +
         std::to_string(s.hidden) + (s.lengths != nullptr ? " with lengths" : "") +
         (s.reverse ? " reverse" : "");
}

constexpr std::int32_t kLengths[] = {3, 5, 0, 4, 1, 5, 2};

// Shapes with every combination of cell, direction and lengths.
std::vector<RnnShape> small_shapes() {
  struct Size {
    std::size_t steps, batch, inputs, hidden;
  };
  std::vector<RnnShape> shapes;
  for (const Cell cell : kCells) {
    for (const Size size : {Size{1, 1, 1, 1}, Size{1, 3, 2, 5}, Size{5, 1, 3, 4}, Size{5, 7, 3, 9},
                            Size{5, 2, 4, 17}}) {
      for (const bool reverse : {false, true}) {
        for (const bool varied : {false, true}) {
          if (varied && size.steps < 5) continue;
          shapes.push_back({cell, size.steps, size.batch, size.inputs, size.hidden,
                            varied ? kLengths : nullptr, reverse});
        }
      }
    }
  }
  return shapes;
}

template <typename T>
class Rnn : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Rnn, Scalars);

TYPED_TEST(Rnn, ForwardMatchesTheEquationsOnEveryTarget) {
  const double tolerance = sizeof(TypeParam) == 4 ? 3e-6 : 1e-13;
  on_every_target([&] {
    std::vector<RnnShape> shapes = small_shapes();
    for (const Cell cell : kCells) {
      shapes.push_back({cell, 3, 13, 10, 70, nullptr, false});
      shapes.push_back({cell, 2, 4, 7, 300, nullptr, true});
    }
    for (const RnnShape& shape : shapes) {
      SCOPED_TRACE(describe(shape));
      Network<TypeParam> net(shape, 7);
      net.forward();
      std::vector<double> outputs, h, c;
      reference_forward(net, outputs, h, c);
      expect_near(net.outputs, outputs, tolerance, "outputs");
      expect_near(net.h_final, h, tolerance, "h_final");
      if (shape.cell == Cell::lstm) expect_near(net.c_final, c, tolerance, "c_final");
      if (this->HasFatalFailure()) return;
    }
  });
}

// Central differences of the loss in every parameter, input and initial state.
void expect_gradient(Network<double>& net, std::vector<double>& values,
                     const std::vector<double>& gradient, const char* name) {
  constexpr double kStep = 1e-5;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    values[i] = value + kStep;
    const double above = net.loss();
    values[i] = value - kStep;
    const double below = net.loss();
    values[i] = value;
    ASSERT_NEAR(gradient[i], (above - below) / (2 * kStep), 2e-8) << name << " element " << i;
  }
}

TEST(RnnGradients, MatchFiniteDifferences) {
  for (const RnnShape& shape : small_shapes()) {
    SCOPED_TRACE(describe(shape));
    Network<double> net(shape, 11);
    net.forward();
    net.backward();
    expect_gradient(net, net.x, net.d_x, "x");
    expect_gradient(net, net.w_x, net.d_w_x, "w_x");
    expect_gradient(net, net.w_h, net.d_w_h, "w_h");
    expect_gradient(net, net.bias, net.d_bias, "bias");
    expect_gradient(net, net.h0, net.d_h0, "h0");
    if (shape.cell == Cell::lstm) expect_gradient(net, net.c0, net.d_c0, "c0");
    if (shape.cell == Cell::gru) {
      expect_gradient(net, net.candidate_bias, net.d_candidate_bias, "candidate_bias");
    }
    if (::testing::Test::HasFatalFailure()) return;
  }
}

template <typename T>
std::vector<double> widened(const std::vector<T>& v) {
  return {v.begin(), v.end()};
}

// Everything both networks computed, compared.
template <typename A, typename B>
void expect_same_results(const Network<A>& net, const Network<B>& other, double tolerance) {
  expect_near(net.outputs, widened(other.outputs), tolerance, "outputs");
  expect_near(net.h_final, widened(other.h_final), tolerance, "h_final");
  expect_near(net.d_x, widened(other.d_x), tolerance, "d_x");
  expect_near(net.d_w_x, widened(other.d_w_x), tolerance, "d_w_x");
  expect_near(net.d_w_h, widened(other.d_w_h), tolerance, "d_w_h");
  expect_near(net.d_bias, widened(other.d_bias), tolerance, "d_bias");
  expect_near(net.d_candidate_bias, widened(other.d_candidate_bias), tolerance, "d_candidate_bias");
  expect_near(net.d_h0, widened(other.d_h0), tolerance, "d_h0");
  expect_near(net.d_c0, widened(other.d_c0), tolerance, "d_c0");
}

// Two threads cut the units into slices; 3 take a third of 150 units, which are no whole number of
// blocks.
TEST(RnnThreads, AgreeWithOneThreadInFloatAndDouble) {
  std::vector<std::int32_t> lengths(21);
  for (std::size_t b = 0; b < lengths.size(); ++b) lengths[b] = static_cast<int>(b * 5 % 9);
  for (const Cell cell : kCells) {
    for (const bool reverse : {false, true}) {
      const RnnShape shape{cell, 8, 21, 30, 150, lengths.data(), reverse};
      SCOPED_TRACE(describe(shape));
      Network<double> exact(shape, 13);
      {
        ThreadScope scope(1);
        exact.forward();
        exact.backward();
      }
      for (const int count : {1, 2, 3}) {
        SCOPED_TRACE(count);
        ThreadScope scope(count);
        Network<float> net(shape, 13);
        net.forward();
        net.backward();
        expect_same_results(net, exact, 3e-5);
        Network<double> wide(shape, 13);
        wide.forward();
        wide.backward();
        expect_same_results(wide, exact, 1e-12);
        if (::testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(RnnThreads, GiveTheSameBitsAgain) {
  ThreadScope scope(2);
  for (const Cell cell : kCells) {
    Network<float> first({cell, 6, 16, 40, 160}, 17);
    Network<float> second({cell, 6, 16, 40, 160}, 17);
    for (Network<float>* net : {&first, &second}) {
      net->forward();
      net->backward();
    }
    expect_same_results(first, second, 0);
  }
}

TYPED_TEST(Rnn, AcceptsWeightsPackedBefore) {
  on_every_target([&] {
    for (const Cell cell : kCells) {
      Network<TypeParam> net({cell, 3, 2, 4, 37}, 19);
      net.forward();
      const std::vector<TypeParam> outputs = net.outputs;
      std::vector<TypeParam> packed(rnn_packed_size<TypeParam>(cell, 37));
      rnn_pack_recurrent(cell, 37, net.w_h.data(), packed.data());
      net.packed = packed.data();
      std::fill(net.w_h.begin(), net.w_h.end(), TypeParam{0});
      net.forward();
      EXPECT_EQ(net.outputs, outputs);
    }
  });
}

TYPED_TEST(Rnn, TakesMissingStatesBiasesAndGradientsAsZero) {
  for (const Cell cell : kCells) {
    const RnnShape shape{cell, 4, 3, 2, 6};
    Network<TypeParam> net(shape, 23);
    for (auto* v :
         {&net.h0, &net.c0, &net.bias, &net.candidate_bias, &net.h_weights, &net.c_weights}) {
      std::fill(v->begin(), v->end(), TypeParam{0});
    }
    net.forward();
    net.backward();
    std::vector<TypeParam> outputs(net.outputs.size());
    std::vector<TypeParam> saved(net.saved.size());
    std::vector<TypeParam> workspace(rnn_forward_workspace_size<TypeParam>(shape));
    const RnnWeights<TypeParam> weights{.w_x = net.w_x.data(), .w_h = net.w_h.data()};
    rnn_forward<TypeParam>(shape, weights,
                           {.x = net.x.data(),
                            .outputs = outputs.data(),
                            .saved = saved.data(),
                            .workspace = workspace.data()});
    EXPECT_EQ(outputs, net.outputs);
    std::vector<TypeParam> d_w_h(net.w_h.size());
    workspace.resize(rnn_backward_workspace_size<TypeParam>(shape));
    rnn_backward<TypeParam>(shape, weights,
                            {.x = net.x.data(),
                             .saved = saved.data(),
                             .d_outputs = net.out_weights.data(),
                             .d_w_h = d_w_h.data(),
                             .workspace = workspace.data()});
    EXPECT_EQ(d_w_h, net.d_w_h);
  }
}

// A bidirectional layer writes both directions side by side.
TYPED_TEST(Rnn, WritesOutputsAtAStrideAndNothingBetween) {
  const RnnShape shape{Cell::lstm, 3, 2, 4, 19, nullptr, false};
  Network<TypeParam> net(shape, 29);
  net.forward();
  net.backward();
  const std::size_t stride = 45;
  std::vector<TypeParam> wide(6 * stride, TypeParam{-7});
  std::vector<TypeParam> workspace(rnn_forward_workspace_size<TypeParam>(shape));
  rnn_forward<TypeParam>(shape, net.weights(),
                         {.x = net.x.data(),
                          .h0 = net.h0.data(),
                          .c0 = net.c0.data(),
                          .outputs = wide.data(),
                          .output_stride = stride,
                          .saved = net.saved.data(),
                          .workspace = workspace.data()});
  std::vector<TypeParam> wide_gradient(wide.size(), NAN);
  for (std::size_t row = 0; row < 6; ++row) {
    for (std::size_t j = 0; j < stride; ++j) {
      EXPECT_EQ(wide[row * stride + j], j < 19 ? net.outputs[row * 19 + j] : TypeParam{-7});
      if (j < 19) wide_gradient[row * stride + j] = net.out_weights[row * 19 + j];
    }
  }
  std::vector<TypeParam> d_x(net.x.size());
  workspace.resize(rnn_backward_workspace_size<TypeParam>(shape));
  rnn_backward<TypeParam>(shape, net.weights(),
                          {.x = net.x.data(),
                           .saved = net.saved.data(),
                           .d_outputs = wide_gradient.data(),
                           .output_stride = stride,
                           .d_h_final = net.h_weights.data(),
                           .d_c_final = net.c_weights.data(),
                           .d_x = d_x.data(),
                           .workspace = workspace.data()});
  EXPECT_EQ(d_x, net.d_x);
}

TEST(RnnEdges, PassTheStateThroughWhenThereAreNoSteps) {
  Network<double> net({Cell::lstm, 0, 2, 3, 5}, 31);
  net.forward();
  net.backward();
  EXPECT_EQ(net.h_final, net.h0);
  EXPECT_EQ(net.c_final, net.c0);
  EXPECT_EQ(net.d_h0, net.h_weights);
  EXPECT_EQ(net.d_c0, net.c_weights);
  EXPECT_EQ(net.d_w_h, std::vector<double>(net.w_h.size(), 0));
  EXPECT_EQ(net.d_bias, std::vector<double>(net.bias.size(), 0));
}

TEST(RnnEdges, GiveZeroOutputsAndGradientsPastALength) {
  const std::int32_t lengths[] = {2, 4};
  for (const Cell cell : kCells) {
    Network<double> net({cell, 4, 2, 3, 5, lengths, true}, 37);
    net.forward();
    net.backward();
    for (std::size_t t = 2; t < 4; ++t) {
      for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(net.outputs[t * 2 * 5 + j], 0);
      for (std::size_t j = 0; j < 3; ++j) EXPECT_EQ(net.d_x[t * 2 * 3 + j], 0);
    }
  }
}

// 50 steps of 16 rows: small gates, so that gradients neither vanish nor explode in float.
TEST(RnnPrecision, FloatStaysCloseToDoubleOverManySteps) {
  for (const Cell cell : {Cell::lstm, Cell::gru}) {
    const RnnShape shape{cell, 50, 16, 64, 128};
    SCOPED_TRACE(describe(shape));
    Network<float> net(shape, 41);
    Network<double> exact(shape, 41);
    net.forward();
    net.backward();
    exact.forward();
    exact.backward();
    expect_same_results(net, exact, 2e-4);
  }
}

}  // namespace
}  // namespace heed::kernels
