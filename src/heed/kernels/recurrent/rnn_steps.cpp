// SPDX-License-Identifier: Apache-2.0
// Steps of recurrent networks: the product with the recurrent weights for a block of units, then
// all its gates while they are in the first cache.
#include "heed/kernels/recurrent/rnn_steps.h"

#include <hwy/cache_control.h>

#include <algorithm>

#include "heed/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/recurrent/rnn_steps.cpp"
#include "heed/kernels/highway.h"
// After highway.h, which sets the target that these headers are compiled for.
#include "heed/kernels/products/gemm-inl.h"
#include "heed/kernels/recurrent/rnn_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

inline bool Alive(const RnnShape& shape, std::size_t t, std::size_t row) {
  return shape.lengths == nullptr || t < static_cast<std::size_t>(shape.lengths[row]);
}

// products [m, kColumns] (rows `stride` apart) = left [m,k] times one panel, in depths that keep
// the panel in the first cache.
template <typename T>
void ProductOfPanel(std::size_t m, std::size_t k, const T* left, std::size_t left_stride,
                    const T* panel, T* products, std::size_t stride) {
  constexpr std::size_t kN = kColumns<T>;
  for (std::size_t p = 0; p < k; p += kDepth) {
    const TileOutput<T> out{products, stride,          kN, T{1}, p == 0 ? T{0} : T{1},
                            nullptr,  Activation::none};
    PanelProduct<T, Order::rows, kN>(m, std::min(kDepth, k - p), left + p, left_stride,
                                     panel + p * kN, kN, out);
  }
}

// Asks for the columns of a block early: they come from memory while the product is computed.
template <typename T>
void PrefetchBlock(const T* rows, std::size_t count, std::size_t stride, std::size_t gates,
                   std::size_t gate_stride) {
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t g = 0; g < gates; ++g) {
      const T* line = rows + b * stride + g * gate_stride;
      for (std::size_t j = 0; j < kColumns<T>; j += 64 / sizeof(T)) hwy::Prefetch(line + j);
    }
  }
}

template <Cell kCell, typename T>
void ForwardStep(const RnnShape& shape, const RnnForwardBuffers<T>& buffers, std::size_t t,
                 UnitBlocks slice) {
  constexpr std::size_t kN = kColumns<T>;
  const RnnLayout<T> layout(shape);
  const std::size_t batch = shape.batch;
  const std::size_t hidden = shape.hidden;
  const std::size_t gates = layout.gates;
  const RnnSlots slots = slots_of(shape, t);
  T* const products = buffers.products + slice.begin * batch * gates * kN;
  for (std::size_t block = slice.begin; block < slice.end; ++block) {
    const std::size_t unit = block * kN;
    const std::size_t units = std::min(kN, hidden - unit);
    T* const gate_rows = buffers.gates + t * batch * layout.stride + unit;
    PrefetchBlock(gate_rows, batch, layout.stride, gates, hidden);
    for (std::size_t g = 0; g < gates; ++g) {
      ProductOfPanel<T>(batch, hidden, buffers.h + slots.before * batch * hidden, hidden,
                        buffers.packed_w_h + (block * gates + g) * hidden * kN, products + g * kN,
                        gates * kN);
    }
    for (std::size_t b = 0; b < batch; ++b) {
      const std::size_t before = (slots.before * batch + b) * hidden + unit;
      const std::size_t after = (slots.after * batch + b) * hidden + unit;
      T* const output = buffers.outputs + (t * batch + b) * buffers.output_stride + unit;
      if (!Alive(shape, t, b)) {
        std::copy_n(buffers.h + before, units, buffers.h + after);
        if (kCell == Cell::lstm) std::copy_n(buffers.c + before, units, buffers.c + after);
        std::fill_n(output, units, T{0});
        continue;
      }
      StepForward<kCell, T>(
          {units, hidden, products + b * gates * kN, kN,
           buffers.candidate_bias != nullptr ? buffers.candidate_bias + unit : nullptr,
           gate_rows + b * layout.stride, buffers.h + before, buffers.h + after,
           kCell == Cell::lstm ? buffers.c + before : nullptr,
           kCell == Cell::lstm ? buffers.c + after : nullptr, output});
    }
  }
}

// d_gates W_h for one block of units, from the d_gates of time t.
template <typename T>
void RecurrentGradient(const RnnShape& shape, const RnnBackwardBuffers<T>& buffers, std::size_t t,
                       std::size_t block, T* products) {
  constexpr std::size_t kN = kColumns<T>;
  const RnnLayout<T> layout(shape);
  const std::size_t depth = layout.gates * shape.hidden;
  const T* const d_gates = buffers.d_gates + t * shape.batch * layout.stride +
                           (layout.stored_gates - layout.gates) * shape.hidden;
  ProductOfPanel<T>(shape.batch, depth, d_gates, layout.stride,
                    buffers.packed_w_h + block * depth * kN, products, kN);
}

template <Cell kCell, typename T>
void BackwardStep(const RnnShape& shape, const RnnBackwardBuffers<T>& buffers, std::size_t s,
                  UnitBlocks slice) {
  constexpr std::size_t kN = kColumns<T>;
  const RnnLayout<T> layout(shape);
  const std::size_t batch = shape.batch;
  const std::size_t hidden = shape.hidden;
  const std::size_t t = time_of(shape, s);
  const RnnSlots slots = slots_of(shape, t);
  T* const products = buffers.products + slice.begin * batch * kN;
  const bool last = s + 1 == shape.steps;
  for (std::size_t block = slice.begin; block < slice.end; ++block) {
    const std::size_t unit = block * kN;
    const std::size_t units = std::min(kN, hidden - unit);
    PrefetchBlock(buffers.gates + t * batch * layout.stride + unit, batch, layout.stride,
                  layout.stored_gates, hidden);
    if (!last) {
      RecurrentGradient<T>(shape, buffers, time_of(shape, s + 1), block, products);
    }
    for (std::size_t b = 0; b < batch; ++b) {
      const std::size_t before = (slots.before * batch + b) * hidden + unit;
      const std::size_t after = (slots.after * batch + b) * hidden + unit;
      const std::size_t row = t * batch + b;
      T* const d_gate = buffers.d_gates + row * layout.stride + unit;
      T* const d_h = buffers.d_h + b * hidden + unit;
      const T* const product = last ? nullptr : products + b * kN;
      if (!Alive(shape, t, b)) {
        for (std::size_t g = 0; g < layout.stored_gates; ++g) {
          std::fill_n(d_gate + g * hidden, units, T{0});
        }
        for (std::size_t j = 0; product != nullptr && j < units; ++j) d_h[j] += product[j];
        continue;
      }
      StepBackward<kCell, T>(
          {units, hidden, product,
           buffers.d_outputs != nullptr ? buffers.d_outputs + row * buffers.output_stride + unit
                                        : nullptr,
           buffers.gates + row * layout.stride + unit, buffers.h + before, buffers.h + after,
           kCell == Cell::lstm ? buffers.c + before : nullptr,
           kCell == Cell::lstm ? buffers.c + after : nullptr, d_gate, d_h,
           kCell == Cell::lstm ? buffers.d_c + b * hidden + unit : nullptr, buffers.d_bias + unit});
    }
  }
}

template <typename T>
void ForwardAny(const RnnShape& shape, const RnnForwardBuffers<T>& buffers, std::size_t t,
                UnitBlocks slice) {
  switch (shape.cell) {
    case Cell::tanh:
      return ForwardStep<Cell::tanh, T>(shape, buffers, t, slice);
    case Cell::relu:
      return ForwardStep<Cell::relu, T>(shape, buffers, t, slice);
    case Cell::lstm:
      return ForwardStep<Cell::lstm, T>(shape, buffers, t, slice);
    case Cell::gru:
      return ForwardStep<Cell::gru, T>(shape, buffers, t, slice);
  }
}

template <typename T>
void BackwardAny(const RnnShape& shape, const RnnBackwardBuffers<T>& buffers, std::size_t s,
                 UnitBlocks slice) {
  switch (shape.cell) {
    case Cell::tanh:
      return BackwardStep<Cell::tanh, T>(shape, buffers, s, slice);
    case Cell::relu:
      return BackwardStep<Cell::relu, T>(shape, buffers, s, slice);
    case Cell::lstm:
      return BackwardStep<Cell::lstm, T>(shape, buffers, s, slice);
    case Cell::gru:
      return BackwardStep<Cell::gru, T>(shape, buffers, s, slice);
  }
}

template <typename T>
void BackwardEnd(const RnnShape& shape, const RnnBackwardBuffers<T>& buffers, UnitBlocks slice) {
  constexpr std::size_t kN = kColumns<T>;
  T* const products = buffers.products + slice.begin * shape.batch * kN;
  for (std::size_t block = slice.begin; block < slice.end; ++block) {
    const std::size_t unit = block * kN;
    const std::size_t units = std::min(kN, shape.hidden - unit);
    RecurrentGradient<T>(shape, buffers, time_of(shape, 0), block, products);
    for (std::size_t b = 0; b < shape.batch; ++b) {
      T* const d_h = buffers.d_h + b * shape.hidden + unit;
      for (std::size_t j = 0; j < units; ++j) d_h[j] += products[b * kN + j];
    }
  }
}

}  // namespace

void ForwardEntry(const RnnShape& shape, const RnnForwardBuffers<Scalar>& buffers, std::size_t t,
                  UnitBlocks slice) {
  ForwardAny(shape, buffers, t, slice);
}
void BackwardEntry(const RnnShape& shape, const RnnBackwardBuffers<Scalar>& buffers, std::size_t s,
                   UnitBlocks slice) {
  BackwardAny(shape, buffers, s, slice);
}
void EndEntry(const RnnShape& shape, const RnnBackwardBuffers<Scalar>& buffers, UnitBlocks slice) {
  BackwardEnd(shape, buffers, slice);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(ForwardEntry);
HWY_EXPORT(BackwardEntry);
HWY_EXPORT(EndEntry);

template <>
void rnn_forward_step(const RnnShape& shape, const RnnForwardBuffers<Scalar>& buffers,
                      std::size_t t, UnitBlocks slice) noexcept {
  HWY_DYNAMIC_DISPATCH(ForwardEntry)(shape, buffers, t, slice);
}
template <>
void rnn_backward_step(const RnnShape& shape, const RnnBackwardBuffers<Scalar>& buffers,
                       std::size_t s, UnitBlocks slice) noexcept {
  HWY_DYNAMIC_DISPATCH(BackwardEntry)(shape, buffers, s, slice);
}
template <>
void rnn_backward_end(const RnnShape& shape, const RnnBackwardBuffers<Scalar>& buffers,
                      UnitBlocks slice) noexcept {
  HWY_DYNAMIC_DISPATCH(EndEntry)(shape, buffers, slice);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
