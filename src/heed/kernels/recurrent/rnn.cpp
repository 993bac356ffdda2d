// SPDX-License-Identifier: Apache-2.0
// Whole sequences: one product for the inputs of all steps, the steps in lock-step over slices of
// units, one product per gradient at the end.
#include "heed/kernels/recurrent/rnn.h"

#include <omp.h>

#include <algorithm>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/products/gemm.h"
#include "heed/kernels/products/gemm_blocks.h"
#include "heed/kernels/recurrent/rnn_steps.h"
#include "heed/kernels/spin_barrier.h"

namespace heed::kernels {
namespace {

// Multiply-adds of one step that are worth a thread: some 3 us, several times what the barrier
// costs.
constexpr std::size_t kGrain = std::size_t{1} << 17;

// Hands out parts of one buffer, each on a cache line of its own.
template <typename T>
class Carver {
 public:
  explicit Carver(T* memory) noexcept : memory_(memory) {}
  T* take(std::size_t n) noexcept {
    constexpr std::size_t kLine = 64 / sizeof(T);
    T* part = memory_ == nullptr ? nullptr : memory_ + used_;
    used_ += (n + kLine - 1) / kLine * kLine;
    return part;
  }
  std::size_t used() const noexcept { return used_; }

 private:
  T* memory_;
  std::size_t used_ = 0;
};

template <typename T>
struct Saved {
  Saved(const RnnShape& shape, T* memory) noexcept {
    Carver<T> carver(memory);
    const std::size_t rows = shape.steps * shape.batch;
    const std::size_t states = (rows + shape.batch) * shape.hidden;
    gates = carver.take(rows * RnnLayout<T>(shape).stride);
    h = carver.take(states);
    c = carver.take(shape.cell == Cell::lstm ? states : 0);
    size = carver.used();
  }
  T* gates;
  T* h;
  T* c;
  std::size_t size;
};

template <typename T>
std::size_t unit_blocks(std::size_t hidden) noexcept {
  return (hidden + panel_columns<T>() - 1) / panel_columns<T>();
}

template <typename T>
struct ForwardWork {
  ForwardWork(const RnnShape& shape, T* memory) noexcept {
    Carver<T> carver(memory);
    const std::size_t units = unit_blocks<T>(shape.hidden) * panel_columns<T>();
    packed_w_h = carver.take(rnn_packed_size<T>(shape.cell, shape.hidden));
    products = carver.take(shape.batch * gate_count(shape.cell) * units);
    size = carver.used();
  }
  T* packed_w_h;
  T* products;
  std::size_t size;
};

template <typename T>
struct BackwardWork {
  BackwardWork(const RnnShape& shape, T* memory) noexcept {
    Carver<T> carver(memory);
    const RnnLayout<T> layout(shape);
    const std::size_t state = shape.batch * shape.hidden;
    packed_w_h = carver.take(packed_size<T>(layout.gates * shape.hidden, shape.hidden));
    products = carver.take(shape.batch * unit_blocks<T>(shape.hidden) * panel_columns<T>());
    d_gates = carver.take(shape.steps * shape.batch * layout.stride);
    d_h = carver.take(state);
    d_c = carver.take(shape.cell == Cell::lstm ? state : 0);
    d_bias = carver.take(layout.stored_gates * shape.hidden);
    size = carver.used();
  }
  T* packed_w_h;
  T* products;
  T* d_gates;
  T* d_h;
  T* d_c;
  T* d_bias;
  std::size_t size;
};

// Calls body(slice, barrier) on every thread, each with its own slice of the unit blocks. Slices
// are cut by the number of threads that OpenMP really gives.
template <typename T, typename Body>
void on_slices(const RnnShape& shape, const Body& body) {
  const std::size_t blocks = unit_blocks<T>(shape.hidden);
  const std::size_t work = shape.batch * shape.hidden * shape.hidden * gate_count(shape.cell);
  const std::size_t available = omp_in_parallel() != 0 ? 1 : static_cast<std::size_t>(threads());
  const std::size_t parts = std::max<std::size_t>(1, std::min({available, blocks, work / kGrain}));
  SpinBarrier barrier;
  if (parts == 1) {
    body(UnitBlocks{0, blocks}, barrier);
    return;
  }
#pragma omp parallel num_threads(static_cast <int>(parts))
  {
    const auto count = static_cast<std::size_t>(omp_get_num_threads());
    const auto part = static_cast<std::size_t>(omp_get_thread_num());
#pragma omp single
    barrier.expect(count);
    body(UnitBlocks{blocks * part / count, blocks * (part + 1) / count}, barrier);
  }
}

template <typename T>
void copy_or_zero(const T* from, std::size_t n, T* to) {
  if (from != nullptr) {
    std::copy_n(from, n, to);
  } else {
    std::fill_n(to, n, T{0});
  }
}

template <typename T>
void copy_if(const T* from, std::size_t n, T* to) {
  if (to != nullptr) std::copy_n(from, n, to);
}

}  // namespace

template <typename T>
std::size_t rnn_saved_size(const RnnShape& shape) noexcept {
  return Saved<T>(shape, nullptr).size;
}

template <typename T>
std::size_t rnn_forward_workspace_size(const RnnShape& shape) noexcept {
  return ForwardWork<T>(shape, nullptr).size;
}

template <typename T>
std::size_t rnn_backward_workspace_size(const RnnShape& shape) noexcept {
  return BackwardWork<T>(shape, nullptr).size;
}

template <typename T>
std::size_t rnn_packed_size(Cell cell, std::size_t hidden) noexcept {
  return unit_blocks<T>(hidden) * gate_count(cell) * hidden * panel_columns<T>();
}

template <typename T>
void rnn_pack_recurrent(Cell cell, std::size_t hidden, const T* w_h, T* packed_w_h) noexcept {
  const std::size_t gates = gate_count(cell);
  const std::size_t columns = panel_columns<T>();
  const std::size_t grain =
      1 + (std::size_t{1} << 16) / (columns * std::max<std::size_t>(hidden, 1));
  parallel_for(unit_blocks<T>(hidden) * gates, grain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t panel = begin; panel < end; ++panel) {
      const std::size_t unit = panel / gates * columns;
      const std::size_t gate = panel % gates;
      const PackOptions options{
          .k = hidden, .n = std::min(columns, hidden - unit), .transpose_b = true, .ldb = hidden};
      pack_panels(w_h + (gate * hidden + unit) * hidden, options, 0, 1,
                  packed_w_h + panel * hidden * columns);
    }
  });
}

template <typename T>
void rnn_forward(const RnnShape& shape, const RnnWeights<T>& weights,
                 const RnnForward<T>& arguments) noexcept {
  const RnnLayout<T> layout(shape);
  const Saved<T> saved(shape, arguments.saved);
  const ForwardWork<T> work(shape, arguments.workspace);
  const std::size_t hidden = shape.hidden;
  const std::size_t state = shape.batch * hidden;

  gemm<T>(arguments.x, weights.w_x, saved.gates,
          {.m = shape.steps * shape.batch,
           .n = layout.gates * hidden,
           .k = shape.inputs,
           .transpose_b = true,
           .ldc = layout.stride,
           .bias = weights.bias});
  const T* packed_w_h = weights.packed_w_h;
  if (packed_w_h == nullptr) {
    rnn_pack_recurrent(shape.cell, hidden, weights.w_h, work.packed_w_h);
    packed_w_h = work.packed_w_h;
  }

  const std::size_t first = shape.reverse ? shape.steps : 0;
  copy_or_zero(arguments.h0, state, saved.h + first * state);
  if (shape.cell == Cell::lstm) {
    copy_or_zero(arguments.c0, state, saved.c + first * state);
  }
  const RnnForwardBuffers<T> buffers{
      saved.gates,
      saved.h,
      saved.c,
      packed_w_h,
      weights.candidate_bias,
      arguments.outputs,
      arguments.output_stride == 0 ? hidden : arguments.output_stride,
      work.products};
  on_slices<T>(shape, [&](UnitBlocks slice, SpinBarrier& barrier) {
    for (std::size_t s = 0; s < shape.steps; ++s) {
      rnn_forward_step(shape, buffers, time_of(shape, s), slice);
      barrier.wait();
    }
  });
  const std::size_t last = shape.reverse ? 0 : shape.steps;
  copy_if(saved.h + last * state, state, arguments.h_final);
  if (shape.cell == Cell::lstm) copy_if(saved.c + last * state, state, arguments.c_final);
}

namespace {

// d_x [T*B, I] = d_gates W_x and d_w_x = d_gates^T x. GRU keeps the gradient of n before those of r
// and z, so its rows of W_x come in two parts.
template <typename T>
void input_gradients(const RnnShape& shape, const RnnWeights<T>& weights,
                     const RnnBackward<T>& arguments, const T* d_gates) {
  const RnnLayout<T> layout(shape);
  const std::size_t hidden = shape.hidden;
  const std::size_t rows = shape.steps * shape.batch;
  struct Part {
    std::size_t column, weight_row, count;
  };
  const Part whole[] = {{0, 0, layout.gates * hidden}};
  const Part gru[] = {{hidden, 0, 2 * hidden}, {0, 2 * hidden, hidden}};
  const bool is_gru = shape.cell == Cell::gru;
  const Part* const parts = is_gru ? gru : whole;
  for (std::size_t i = 0; i < (is_gru ? 2u : 1u); ++i) {
    const Part& part = parts[i];
    if (arguments.d_x != nullptr) {
      gemm<T>(d_gates + part.column, weights.w_x + part.weight_row * shape.inputs, arguments.d_x,
              {.m = rows,
               .n = shape.inputs,
               .k = part.count,
               .lda = layout.stride,
               .beta = i == 0 ? T{0} : T{1}});
    }
    if (arguments.d_w_x != nullptr) {
      gemm<T>(d_gates + part.column, arguments.x, arguments.d_w_x + part.weight_row * shape.inputs,
              {.m = part.count,
               .n = shape.inputs,
               .k = rows,
               .transpose_a = true,
               .lda = layout.stride});
    }
  }
}

// d_bias [stored gates, H] of the steps, put into the order of the biases.
template <typename T>
void bias_gradients(const RnnShape& shape, const RnnBackward<T>& arguments, const T* d_bias) {
  const std::size_t hidden = shape.hidden;
  if (shape.cell != Cell::gru) {
    copy_if(d_bias, gate_count(shape.cell) * hidden, arguments.d_bias);
    return;
  }
  if (arguments.d_bias != nullptr) {
    std::copy_n(d_bias + hidden, 2 * hidden, arguments.d_bias);
    std::copy_n(d_bias, hidden, arguments.d_bias + 2 * hidden);
  }
  copy_if(d_bias + 3 * hidden, hidden, arguments.d_candidate_bias);
}

}  // namespace

template <typename T>
void rnn_backward(const RnnShape& shape, const RnnWeights<T>& weights,
                  const RnnBackward<T>& arguments) noexcept {
  const RnnLayout<T> layout(shape);
  const Saved<const T> saved(shape, arguments.saved);
  const BackwardWork<T> work(shape, arguments.workspace);
  const std::size_t hidden = shape.hidden;
  const std::size_t state = shape.batch * hidden;
  const std::size_t depth = layout.gates * hidden;

  pack<T>(weights.w_h, {.k = depth, .n = hidden}, work.packed_w_h);
  copy_or_zero(arguments.d_h_final, state, work.d_h);
  if (shape.cell == Cell::lstm) copy_or_zero(arguments.d_c_final, state, work.d_c);
  std::fill_n(work.d_bias, layout.stored_gates * hidden, T{0});
  const RnnBackwardBuffers<T> buffers{
      saved.gates,
      saved.h,
      saved.c,
      work.packed_w_h,
      arguments.d_outputs,
      arguments.output_stride == 0 ? hidden : arguments.output_stride,
      work.d_gates,
      work.d_h,
      work.d_c,
      work.d_bias,
      work.products};
  on_slices<T>(shape, [&](UnitBlocks slice, SpinBarrier& barrier) {
    for (std::size_t s = shape.steps; s-- > 0;) {
      rnn_backward_step(shape, buffers, s, slice);
      barrier.wait();
    }
    if (arguments.d_h0 != nullptr && shape.steps > 0) rnn_backward_end(shape, buffers, slice);
  });

  copy_if(work.d_h, state, arguments.d_h0);
  if (shape.cell == Cell::lstm) copy_if(work.d_c, state, arguments.d_c0);
  input_gradients(shape, weights, arguments, work.d_gates);
  if (arguments.d_w_h != nullptr) {
    const T* const h_before = saved.h + (shape.reverse ? state : 0);
    gemm<T>(work.d_gates + (layout.stored_gates - layout.gates) * hidden, h_before, arguments.d_w_h,
            {.m = depth,
             .n = hidden,
             .k = shape.steps * shape.batch,
             .transpose_a = true,
             .lda = layout.stride});
  }
  bias_gradients(shape, arguments, work.d_bias);
}

template std::size_t rnn_saved_size<Scalar>(const RnnShape&) noexcept;
template std::size_t rnn_forward_workspace_size<Scalar>(const RnnShape&) noexcept;
template std::size_t rnn_backward_workspace_size<Scalar>(const RnnShape&) noexcept;
template std::size_t rnn_packed_size<Scalar>(Cell, std::size_t) noexcept;
template void rnn_pack_recurrent(Cell, std::size_t, const Scalar*, Scalar*) noexcept;
template void rnn_forward(const RnnShape&, const RnnWeights<Scalar>&,
                          const RnnForward<Scalar>&) noexcept;
template void rnn_backward(const RnnShape&, const RnnWeights<Scalar>&,
                           const RnnBackward<Scalar>&) noexcept;

}  // namespace heed::kernels
