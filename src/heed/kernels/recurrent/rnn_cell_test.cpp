// SPDX-License-Identifier: Apache-2.0
// Tests of the single step: it equals a sequence of one step, forward and backward.
#include "heed/kernels/recurrent/rnn_cell.h"

#include <vector>

#include "heed/base/threads.h"
#include "heed/kernels/products/gemm.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

constexpr Cell kCells[] = {Cell::tanh, Cell::relu, Cell::lstm, Cell::gru};

template <typename T>
std::vector<T> drawn(std::size_t n, double range, std::uint32_t seed) {
  std::vector<T> v(n);
  fill_uniform(v.data(), n, -range, range, seed);
  return v;
}

template <typename T>
void expect_equal(const std::vector<T>& actual, const std::vector<T>& expected, double tolerance,
                  const char* what) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_NEAR(actual[i], expected[i], tolerance) << what << " " << i;
  }
}

// a [m,k] times the transposed b [n,k].
template <typename T>
std::vector<T> times(const std::vector<T>& a, const std::vector<T>& b, std::size_t m,
                     std::size_t k) {
  const std::size_t n = b.size() / k;
  std::vector<T> y(m * n);
  gemm<T>(a.data(), b.data(), y.data(), {.m = m, .n = n, .k = k, .transpose_b = true});
  return y;
}

template <typename T>
void expect_one_step_of_a_sequence(Cell cell, std::size_t batch, std::size_t hidden,
                                   double tolerance) {
  const std::size_t gates = gate_count(cell) * hidden;
  const std::size_t state = batch * hidden;
  constexpr std::size_t kInputs = 3;
  const auto x = drawn<T>(batch * kInputs, 1, 1), w_x = drawn<T>(gates * kInputs, 1, 2);
  const auto w_h = drawn<T>(gates * hidden, .3, 3), candidate = drawn<T>(hidden, 1, 4);
  const auto h = drawn<T>(state, 1, 5), c = drawn<T>(state, 1, 6);
  const auto d_h_next = drawn<T>(state, 1, 7), d_c_next = drawn<T>(state, 1, 8);

  const RnnShape one{.cell = cell, .steps = 1, .batch = batch, .inputs = kInputs, .hidden = hidden};
  const RnnWeights<T> weights{w_x.data(), w_h.data(), nullptr, candidate.data()};
  std::vector<T> outputs(state), h_after(state), c_after(state);
  std::vector<T> saved(rnn_saved_size<T>(one)), work(rnn_forward_workspace_size<T>(one));
  rnn_forward<T>(one, weights,
                 {.x = x.data(),
                  .h0 = h.data(),
                  .c0 = c.data(),
                  .outputs = outputs.data(),
                  .h_final = h_after.data(),
                  .c_final = c_after.data(),
                  .saved = saved.data(),
                  .workspace = work.data()});
  const auto from_input = times(x, w_x, batch, kInputs), from_state = times(h, w_h, batch, hidden);
  const std::size_t stored = stored_gate_count(cell) * hidden;
  std::vector<T> kept(batch * stored), next_h(state), next_c(state);
  const RnnCellShape shape{cell, batch, hidden};
  rnn_cell_forward<T>(shape, {.from_input = from_input.data(),
                              .from_state = from_state.data(),
                              .candidate_bias = candidate.data(),
                              .h = h.data(),
                              .c = c.data(),
                              .gates = kept.data(),
                              .next_h = next_h.data(),
                              .next_c = next_c.data()});
  expect_equal(next_h, h_after, tolerance, "h");
  if (cell == Cell::lstm) expect_equal(next_c, c_after, tolerance, "c");

  std::vector<T> d_bias(gates), d_candidate(hidden), d_h0(state), d_c0(state);
  std::vector<T> back(rnn_backward_workspace_size<T>(one));
  rnn_backward<T>(one, weights,
                  {.x = x.data(),
                   .saved = saved.data(),
                   .d_h_final = d_h_next.data(),
                   .d_c_final = d_c_next.data(),
                   .d_bias = d_bias.data(),
                   .d_candidate_bias = d_candidate.data(),
                   .d_h0 = d_h0.data(),
                   .d_c0 = d_c0.data(),
                   .workspace = back.data()});
  std::vector<T> d_gates(batch * stored), d_h(state), d_c(state), sums(stored);
  rnn_cell_backward<T>(shape, {.gates = kept.data(),
                               .h = h.data(),
                               .c = c.data(),
                               .next_h = next_h.data(),
                               .next_c = next_c.data(),
                               .d_next_h = d_h_next.data(),
                               .d_next_c = d_c_next.data(),
                               .d_gates = d_gates.data(),
                               .d_h = d_h.data(),
                               .d_c = d_c.data(),
                               .d_bias = sums.data()});
  // What reaches h through W_h is a product of its own.
  gemm<T>(d_gates.data() + (stored - gates), w_h.data(), d_h.data(),
          {.m = batch, .n = hidden, .k = gates, .lda = stored, .beta = 1});
  expect_equal(d_h, d_h0, 10 * tolerance, "gradient of h");
  if (cell == Cell::lstm) expect_equal(d_c, d_c0, tolerance, "gradient of c");
  if (cell == Cell::gru) {
    const std::vector<T> last(sums.end() - static_cast<std::ptrdiff_t>(hidden), sums.end());
    expect_equal(last, d_candidate, 10 * tolerance, "gradient of the candidate's bias");
  } else {
    expect_equal(sums, d_bias, 10 * tolerance, "gradient of the bias");
  }
}

TEST(RnnCell, EqualsASequenceOfOneStepOnEveryTarget) {
  on_every_target([] {
    for (const Cell cell : kCells) {
      SCOPED_TRACE(static_cast<int>(cell));
      expect_one_step_of_a_sequence<float>(cell, 3, 5, 1e-5);
      expect_one_step_of_a_sequence<float>(cell, 5, 67, 1e-5);
      expect_one_step_of_a_sequence<double>(cell, 4, 37, 1e-13);
    }
  });
}

TEST(RnnCell, GivesTheSameBitsWithTwoThreads) {
  const RnnCellShape shape{Cell::lstm, 64, 200};
  const auto run = [&](int count) {
    const ThreadScope scope(count);
    const auto x = drawn<float>(64 * 800, 2, 1), y = drawn<float>(64 * 800, 2, 2);
    const auto state = drawn<float>(64 * 200, 1, 3);
    std::vector<float> gates(64 * 800), h(64 * 200), c(64 * 200);
    rnn_cell_forward<float>(shape, {.from_input = x.data(),
                                    .from_state = y.data(),
                                    .h = state.data(),
                                    .c = state.data(),
                                    .gates = gates.data(),
                                    .next_h = h.data(),
                                    .next_c = c.data()});
    return h;
  };
  EXPECT_EQ(run(1), run(2));
}

}  // namespace
}  // namespace heed::kernels
