// SPDX-License-Identifier: Apache-2.0
// The gates of a recurrent cell for one row of units, forward and backward: what whole sequences
// and single steps share. Include after heed/kernels/highway.h.
#if defined(HEED_KERNELS_RNN_ROWS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef HEED_KERNELS_RNN_ROWS_INL_H_
#undef HEED_KERNELS_RNN_ROWS_INL_H_
#else
#define HEED_KERNELS_RNN_ROWS_INL_H_
#endif

#include <cstddef>

#include "heed/kernels/lanes-inl.h"
#include "heed/kernels/math-inl.h"
#include "heed/kernels/recurrent/rnn.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

// One row of some units forward. `product` holds W_h h gate by gate, product_stride apart; `gate`
// the stored gates, H apart: on entry W_x x + b, on return activated.
template <Cell kCell, typename T>
struct ForwardRow {
  std::size_t units;
  std::size_t hidden;
  const T* product;
  std::size_t product_stride;
  const T* candidate_bias;
  T* gate;
  const T* h_before;
  T* h_after;
  const T* c_before;
  T* c_after;
  T* output;  // h_after once more, or null
};

template <Cell kCell, typename T>
HWY_INLINE void StepForward(const ForwardRow<kCell, T>& row) {
  const hn::ScalableTag<T> d;
  Sweep(d, 0, row.units, [&](std::size_t j, auto lanes) HWY_ATTR {
    const auto from_x = [&](std::size_t g)
                            HWY_ATTR { return lanes.load(d, row.gate + g * row.hidden + j); };
    const auto from_h = [&](std::size_t g) HWY_ATTR {
      return lanes.load(d, row.product + g * row.product_stride + j);
    };
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
    if (row.output != nullptr) lanes.store(h, d, row.output + j);
  });
}

// One row of some units backward; `product` is its d_gates W_h of the step after, or null.
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
HWY_INLINE void StepBackward(const BackwardRow<T>& row) {
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  Sweep(d, 0, row.units, [&](std::size_t j, auto lanes) HWY_ATTR {
    const V one = hn::Set(d, T{1});
    const auto gate = [&](std::size_t g)
                          HWY_ATTR { return lanes.load(d, row.gate + g * row.hidden + j); };
    const auto keep = [&](std::size_t g, V v) HWY_ATTR {
      lanes.store(v, d, row.d_gate + g * row.hidden + j);
      T* const sum = row.d_bias + g * row.hidden + j;
      lanes.store(hn::Add(lanes.load(d, sum), v), d, sum);
    };
    V d_h = lanes.load(d, row.d_h + j);
    if (row.product != nullptr) d_h = hn::Add(d_h, lanes.load(d, row.product + j));
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

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // HEED_KERNELS_RNN_ROWS_INL_H_
