// SPDX-License-Identifier: Apache-2.0
// Slices of units for all rows of the batch, so that each thread adds up its own part of the bias.
#include "heed/kernels/recurrent/rnn_cell.h"

#include <algorithm>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/recurrent/rnn_cell.cpp"
#include "heed/kernels/highway.h"
// After highway.h, which sets the target that this header is compiled for.
#include "heed/kernels/recurrent/rnn_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

template <Cell kCell, typename T>
void ForwardUnits(const RnnCellShape& shape, const RnnCellForward<T>& in, std::size_t unit,
                  std::size_t units) {
  const std::size_t hidden = shape.hidden;
  const std::size_t gates = gate_count(kCell);
  const std::size_t stored = stored_gate_count(kCell);
  for (std::size_t b = 0; b < shape.batch; ++b) {
    T* const row = in.gates + b * stored * hidden + unit;
    for (std::size_t g = 0; g < gates; ++g) {
      std::copy_n(in.from_input + (b * gates + g) * hidden + unit, units, row + g * hidden);
    }
    const std::size_t at = b * hidden + unit;
    StepForward<kCell, T>({units, hidden, in.from_state + b * gates * hidden + unit, hidden,
                           in.candidate_bias != nullptr ? in.candidate_bias + unit : nullptr, row,
                           in.h + at, in.next_h + at, kCell == Cell::lstm ? in.c + at : nullptr,
                           kCell == Cell::lstm ? in.next_c + at : nullptr, nullptr});
  }
}

template <Cell kCell, typename T>
void BackwardUnits(const RnnCellShape& shape, const RnnCellBackward<T>& in, std::size_t unit,
                   std::size_t units) {
  const std::size_t hidden = shape.hidden;
  const std::size_t stored = stored_gate_count(kCell);
  for (std::size_t g = 0; g < stored; ++g) {
    std::fill_n(in.d_bias + g * hidden + unit, units, T{0});
  }
  for (std::size_t b = 0; b < shape.batch; ++b) {
    const std::size_t at = b * hidden + unit;
    std::fill_n(in.d_h + at, units, T{0});
    if constexpr (kCell == Cell::lstm) {
      if (in.d_next_c != nullptr) {
        std::copy_n(in.d_next_c + at, units, in.d_c + at);
      } else {
        std::fill_n(in.d_c + at, units, T{0});
      }
    }
    StepBackward<kCell, T>(
        {units, hidden, nullptr, in.d_next_h != nullptr ? in.d_next_h + at : nullptr,
         in.gates + b * stored * hidden + unit, in.h + at, in.next_h + at,
         kCell == Cell::lstm ? in.c + at : nullptr, kCell == Cell::lstm ? in.next_c + at : nullptr,
         in.d_gates + b * stored * hidden + unit, in.d_h + at,
         kCell == Cell::lstm ? in.d_c + at : nullptr, in.d_bias + unit});
  }
}

// Units in slices of whole cache lines; a thread is worth some 8192 units of all rows together.
template <typename Body>
void OnUnits(const RnnCellShape& shape, const Body& body) {
  constexpr std::size_t kSlice = 32;
  const std::size_t slices = (shape.hidden + kSlice - 1) / kSlice;
  const std::size_t grain = 1 + 8192 / (kSlice * std::max<std::size_t>(shape.batch, 1));
  parallel_for(slices, grain, [&](std::size_t begin, std::size_t end) {
    const std::size_t unit = begin * kSlice;
    body(unit, std::min(end * kSlice, shape.hidden) - unit);
  });
}

template <typename T>
void ForwardAny(const RnnCellShape& shape, const RnnCellForward<T>& in) {
  OnUnits(shape, [&](std::size_t unit, std::size_t units) {
    switch (shape.cell) {
      case Cell::tanh:
        return ForwardUnits<Cell::tanh, T>(shape, in, unit, units);
      case Cell::relu:
        return ForwardUnits<Cell::relu, T>(shape, in, unit, units);
      case Cell::lstm:
        return ForwardUnits<Cell::lstm, T>(shape, in, unit, units);
      case Cell::gru:
        return ForwardUnits<Cell::gru, T>(shape, in, unit, units);
    }
  });
}

template <typename T>
void BackwardAny(const RnnCellShape& shape, const RnnCellBackward<T>& in) {
  OnUnits(shape, [&](std::size_t unit, std::size_t units) {
    switch (shape.cell) {
      case Cell::tanh:
        return BackwardUnits<Cell::tanh, T>(shape, in, unit, units);
      case Cell::relu:
        return BackwardUnits<Cell::relu, T>(shape, in, unit, units);
      case Cell::lstm:
        return BackwardUnits<Cell::lstm, T>(shape, in, unit, units);
      case Cell::gru:
        return BackwardUnits<Cell::gru, T>(shape, in, unit, units);
    }
  });
}

}  // namespace

void CellForwardEntry(const RnnCellShape& shape, const RnnCellForward<Scalar>& in) {
  ForwardAny(shape, in);
}
void CellBackwardEntry(const RnnCellShape& shape, const RnnCellBackward<Scalar>& in) {
  BackwardAny(shape, in);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(CellForwardEntry);
HWY_EXPORT(CellBackwardEntry);

template <>
void rnn_cell_forward(const RnnCellShape& shape, const RnnCellForward<Scalar>& in) noexcept {
  HWY_DYNAMIC_DISPATCH(CellForwardEntry)(shape, in);
}
template <>
void rnn_cell_backward(const RnnCellShape& shape, const RnnCellBackward<Scalar>& in) noexcept {
  HWY_DYNAMIC_DISPATCH(CellBackwardEntry)(shape, in);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
