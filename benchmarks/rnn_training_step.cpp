// SPDX-License-Identifier: Apache-2.0
// Training steps of LSTM and GRU (forward, and backward with all gradients) over 50 steps:
// bench_rnn_training_step [--json] prints one row per cell, size and thread count.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string_view>

#include "heed/base/threads.h"
#include "heed/kernels/measure.h"
#include "heed/kernels/rnn.h"
#include "heed/kernels/targets.h"
#include "timing.h"

namespace {

using heed::kernels::Cell;
using heed::kernels::RnnShape;

using heed::benchmarks::Buffer;

Buffer buffer(std::size_t n) {
  return heed::benchmarks::random_buffer(n, 0.05F);
}

// One layer with all buffers of a training step.
class Layer {
 public:
  explicit Layer(const RnnShape& shape) : shape_(shape) {}

  void training_step() {
    const heed::kernels::RnnWeights<float> weights{w_x_.get(), w_h_.get(), bias_.get(),
                                                   candidate_bias_.get()};
    rnn_forward<float>(shape_, weights,
                       {.x = x_.get(),
                        .outputs = outputs_.get(),
                        .saved = saved_.get(),
                        .workspace = forward_workspace_.get()});
    rnn_backward<float>(shape_, weights,
                        {.x = x_.get(),
                         .saved = saved_.get(),
                         .d_outputs = d_outputs_.get(),
                         .d_x = d_x_.get(),
                         .d_w_x = d_w_x_.get(),
                         .d_w_h = d_w_h_.get(),
                         .d_bias = d_bias_.get(),
                         .d_candidate_bias = d_candidate_bias_.get(),
                         .workspace = backward_workspace_.get()});
  }

  // Multiplications and additions of the six products; forward has two, backward four.
  double flops() const {
    return 3.0 * 2.0 * static_cast<double>(rows_) * gates_ * (shape_.inputs + shape_.hidden);
  }

 private:
  RnnShape shape_;
  std::size_t rows_ = shape_.steps * shape_.batch;
  std::size_t gates_ = heed::kernels::gate_count(shape_.cell) * shape_.hidden;
  Buffer x_ = buffer(rows_ * shape_.inputs);
  Buffer w_x_ = buffer(gates_ * shape_.inputs);
  Buffer w_h_ = buffer(gates_ * shape_.hidden);
  Buffer bias_ = buffer(gates_);
  Buffer candidate_bias_ = buffer(shape_.hidden);
  Buffer outputs_ = buffer(rows_ * shape_.hidden);
  Buffer d_outputs_ = buffer(rows_ * shape_.hidden);
  Buffer d_x_ = buffer(rows_ * shape_.inputs);
  Buffer d_w_x_ = buffer(gates_ * shape_.inputs);
  Buffer d_w_h_ = buffer(gates_ * shape_.hidden);
  Buffer d_bias_ = buffer(gates_);
  Buffer d_candidate_bias_ = buffer(shape_.hidden);
  Buffer saved_ = buffer(heed::kernels::rnn_saved_size<float>(shape_));
  Buffer forward_workspace_ = buffer(heed::kernels::rnn_forward_workspace_size<float>(shape_));
  Buffer backward_workspace_ = buffer(heed::kernels::rnn_backward_workspace_size<float>(shape_));
};

// Best times with one and two threads, taken in turns, and the best FMA rate between them.
nlohmann::json measure(const char* name, const RnnShape& shape) {
  Layer layer(shape);
  double best[2] = {std::numeric_limits<double>::infinity(),
                    std::numeric_limits<double>::infinity()};
  double fma = 0;
  layer.training_step();
  double spent = 0;
  for (int turn = 0; turn < 5 || spent < 4; ++turn) {
    for (const int count : {1, 2}) {
      heed::set_threads(count);
      fma = std::max(fma, heed::kernels::fma_gflops(0.003));
      const double once = heed::benchmarks::seconds_of([&] { layer.training_step(); });
      best[count - 1] = std::min(best[count - 1], once);
      spent += once;
    }
  }
  const double gflops = layer.flops() / best[0] * 1e-9;
  return {{"name", name},
          {"ms", best[0] * 1e3},
          {"gflops", gflops},
          {"fraction_of_fma", gflops / fma},
          {"ms_two_threads", best[1] * 1e3},
          {"two_threads_over_one", best[0] / best[1]}};
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc > 1 && std::string_view(argv[1]) == "--json";
  if (argc > 2 || (argc == 2 && !json)) {
    fmt::print(stderr, "usage: {} [--json]\n", argv[0]);
    return 2;
  }
  struct Row {
    const char* name;
    RnnShape shape;
  };
  const Row rows[] = {
      {"lstm_t50_b64_h512", {Cell::lstm, 50, 64, 512, 512}},
      {"lstm_t50_b16_h256", {Cell::lstm, 50, 16, 256, 256}},
      {"gru_t50_b64_h512", {Cell::gru, 50, 64, 512, 512}},
      {"gru_t50_b16_h256", {Cell::gru, 50, 16, 256, 256}},
  };
  if (!json) {
    fmt::print("CPU target {}\n", heed::kernels::current_target());
    fmt::print("{:<20} {:>9} {:>9} {:>7} {:>14} {:>9}\n", "training step", "ms", "GFLOP/s",
               "of FMA", "ms, 2 threads", "speed-up");
  }
  nlohmann::json results = nlohmann::json::array();
  for (const Row& row : rows) {
    const nlohmann::json result = measure(row.name, row.shape);
    results.push_back(result);
    if (json) continue;
    fmt::print("{:<20} {:>9.2f} {:>9.1f} {:>7.3f} {:>14.2f} {:>9.2f}\n", row.name,
               result["ms"].get<double>(), result["gflops"].get<double>(),
               result["fraction_of_fma"].get<double>(), result["ms_two_threads"].get<double>(),
               result["two_threads_over_one"].get<double>());
    std::fflush(stdout);
  }
  if (json) fmt::print("{}\n", results.dump(2));
  return 0;
}
