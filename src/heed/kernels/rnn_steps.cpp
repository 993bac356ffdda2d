// SPDX-License-Identifier: Apache-2.0
// Steps of recurrent networks: the product with the recurrent weights for a block of units, then
// all its gates while they are in the first cache.
#include "heed/kernels/rnn_steps.h"

#include <hwy/cache_control.h>

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/rnn_steps.cpp"
#include "heed/kernels/highway.h"
// After highway.h, which sets the target that these headers are compiled for.
#include "heed/kernels/gemm-inl.h"
#include "heed/kernels/lanes-inl.h"
#include "heed/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {
namespace {

inline bool alive(const RnnShape& shape, std::size_t t, std::size_t row) {
  return shape.lengths == nullptr || t < static_cast<std::size_t>(shape.lengths[row]);
}

// products [m, kColumns] (rows `stride` apart) = left [m,k] times one panel, in depths that keep
// the panel in the first cache.
template <typename T>
void product_of_panel(std::size_t m, std::size_t k, const T* left, std::size_t left_stride,
                      const T* panel, T* products, std::size_t stride) {
  constexpr std::size_t kN = kColumns<T>;
  for (std::size_t p = 0; p < k; p += kDepth) {
    const TileOutput<T> out{products, stride,          kN, T{1}, p == 0 ? T{0} : T{1},
                            nullptr,  Activation::none};
    panel_product<T, Order::rows, kN>(m, std::min(kDepth, k - p), left + p, left_stride,
                                      panel + p * kN, kN, out);
  }
}

// Asks for the columns of a block early: they come from memory while the product is computed.
template <typename T>
void prefetch_block(const T* rows, std::size_t count, std::size_t stride, std::size_t gates,
                    std::size_t gate_stride) {
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t g = 0; g < gates; ++g) {
      const T* line = rows + b * stride + g * gate_stride;
      for (std::size_t j = 0; j < kColumns<T>; j += 64 / sizeof(T)) hwy::Prefetch(line + j);
    }
  }
}

// One row of a block forward. `product` holds W_h h gate by gate, kColumns apart; `gate` the stored
// gates, H apart.
template <Cell kCell, typename T>
struct ForwardRow {
  std::size_t units;
  std::size_t hidden;
  const T* product;
  const T* candidate_bias;
  T* gate;
  const T* h_before;
  T* h_after;
  const T* c_before;
  T* c_after;
  T* output;
};

template <Cell kCell, typename T>
HWY_INLINE void forward_row(const ForwardRow<kCell, T>& row) {
  const hn::ScalableTag<T> d;
  constexpr std::size_t kN = kColumns<T>;
  sweep(d, 0, row.units, [&](std::size_t j, auto lanes) HWY_ATTR {
    const auto from_x = [&](std::size_t g)
                            HWY_ATTR { return lanes.load(d, row.gate + g * row.hidden + j); };
    const auto from_h = [&](std::size_t g)
                            HWY_ATTR { return hn::LoadU(d, row.product + g * kN + j); };
    const auto keep = [&](std::size_t g, auto v)
                          HWY_ATTR { lanes.store(v, d, row.gate + g * row.hidden + j); };
    auto h = hn::Zero(d);
    if constexpr (kCell == Cell::lstm) {
      const auto i = Sigmoid(d, hn::Add(from_x(0), from_h(0)));
      const auto f = Sigmoid(d, hn::Add(from_x(1), from_h(1)));
      const auto g = Tanh(d, hn::Add(from_x(2), from_h(2)));
      const auto o = Sigmoid(d, hn::Add(from_x(3), from_h(3)));
      const auto c = hn::MulAdd(f, lanes.load(d, row.c_before + j), hn::Mul(i, g));
      h = hn::Mul(o, Tanh(d, c));
      keep(0, i);
      keep(1, f);
      keep(2, g);
      keep(3, o);
      lanes.store(c, d, row.c_after + j);
    } else if constexpr (kCell == Cell::gru) {
      const auto r = Sigmoid(d, hn::Add(from_x(0), from_h(0)));
      const auto z = Sigmoid(d, hn::Add(from_x(1), from_h(1)));
      auto recurrent = from_h(2);
      if (row.candidate_bias != nullptr) {
        recurrent = hn::Add(recurrent, lanes.load(d, row.candidate_bias + j));
      }
      const auto n = Tanh(d, hn::MulAdd(r, recurrent, from_x(2)));
      h = hn::MulAdd(z, hn::Sub(lanes.load(d, row.h_before + j), n), n);
      keep(0, r);
      keep(1, z);
      keep(2, n);
      keep(3, recurrent);
    } else if constexpr (kCell == Cell::tanh) {
      h = Tanh(d, hn::Add(from_x(0), from_h(0)));
    } else {
      h = hn::Max(hn::Add(from_x(0), from_h(0)), hn::Zero(d));
    }
    lanes.store(h, d, row.h_after + j);
    lanes.store(h, d, row.output + j);
  });
}

template <Cell kCell, typename T>
void forward_step(const RnnShape& shape, const RnnForwardBuffers<T>& buffers, std::size_t t,
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
    prefetch_block(gate_rows, batch, layout.stride, gates, hidden);
    for (std::size_t g = 0; g < gates; ++g) {
      product_of_panel<T>(batch, hidden, buffers.h + slots.before * batch * hidden, hidden,
                          buffers.packed_w_h + (block * gates + g) * hidden * kN, products + g * kN,
                          gates * kN);
    }
    for (std::size_t b = 0; b < batch; ++b) {
      const std::size_t before = (slots.before * batch + b) * hidden + unit;
      const std::size_t after = (slots.after * batch + b) * hidden + unit;
      T* const output = buffers.outputs + (t * batch + b) * buffers.output_stride + unit;
      if (!alive(shape, t, b)) {
        std::copy_n(buffers.h + before, units, buffers.h + after);
        if (kCell == Cell::lstm) std::copy_n(buffers.c + before, units, buffers.c + after);
        std::fill_n(output, units, T{0});
        continue;
      }
      forward_row<kCell, T>(
          {units, hidden, products + b * gates * kN,
           buffers.candidate_bias != nullptr ? buffers.candidate_bias + unit : nullptr,
           gate_rows + b * layout.stride, buffers.h + before, buffers.h + after,
           kCell == Cell::lstm ? buffers.c + before : nullptr,
           kCell == Cell::lstm ? buffers.c + after : nullptr, output});
    }
  }
}

// One row of a block backward; `product` is its d_gates W_h of the step after, or null.
template <typename T>
struct BackwardRow {
  std::size_t units;
  std::size_t hidden;
  const T* product;
  const T* d_output;  // or null
  const T* gate;
  const T* h_before;
  const T* h_after;
  const T* c_before;
  const T* c_after;
  T* d_gate;
  T* d_h;
  T* d_c;
  T* d_bias;
};

// With d_h the gradient of h' and s' = s (1 - s) of a sigmoid, 1 - y^2 of a tanh:
//   LSTM  d_c += d_h o (1 - tanh(c')^2)   d_i = d_c g i'   d_f = d_c c f'   d_g = d_c i g'
//         d_o = d_h tanh(c') o'           d_c of the step before = d_c f
//   GRU   d_n = d_h (1 - z) n'            d_z = d_h (h - n) z'   d_r = d_n (W_hn h + b_hn) r'
//         d_h of the step before = d_h z + (through W_h) d_r, d_z, r d_n
template <Cell kCell, typename T>
HWY_INLINE void backward_row(const BackwardRow<T>& row) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  sweep(d, 0, row.units, [&](std::size_t j, auto lanes) HWY_ATTR {
    const V one = hn::Set(d, T{1});
    const auto gate = [&](std::size_t g)
                          HWY_ATTR { return lanes.load(d, row.gate + g * row.hidden + j); };
    const auto keep = [&](std::size_t g, V v) HWY_ATTR {
      lanes.store(v, d, row.d_gate + g * row.hidden + j);
      T* const sum = row.d_bias + g * row.hidden + j;
      lanes.store(hn::Add(lanes.load(d, sum), v), d, sum);
    };
    V d_h = lanes.load(d, row.d_h + j);
    if (row.product != nullptr) d_h = hn::Add(d_h, hn::LoadU(d, row.product + j));
    if (row.d_output != nullptr) d_h = hn::Add(d_h, lanes.load(d, row.d_output + j));
    V passed = hn::Zero(d);  // to the state before, past W_h
    if constexpr (kCell == Cell::lstm) {
      const V i = gate(0), f = gate(1), g = gate(2), o = gate(3);
      const V y = Tanh(d, lanes.load(d, row.c_after + j));
      const V d_o = hn::Mul(d_h, y);
      const V d_c =
          hn::MulAdd(hn::Mul(d_h, o), hn::NegMulAdd(y, y, one), lanes.load(d, row.d_c + j));
      const auto through_sigmoid = [&](V gradient, V s) HWY_ATTR {
        return hn::Mul(gradient, hn::NegMulAdd(s, s, s));
      };
      keep(0, through_sigmoid(hn::Mul(d_c, g), i));
      keep(1, through_sigmoid(hn::Mul(d_c, lanes.load(d, row.c_before + j)), f));
      keep(2, hn::Mul(hn::Mul(d_c, i), hn::NegMulAdd(g, g, one)));
      keep(3, through_sigmoid(d_o, o));
      lanes.store(hn::Mul(d_c, f), d, row.d_c + j);
    } else if constexpr (kCell == Cell::gru) {
      const V r = gate(0), z = gate(1), n = gate(2), recurrent = gate(3);
      const V d_n = hn::Mul(hn::NegMulAdd(d_h, z, d_h), hn::NegMulAdd(n, n, one));
      const V d_z = hn::Mul(d_h, hn::Sub(lanes.load(d, row.h_before + j), n));
      const V d_r = hn::Mul(d_n, recurrent);
      keep(0, d_n);
      keep(1, hn::Mul(d_r, hn::NegMulAdd(r, r, r)));
      keep(2, hn::Mul(d_z, hn::NegMulAdd(z, z, z)));
      keep(3, hn::Mul(d_n, r));
      passed = hn::Mul(d_h, z);
    } else {
      const V h = lanes.load(d, row.h_after + j);
      keep(0, kCell == Cell::tanh ? hn::Mul(d_h, hn::NegMulAdd(h, h, one))
                                  : hn::IfThenElseZero(hn::Gt(h, hn::Zero(d)), d_h));
    }
    lanes.store(passed, d, row.d_h + j);
  });
}

// d_gates W_h for one block of units, from the d_gates of time t.
template <typename T>
void recurrent_gradient(const RnnShape& shape, const RnnBackwardBuffers<T>& buffers, std::size_t t,
                        std::size_t block, T* products) {
  constexpr std::size_t kN = kColumns<T>;
  const RnnLayout<T> layout(shape);
  const std::size_t depth = layout.gates * shape.hidden;
  const T* const d_gates = buffers.d_gates + t * shape.batch * layout.stride +
                           (layout.stored_gates - layout.gates) * shape.hidden;
  product_of_panel<T>(shape.batch, depth, d_gates, layout.stride,
                      buffers.packed_w_h + block * depth * kN, products, kN);
}

template <Cell kCell, typename T>
void backward_step(const RnnShape& shape, const RnnBackwardBuffers<T>& buffers, std::size_t s,
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
    prefetch_block(buffers.gates + t * batch * layout.stride + unit, batch, layout.stride,
                   layout.stored_gates, hidden);
    if (!last) {
      recurrent_gradient<T>(shape, buffers, time_of(shape, s + 1), block, products);
    }
    for (std::size_t b = 0; b < batch; ++b) {
      const std::size_t before = (slots.before * batch + b) * hidden + unit;
      const std::size_t after = (slots.after * batch + b) * hidden + unit;
      const std::size_t row = t * batch + b;
      T* const d_gate = buffers.d_gates + row * layout.stride + unit;
      T* const d_h = buffers.d_h + b * hidden + unit;
      const T* const product = last ? nullptr : products + b * kN;
      if (!alive(shape, t, b)) {
        for (std::size_t g = 0; g < layout.stored_gates; ++g) {
          std::fill_n(d_gate + g * hidden, units, T{0});
        }
        for (std::size_t j = 0; product != nullptr && j < units; ++j) d_h[j] += product[j];
        continue;
      }
      backward_row<kCell, T>(
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
void forward_any(const RnnShape& shape, const RnnForwardBuffers<T>& buffers, std::size_t t,
                 UnitBlocks slice) {
  switch (shape.cell) {
    case Cell::tanh:
      return forward_step<Cell::tanh, T>(shape, buffers, t, slice);
    case Cell::relu:
      return forward_step<Cell::relu, T>(shape, buffers, t, slice);
    case Cell::lstm:
      return forward_step<Cell::lstm, T>(shape, buffers, t, slice);
    case Cell::gru:
      return forward_step<Cell::gru, T>(shape, buffers, t, slice);
  }
}

template <typename T>
void backward_any(const RnnShape& shape, const RnnBackwardBuffers<T>& buffers, std::size_t s,
                  UnitBlocks slice) {
  switch (shape.cell) {
    case Cell::tanh:
      return backward_step<Cell::tanh, T>(shape, buffers, s, slice);
    case Cell::relu:
      return backward_step<Cell::relu, T>(shape, buffers, s, slice);
    case Cell::lstm:
      return backward_step<Cell::lstm, T>(shape, buffers, s, slice);
    case Cell::gru:
      return backward_step<Cell::gru, T>(shape, buffers, s, slice);
  }
}

template <typename T>
void backward_end(const RnnShape& shape, const RnnBackwardBuffers<T>& buffers, UnitBlocks slice) {
  constexpr std::size_t kN = kColumns<T>;
  T* const products = buffers.products + slice.begin * shape.batch * kN;
  for (std::size_t block = slice.begin; block < slice.end; ++block) {
    const std::size_t unit = block * kN;
    const std::size_t units = std::min(kN, shape.hidden - unit);
    recurrent_gradient<T>(shape, buffers, time_of(shape, 0), block, products);
    for (std::size_t b = 0; b < shape.batch; ++b) {
      T* const d_h = buffers.d_h + b * shape.hidden + unit;
      for (std::size_t j = 0; j < units; ++j) d_h[j] += products[b * kN + j];
    }
  }
}

}  // namespace

void ForwardFloat(const RnnShape& shape, const RnnForwardBuffers<float>& buffers, std::size_t t,
                  UnitBlocks slice) {
  forward_any(shape, buffers, t, slice);
}
void ForwardDouble(const RnnShape& shape, const RnnForwardBuffers<double>& buffers, std::size_t t,
                   UnitBlocks slice) {
  forward_any(shape, buffers, t, slice);
}
void BackwardFloat(const RnnShape& shape, const RnnBackwardBuffers<float>& buffers, std::size_t s,
                   UnitBlocks slice) {
  backward_any(shape, buffers, s, slice);
}
void BackwardDouble(const RnnShape& shape, const RnnBackwardBuffers<double>& buffers, std::size_t s,
                    UnitBlocks slice) {
  backward_any(shape, buffers, s, slice);
}
void EndFloat(const RnnShape& shape, const RnnBackwardBuffers<float>& buffers, UnitBlocks slice) {
  backward_end(shape, buffers, slice);
}
void EndDouble(const RnnShape& shape, const RnnBackwardBuffers<double>& buffers, UnitBlocks slice) {
  backward_end(shape, buffers, slice);
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(ForwardFloat);
HWY_EXPORT(ForwardDouble);
HWY_EXPORT(BackwardFloat);
HWY_EXPORT(BackwardDouble);
HWY_EXPORT(EndFloat);
HWY_EXPORT(EndDouble);

template <>
void rnn_forward_step(const RnnShape& shape, const RnnForwardBuffers<float>& buffers, std::size_t t,
                      UnitBlocks slice) noexcept {
  HWY_DYNAMIC_DISPATCH(ForwardFloat)(shape, buffers, t, slice);
}
template <>
void rnn_forward_step(const RnnShape& shape, const RnnForwardBuffers<double>& buffers,
                      std::size_t t, UnitBlocks slice) noexcept {
  HWY_DYNAMIC_DISPATCH(ForwardDouble)(shape, buffers, t, slice);
}
template <>
void rnn_backward_step(const RnnShape& shape, const RnnBackwardBuffers<float>& buffers,
                       std::size_t s, UnitBlocks slice) noexcept {
  HWY_DYNAMIC_DISPATCH(BackwardFloat)(shape, buffers, s, slice);
}
template <>
void rnn_backward_step(const RnnShape& shape, const RnnBackwardBuffers<double>& buffers,
                       std::size_t s, UnitBlocks slice) noexcept {
  HWY_DYNAMIC_DISPATCH(BackwardDouble)(shape, buffers, s, slice);
}
template <>
void rnn_backward_end(const RnnShape& shape, const RnnBackwardBuffers<float>& buffers,
                      UnitBlocks slice) noexcept {
  HWY_DYNAMIC_DISPATCH(EndFloat)(shape, buffers, slice);
}
template <>
void rnn_backward_end(const RnnShape& shape, const RnnBackwardBuffers<double>& buffers,
                      UnitBlocks slice) noexcept {
  HWY_DYNAMIC_DISPATCH(EndDouble)(shape, buffers, slice);
}

}  // namespace heed::kernels
#endif  // HWY_ONCE
