// SPDX-License-Identifier: Apache-2.0
// Heads of a Turing machine, with run-time dispatch. Slots are swept along their width, weights
// along the slots; a sequence of 128 slots of 20 floats is 10 KB and stays in L1.
#include "heed/kernels/turing_heads.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "heed/base/threads.h"
#include "heed/kernels/dispatch.h"
#include "heed/kernels/scratch.h"

#ifndef HEED_KERNELS_TURING_HEADS_CPP_
#define HEED_KERNELS_TURING_HEADS_CPP_
namespace heed::kernels {
namespace {

// Places in what the controller says, and in what is kept of it.
template <typename T>
struct HeadsSaid {
  T *key, *strength, *gate, *shares, *power, *erase, *add;

  HeadsSaid(const TuringHeadsShape& shape, T* said) {
    const std::size_t heads = shape.heads();
    key = said;
    strength = key + heads * shape.width;
    gate = strength + heads;
    shares = gate + heads;
    power = shares + heads * shape.shares();
    erase = power + heads;
    add = erase + shape.writes * shape.width;
  }
};
template <typename T>
struct HeadsKept {
  T *slot_inverse, *key_inverse, *strength, *gate, *shares, *power, *erase, *cosine, *content,
      *shifted;

  HeadsKept(const TuringHeadsShape& shape, T* kept) {
    const std::size_t heads = shape.heads(), weights = heads * shape.slots;
    slot_inverse = kept;
    key_inverse = slot_inverse + shape.slots;
    strength = key_inverse + heads;
    gate = strength + heads;
    shares = gate + heads;
    power = shares + heads * shape.shares();
    erase = power + heads;
    cosine = erase + shape.writes * shape.width;
    content = cosine + weights;
    shifted = content + weights;
  }
};

template <typename T>
struct TuringHeadsCall {
  TuringHeadsShape shape;
  TuringHeadsInput<T> in;
  TuringHeadsOutput<T> out;      // of forward; of backward what it wrote
  TuringHeadsGradient<T> above;  // of backward
  TuringHeadsChange<T> change;   // of backward; memory null: forward
  std::size_t begin, end;        // sequences
};

Scratch& heads_scratch() {
  thread_local Scratch scratch;
  return scratch;
}

template <typename T>
T softplus_of(T x) {
  return std::max(x, T{0}) + std::log1p(std::exp(-std::abs(x)));
}
template <typename T>
T sigmoid_of(T x) {
  return 1 / (1 + std::exp(-x));
}

// The numbers of the heads as they are used; `said` is read only. Called before code of a CPU
// target, not amidst it: there, with the upper halves of registers in use, the C library's
// exponentials took a tenth of a training step.
template <typename T>
void activate(const TuringHeadsShape& shape, const HeadsSaid<const T>& said,
              const HeadsKept<T>& kept) {
  for (std::size_t h = 0; h < shape.heads(); ++h) {
    kept.strength[h] = softplus_of(said.strength[h]);
    kept.gate[h] = sigmoid_of(said.gate[h]);
    kept.power[h] = 1 + softplus_of(said.power[h]);
    const T* const raw = said.shares + h * shape.shares();
    T* const shares = kept.shares + h * shape.shares();
    const T most = *std::max_element(raw, raw + shape.shares());
    T sum = 0;
    for (std::size_t o = 0; o < shape.shares(); ++o) sum += shares[o] = std::exp(raw[o] - most);
    for (std::size_t o = 0; o < shape.shares(); ++o) shares[o] /= sum;
  }
  for (std::size_t m = 0; m < shape.writes * shape.width; ++m) {
    kept.erase[m] = sigmoid_of(said.erase[m]);
  }
}

}  // namespace
}  // namespace heed::kernels
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/turing_heads.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/lanes-inl.h"
#include "heed/kernels/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {

// Below this a weight counts as this, so that it has a logarithm.
template <typename T>
constexpr T kLeastWeight = static_cast<T>(1e-37);

// Numbers [N] lie at buffer + range; those beyond their ends come round.
template <typename T>
HWY_INLINE void WrapRound(T* buffer, std::size_t n, std::size_t range) {
  for (std::size_t k = 0; k < range; ++k) {
    buffer[range - 1 - k] = buffer[range + n - 1 - k];
    buffer[range + n + k] = buffer[range + k];
  }
}

template <typename T>
HWY_INLINE T DotOf(const T* a, const T* b, std::size_t n) {
  const hn::ScalableTag<T> d;
  return SumOver(d, n, [&](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
    sum = hn::MulAdd(lanes.load(d, a + i), lanes.load(d, b + i), sum);
  });
}

// y = softmax(x) of n >= 1 finite items, in place.
template <typename T>
HWY_INLINE void SoftmaxInPlace(T* x, std::size_t n) {
  const hn::ScalableTag<T> d;
  auto most = hn::Set(d, x[0]);
  Sweep(d, 0, n, [&](std::size_t i, auto lanes) HWY_ATTR {
    // Lanes beyond the end load as 0, which is no item: they take the first.
    const auto item = lanes.load(d, x + i);
    most =
        hn::Max(most, hn::Add(item, hn::Sub(hn::Set(d, x[0]), lanes.inside(d, hn::Set(d, x[0])))));
  });
  const auto top = hn::MaxOfLanes(d, most);
  const T sum = SumOver(d, n, [&](std::size_t i, auto lanes, auto& total) HWY_ATTR {
    const auto e = ExpNonPositive(d, hn::Sub(lanes.load(d, x + i), top));
    lanes.store(e, d, x + i);
    total = hn::Add(total, lanes.inside(d, e));
  });
  const auto inverse = hn::Set(d, 1 / sum);
  Sweep(d, 0, n, [&](std::size_t i, auto lanes) HWY_ATTR {
    lanes.store(hn::Mul(lanes.load(d, x + i), inverse), d, x + i);
  });
}

// out = gate content + (1 - gate) before
template <typename T>
HWY_INLINE void GateWeights(T gate, const T* content, const T* before, T* out, std::size_t n) {
  const hn::ScalableTag<T> d;
  const auto new_share = hn::Set(d, gate), old_share = hn::Set(d, 1 - gate);
  Sweep(d, 0, n, [&](std::size_t i, auto lanes) HWY_ATTR {
    const auto old = hn::Mul(old_share, lanes.load(d, before + i));
    lanes.store(hn::MulAdd(new_share, lanes.load(d, content + i), old), d, out + i);
  });
}

// The weights of one head from its cosines.
template <typename T>
HWY_INLINE void AddressHead(const TuringHeadsShape& shape, const HeadsKept<T>& kept, std::size_t h,
                            const T* before, T* buffer, T* weights) {
  const hn::ScalableTag<T> d;
  const std::size_t n = shape.slots, range = shape.range;
  const T* const cosine = kept.cosine + h * n;
  T* const content = kept.content + h * n;
  T* const shifted = kept.shifted + h * n;
  const auto strength = hn::Set(d, kept.strength[h]);
  Sweep(d, 0, n, [&](std::size_t i, auto lanes) HWY_ATTR {
    lanes.store(hn::Mul(strength, lanes.load(d, cosine + i)), d, content + i);
  });
  SoftmaxInPlace(content, n);
  GateWeights(kept.gate[h], content, before, buffer + range, n);
  WrapRound(buffer, n, range);
  const T* const shares = kept.shares + h * shape.shares();
  const auto power = hn::Set(d, kept.power[h]);
  const auto least = hn::Set(d, kLeastWeight<T>);
  Sweep(d, 0, n, [&](std::size_t i, auto lanes) HWY_ATTR {
    auto sum = hn::Zero(d);
    for (std::size_t o = 0; o < shape.shares(); ++o) {
      sum = hn::MulAdd(hn::Set(d, shares[o]), lanes.load(d, buffer + i + 2 * range - o), sum);
    }
    lanes.store(sum, d, shifted + i);
    lanes.store(hn::Mul(power, Log(d, AtLeast(least, sum))), d, weights + i);
  });
  SoftmaxInPlace(weights, n);
}

// Σ_i w_i row_i, of some columns of rows [N,M]. Columns by columns, because sums that wait in
// memory for the next row cost twice as much.
template <class D, class Lanes, typename T>
HWY_INLINE hn::Vec<D> WeighedRows(D d, Lanes lanes, const T* weights, const T* rows, std::size_t n,
                                  std::size_t width) {
  auto even = hn::Zero(d), odd = even;
  std::size_t i = 0;
  for (; i + 2 <= n; i += 2) {
    even = hn::MulAdd(hn::Set(d, weights[i]), lanes.load(d, rows + i * width), even);
    odd = hn::MulAdd(hn::Set(d, weights[i + 1]), lanes.load(d, rows + (i + 1) * width), odd);
  }
  if (i < n) even = hn::MulAdd(hn::Set(d, weights[i]), lanes.load(d, rows + i * width), even);
  return hn::Add(even, odd);
}

template <typename T>
HWY_INLINE void HeadsForward(const TuringHeadsShape& shape, const T* memory, const T* before,
                             const T* said_numbers, T* read, T* after, T* weights, T* kept_numbers,
                             T* buffer) {
  const hn::ScalableTag<T> d;
  const HeadsSaid<const T> said(shape, said_numbers);
  const HeadsKept<T> kept(shape, kept_numbers);
  const std::size_t n = shape.slots, width = shape.width, heads = shape.heads();
  const T epsilon = static_cast<T>(shape.epsilon);
  for (std::size_t h = 0; h < heads; ++h) {
    const T* const key = said.key + h * width;
    kept.key_inverse[h] = 1 / std::sqrt(DotOf(key, key, width) + epsilon);
  }
  // Products first, then roots and quotients of all slots in lanes: one at a time they took as long
  // as the products.
  for (std::size_t i = 0; i < n; ++i) {
    const T* const row = memory + i * width;
    kept.slot_inverse[i] = DotOf(row, row, width);
    for (std::size_t h = 0; h < heads; ++h) {
      kept.cosine[h * n + i] = DotOf(row, said.key + h * width, width);
    }
  }
  Sweep(d, 0, n, [&](std::size_t i, auto lanes) HWY_ATTR {
    const auto square = hn::Add(lanes.load(d, kept.slot_inverse + i), hn::Set(d, epsilon));
    const auto inverse = hn::Div(hn::Set(d, T{1}), hn::Sqrt(square));
    lanes.store(inverse, d, kept.slot_inverse + i);
    for (std::size_t h = 0; h < heads; ++h) {
      const auto product = lanes.load(d, kept.cosine + h * n + i);
      const auto both = hn::Mul(inverse, hn::Set(d, kept.key_inverse[h]));
      lanes.store(hn::Mul(product, both), d, kept.cosine + h * n + i);
    }
  });
  for (std::size_t h = 0; h < heads; ++h) {
    AddressHead(shape, kept, h, before + h * n, buffer, weights + h * n);
  }
  const T* const writing = weights + shape.reads * n;
  Sweep(d, 0, width, [&](std::size_t m, auto lanes) HWY_ATTR {
    for (std::size_t r = 0; r < shape.reads; ++r) {
      lanes.store(WeighedRows(d, lanes, weights + r * n, memory + m, n, width), d,
                  read + r * width + m);
    }
    for (std::size_t i = 0; i < n; ++i) {
      auto now = lanes.load(d, memory + i * width + m);
      for (std::size_t w = 0; w < shape.writes; ++w) {
        const auto erased =
            hn::Mul(hn::Set(d, writing[w * n + i]), lanes.load(d, kept.erase + w * width + m));
        now = hn::NegMulAdd(now, erased, now);
      }
      for (std::size_t w = 0; w < shape.writes; ++w) {
        now = hn::MulAdd(hn::Set(d, writing[w * n + i]), lanes.load(d, said.add + w * width + m),
                         now);
      }
      lanes.store(now, d, after + i * width + m);
    }
  });
}

// With Q the gradient of the slots after, P of what was read, K = Π_h (1 - w_h e_h) what is kept
// and K_h the same without head h:
//   dM = Q ∘ K + Σ_r w_r P_r, dw_r = M P_r, dw_h = -(Q ∘ M ∘ K_h) e_h + Q a_h,
//   de_h = -(Q ∘ M ∘ K_h)ᵀ w_h, da_h = Qᵀ w_h
// Adds to the gradients of weights; writes those of slots, erase and add.
template <typename T>
HWY_INLINE void SlotsBackward(const TuringHeadsShape& shape, const T* memory, const T* weights,
                              const T* erase, const T* add, const T* d_read, const T* d_after,
                              T* d_memory, T* d_weights, T* d_erase, T* d_add) {
  const hn::ScalableTag<T> d;
  const std::size_t n = shape.slots, width = shape.width;
  const T* const writing = weights + shape.reads * n;
  T* const d_writing = d_weights + shape.reads * n;
  // Q ∘ M ∘ K_w of slot i.
  const auto erased_by = [&](std::size_t w, std::size_t i, std::size_t m, auto lanes,
                             auto q) HWY_ATTR {
    auto erased = hn::Mul(q, lanes.load(d, memory + i * width + m));
    for (std::size_t o = 0; o < shape.writes; ++o) {
      if (o == w) continue;
      const auto other =
          hn::Mul(hn::Set(d, writing[o * n + i]), lanes.load(d, erase + o * width + m));
      erased = hn::NegMulAdd(erased, other, erased);
    }
    return erased;
  };
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t r = 0; r < shape.reads && d_read != nullptr; ++r) {
      d_weights[r * n + i] += DotOf(memory + i * width, d_read + r * width, width);
    }
    for (std::size_t w = 0; w < shape.writes && d_after != nullptr; ++w) {
      d_writing[w * n + i] += SumOver(d, width, [&](std::size_t m, auto lanes, auto& sum) HWY_ATTR {
        const auto q = lanes.load(d, d_after + i * width + m);
        sum = hn::MulAdd(q, lanes.load(d, add + w * width + m), sum);
        sum =
            hn::NegMulAdd(erased_by(w, i, m, lanes, q), lanes.load(d, erase + w * width + m), sum);
      });
    }
  }
  Sweep(d, 0, width, [&](std::size_t m, auto lanes) HWY_ATTR {
    for (std::size_t i = 0; i < n; ++i) {
      auto change = hn::Zero(d);
      if (d_after != nullptr) {
        change = lanes.load(d, d_after + i * width + m);
        for (std::size_t w = 0; w < shape.writes; ++w) {
          const auto erased =
              hn::Mul(hn::Set(d, writing[w * n + i]), lanes.load(d, erase + w * width + m));
          change = hn::NegMulAdd(change, erased, change);
        }
      }
      for (std::size_t r = 0; r < shape.reads && d_read != nullptr; ++r) {
        change = hn::MulAdd(hn::Set(d, weights[r * n + i]), lanes.load(d, d_read + r * width + m),
                            change);
      }
      lanes.store(change, d, d_memory + i * width + m);
    }
    for (std::size_t w = 0; w < shape.writes; ++w) {
      auto by_erase = hn::Zero(d), by_add = by_erase;
      for (std::size_t i = 0; i < n && d_after != nullptr; ++i) {
        const auto weight = hn::Set(d, writing[w * n + i]);
        const auto q = lanes.load(d, d_after + i * width + m);
        by_erase = hn::NegMulAdd(erased_by(w, i, m, lanes, q), weight, by_erase);
        by_add = hn::MulAdd(q, weight, by_add);
      }
      lanes.store(by_erase, d, d_erase + w * width + m);
      lanes.store(by_add, d, d_add + w * width + m);
    }
  });
}

// Through sharpening, shift, interpolation and softmax of one head: the gradient of its weights
// becomes that of its cosines. buffer and other [N+2R].
template <typename T>
HWY_INLINE void AddressBackward(const TuringHeadsShape& shape, const HeadsKept<const T>& kept,
                                std::size_t h, const T* before, const T* weights, T* d_weights,
                                T* d_before, const HeadsSaid<T>& d_said, T* buffer, T* other) {
  const hn::ScalableTag<T> d;
  const std::size_t n = shape.slots, range = shape.range;
  const T* const cosine = kept.cosine + h * n;
  const T* const content = kept.content + h * n;
  const T* const shifted = kept.shifted + h * n;
  const T* const shares = kept.shares + h * shape.shares();
  T* const d_shares = d_said.shares + h * shape.shares();
  const auto least = hn::Set(d, kLeastWeight<T>);

  // c = dw - <w, dw>, dγ = Σ w c log v, dv = γ c w / v of the shifted weights v.
  const auto along = hn::Set(d, DotOf(weights, d_weights, n));
  const auto power = hn::Set(d, kept.power[h]);
  const T d_power = SumOver(d, n, [&](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
    const auto v = AtLeast(least, lanes.load(d, shifted + i));
    const auto centred = hn::Sub(lanes.load(d, d_weights + i), along);
    const auto share = hn::Mul(lanes.load(d, weights + i), centred);
    lanes.store(hn::Mul(power, hn::Div(share, v)), d, other + range + i);
    sum = hn::MulAdd(lanes.inside(d, share), Log(d, v), sum);
  });
  d_said.power[h] = d_power * (1 - std::exp(1 - kept.power[h]));

  GateWeights(kept.gate[h], content, before, buffer + range, n);
  WrapRound(buffer, n, range);
  WrapRound(other, n, range);
  T mean = 0;
  for (std::size_t o = 0; o < shape.shares(); ++o) {
    d_shares[o] = DotOf(other + range, buffer + 2 * range - o, n);
    mean += shares[o] * d_shares[o];
  }
  for (std::size_t o = 0; o < shape.shares(); ++o) d_shares[o] = shares[o] * (d_shares[o] - mean);

  const T gate = kept.gate[h];
  const auto new_share = hn::Set(d, gate), old_share = hn::Set(d, 1 - gate);
  // The gradient of the gated weights takes the buffer's place, that by content d_weights'.
  const T d_gate = SumOver(d, n, [&](std::size_t j, auto lanes, auto& sum) HWY_ATTR {
    auto gated = hn::Zero(d);
    for (std::size_t o = 0; o < shape.shares(); ++o) {
      gated = hn::MulAdd(hn::Set(d, shares[o]), lanes.load(d, other + j + o), gated);
    }
    const auto difference = hn::Sub(lanes.load(d, content + j), lanes.load(d, before + j));
    sum = hn::MulAdd(lanes.inside(d, gated), difference, sum);
    lanes.store(hn::Mul(old_share, gated), d, d_before + j);
    lanes.store(hn::Mul(new_share, gated), d, d_weights + j);
  });
  d_said.gate[h] = d_gate * gate * (1 - gate);

  const auto level = hn::Set(d, DotOf(content, d_weights, n));
  const auto strength = hn::Set(d, kept.strength[h]);
  const T d_strength = SumOver(d, n, [&](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
    const auto change =
        hn::Mul(lanes.load(d, content + i), hn::Sub(lanes.load(d, d_weights + i), level));
    sum = hn::MulAdd(lanes.inside(d, change), lanes.load(d, cosine + i), sum);
    lanes.store(hn::Mul(strength, change), d, d_weights + i);
  });
  d_said.strength[h] = d_strength * (1 - std::exp(-kept.strength[h]));
}

// From the gradients of all cosines [H,N], which become factors on the way:
// dk = Σ_i dc_i (m_i / (n_k n_i) - c_i k / n_k²) and dm_i += dc_i (k / (n_k n_i) - c_i m_i / n_i²).
template <typename T>
HWY_INLINE void CosinesBackward(const TuringHeadsShape& shape, const T* memory, const T* keys,
                                const HeadsKept<const T>& kept, T* d_cosines, T* shrink,
                                T* d_memory, T* d_keys) {
  const hn::ScalableTag<T> d;
  const std::size_t n = shape.slots, width = shape.width, heads = shape.heads();
  std::fill_n(shrink, n, T{0});
  for (std::size_t h = 0; h < heads; ++h) {
    T* const factor = d_cosines + h * n;
    const T inverse = kept.key_inverse[h];
    const auto of_key = hn::Set(d, inverse);
    const T along = SumOver(d, n, [&](std::size_t i, auto lanes, auto& sum) HWY_ATTR {
      const auto change = lanes.load(d, factor + i), of_slot = lanes.load(d, kept.slot_inverse + i);
      const auto part = hn::Mul(change, lanes.load(d, kept.cosine + h * n + i));
      sum = hn::Add(sum, part);
      const auto mine = hn::Mul(hn::Mul(part, of_slot), of_slot);
      lanes.store(hn::Add(lanes.load(d, shrink + i), mine), d, shrink + i);
      lanes.store(hn::Mul(hn::Mul(change, of_slot), of_key), d, factor + i);
    });
    const auto back = hn::Set(d, along * inverse * inverse);
    Sweep(d, 0, width, [&](std::size_t m, auto lanes) HWY_ATTR {
      const auto sum = WeighedRows(d, lanes, static_cast<const T*>(factor), memory + m, n, width);
      const auto key = lanes.load(d, keys + h * width + m);
      lanes.store(hn::NegMulAdd(back, key, sum), d, d_keys + h * width + m);
    });
  }
  Sweep(d, 0, width, [&](std::size_t m, auto lanes) HWY_ATTR {
    for (std::size_t i = 0; i < n; ++i) {
      const auto row = lanes.load(d, memory + i * width + m);
      auto change =
          hn::NegMulAdd(hn::Set(d, shrink[i]), row, lanes.load(d, d_memory + i * width + m));
      for (std::size_t h = 0; h < heads; ++h) {
        change = hn::MulAdd(hn::Set(d, d_cosines[h * n + i]), lanes.load(d, keys + h * width + m),
                            change);
      }
      lanes.store(change, d, d_memory + i * width + m);
    }
  });
}

template <typename T>
bool RunTuringHeads(const TuringHeadsCall<T>& call) {
  const TuringHeadsShape& shape = call.shape;
  const std::size_t n = shape.slots, heads = shape.heads(), width = shape.width;
  const std::size_t buffer = n + 2 * shape.range, matrix = n * width;
  auto* const scratch =
      static_cast<T*>(heads_scratch().reserve((2 * buffer + heads * n) * sizeof(T)));
  if (scratch == nullptr) return false;
  T* const d_weights = scratch + 2 * buffer;
  for (std::size_t b = call.begin; b < call.end; ++b) {
    const T* const memory = call.in.memory + b * matrix;
    const T* const before = call.in.before + b * heads * n;
    const T* const said = call.in.said + b * shape.said();
    T* const weights = call.out.weights + b * heads * n;
    T* const kept_numbers = call.out.kept + b * shape.kept();
    if (call.change.memory == nullptr) {
      HeadsForward(shape, memory, before, said, call.out.read + b * shape.reads * width,
                   call.out.memory + b * matrix, weights, kept_numbers, scratch);
      continue;
    }
    const HeadsSaid<const T> spoken(shape, said);
    const HeadsKept<const T> kept(shape, kept_numbers);
    const HeadsSaid<T> d_said(shape, call.change.said + b * shape.said());
    T* const d_memory = call.change.memory + b * matrix;
    if (call.above.weights != nullptr) {
      std::copy_n(call.above.weights + b * heads * n, heads * n, d_weights);
    } else {
      std::fill_n(d_weights, heads * n, T{0});
    }
    SlotsBackward(shape, memory, static_cast<const T*>(weights), kept.erase, spoken.add,
                  call.above.read == nullptr ? nullptr : call.above.read + b * shape.reads * width,
                  call.above.memory == nullptr ? nullptr : call.above.memory + b * matrix, d_memory,
                  d_weights, d_said.erase, d_said.add);
    for (std::size_t m = 0; m < shape.writes * width; ++m) {
      d_said.erase[m] *= kept.erase[m] * (1 - kept.erase[m]);
    }
    for (std::size_t h = 0; h < heads; ++h) {
      AddressBackward(shape, kept, h, before + h * n, static_cast<const T*>(weights + h * n),
                      d_weights + h * n, call.change.before + (b * heads + h) * n, d_said, scratch,
                      scratch + buffer);
    }
    CosinesBackward(shape, memory, spoken.key, kept, d_weights, scratch, d_memory, d_said.key);
  }
  return true;
}

bool TuringHeadsEntry(const TuringHeadsCall<Scalar>& call) {
  return RunTuringHeads(call);
}

}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(TuringHeadsEntry);

namespace {

template <typename T>
bool run_turing_heads(const TuringHeadsCall<T>& call, std::size_t batch) noexcept {
  if (call.shape.slots == 0) return true;
  const auto run = HWY_DYNAMIC_DISPATCH(TuringHeadsEntry);
  // A slot is compared, read and written by every head.
  const std::size_t work = call.shape.slots * call.shape.width * call.shape.heads();
  const std::size_t grain = 1 + kElementwiseGrain / 4 / (work + 1);
  const bool forward = call.change.memory == nullptr;
  std::atomic<bool> done = true;
  parallel_for(batch, grain, [&](std::size_t begin, std::size_t end) {
    TuringHeadsCall<T> part = call;
    part.begin = begin;
    part.end = end;
    for (std::size_t b = begin; b < end && forward; ++b) {
      activate<T>(call.shape, {call.shape, call.in.said + b * call.shape.said()},
                  {call.shape, call.out.kept + b * call.shape.kept()});
    }
    if (!run(part)) done = false;
  });
  return done;
}

}  // namespace

template <typename T>
bool turing_heads(const TuringHeadsShape& shape, std::size_t batch, const TuringHeadsInput<T>& in,
                  const TuringHeadsOutput<T>& out) noexcept {
  return run_turing_heads<T>({shape, in, out, {}, {}, 0, 0}, batch);
}
template <typename T>
bool turing_heads_backward(const TuringHeadsShape& shape, std::size_t batch,
                           const TuringHeadsInput<T>& in, const T* weights, const T* kept,
                           const TuringHeadsGradient<T>& above,
                           const TuringHeadsChange<T>& change) noexcept {
  // Read only: forward alone writes them.
  const TuringHeadsOutput<T> written{nullptr, nullptr, const_cast<T*>(weights),
                                     const_cast<T*>(kept)};
  return run_turing_heads<T>({shape, in, written, above, change, 0, 0}, batch);
}

template bool turing_heads(const TuringHeadsShape&, std::size_t, const TuringHeadsInput<Scalar>&,
                           const TuringHeadsOutput<Scalar>&) noexcept;
template bool turing_heads_backward(const TuringHeadsShape&, std::size_t,
                                    const TuringHeadsInput<Scalar>&, const Scalar*, const Scalar*,
                                    const TuringHeadsGradient<Scalar>&,
                                    const TuringHeadsChange<Scalar>&) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
