// SPDX-License-Identifier: Apache-2.0
// Queries are in the lanes: scores are K Q^T, so that keys and values are read as they lie and
// only a panel of queries is packed; the softmax runs down the keys, lane by lane, with nothing to
// add across lanes. Against the long form: 32 keys .39 -> .60 of the FMA loop, 128 keys .64 -> .67.
#include "heed/kernels/attention/attention_short.h"

#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>

#include "heed/base/threads.h"
#include "heed/kernels/attention/attention_team.h"
#include "heed/kernels/dispatch.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/attention/attention_short.cpp"
#include "heed/kernels/highway.h"
// After highway.h: compiled once per target.
#include "heed/kernels/attention/attention_tiles-inl.h"

#ifndef HEED_KERNELS_ATTENTION_SHORT_CPP_
#define HEED_KERNELS_ATTENTION_SHORT_CPP_
namespace heed::kernels {
namespace {

// The weights of a panel of queries over all keys stay in L1: 128 keys x 16 queries are 8 KiB. At
// 256 keys the long form is as fast.
constexpr std::size_t kMostKeys = 128;
constexpr std::size_t kMostWidth = 256;

template <typename T>
struct ShortTask {
  const AttentionCall<T>* call;
  const Heads<T>* context;
  T* log_sum_exp;
  T* scratch;
  std::size_t batch, head;
};

}  // namespace
}  // namespace heed::kernels
#endif  // HEED_KERNELS_ATTENTION_SHORT_CPP_

HWY_BEFORE_NAMESPACE();
namespace heed::kernels {
namespace HWY_NAMESPACE {
namespace {

// Which queries of a panel see each key: bit k % kGroup of word [k / kGroup][lane].
template <typename T>
struct PanelMask {
  using Word = hwy::MakeUnsigned<T>;
  static constexpr std::size_t kGroup = 32;
  static constexpr std::size_t kGroups = kMostKeys / kGroup;

  void make(const KeyMask& mask, std::size_t batch, std::size_t head, std::size_t query,
            std::size_t queries, std::size_t keys) {
    std::size_t tiles[kMostKeys / kMaskKeys];
    const std::size_t tile_count = (keys + kMaskKeys - 1) / kMaskKeys;
    for (std::size_t i = 0; i < tile_count; ++i) tiles[i] = i * kMaskKeys;
    std::memset(any, 0, sizeof any);
    std::memset(all, 0xFF, sizeof all);
    for (std::size_t q = 0; q < kColumns<T>; ++q) {
      std::uint64_t seen[kMostKeys / kMaskKeys] = {};
      if (q < queries) {
        mask.allowed(batch, head, query + q, std::span(tiles, tile_count), seen);
        for (std::size_t i = 0; i < tile_count; ++i) {
          any[2 * i] |= static_cast<std::uint32_t>(seen[i]);
          any[2 * i + 1] |= static_cast<std::uint32_t>(seen[i] >> 32);
          all[2 * i] &= static_cast<std::uint32_t>(seen[i]);
          all[2 * i + 1] &= static_cast<std::uint32_t>(seen[i] >> 32);
        }
      }
      for (std::size_t i = 0; i < tile_count; ++i) {
        words[2 * i][q] = static_cast<Word>(static_cast<std::uint32_t>(seen[i]));
        words[2 * i + 1][q] = static_cast<Word>(seen[i] >> 32);
      }
    }
    empty = std::all_of(any, any + kGroups, [](std::uint32_t group) { return group == 0; });
  }
  bool sees_any(std::size_t key) const { return (any[key / kGroup] >> key % kGroup & 1) != 0; }
  bool all_see(std::size_t key) const { return (all[key / kGroup] >> key % kGroup & 1) != 0; }

  HWY_ALIGN WholeVectors<Word, kColumns<T>> words[kGroups];
  std::uint32_t any[kGroups];
  std::uint32_t all[kGroups];
  bool empty;
};

template <typename T>
class QueryPanel {
 public:
  QueryPanel(const ShortTask<T>& task, std::size_t query, std::size_t queries,
             const PanelMask<T>& mask)
      : task_(task),
        call_(*task.call),
        query_(query),
        queries_(queries),
        vectors_((queries + kL - 1) / kL),
        stride_(vectors_ * kL),
        key_head_(task.head / (call_.sizes.heads / call_.sizes.key_heads)),
        last_(call_.sizes.keys),
        packed_(task.scratch),
        weights_(task.scratch + kColumns<T> * call_.sizes.width),
        mask_(mask) {}

  bool run() {
    if (call_.mask != nullptr) {
      if (mask_.empty) return Nothing();
      while (!mask_.sees_any(first_)) ++first_;
      while (!mask_.sees_any(last_ - 1)) --last_;
    }
    PackQueries();
    Scores();
    Softmax();
    return Combine();
  }

 private:
  static constexpr std::size_t kL = LaneCount<T>();

  // Q^T [D, stride], scaled to base 2.
  HWY_INLINE void PackQueries() {
    const T scale = call_.scale * ExpConstants<T>::kLog2E;
    const std::size_t width = call_.sizes.width, step = call_.query.row_stride;
    const T* from = call_.query.row(task_.batch, task_.head, query_);
    const hn::ScalableTag<T> d;
    const auto factor = hn::Set(d, scale);
    std::size_t j = 0;
    for (; j + kSquare<T> <= queries_; j += kSquare<T>) {
      std::size_t p = 0;
      for (; p + kSquare<T> <= width; p += kSquare<T>) {
        TransposeSquare(from + j * step + p, step, packed_ + p * stride_ + j, stride_);
      }
      for (; p < width; ++p) {
        for (std::size_t i = j; i < j + kSquare<T>; ++i)
          packed_[p * stride_ + i] = from[i * step + p];
      }
    }
    for (; j < stride_; ++j) {
      for (std::size_t p = 0; p < width; ++p) {
        packed_[p * stride_ + j] = j < queries_ ? from[j * step + p] : T{0};
      }
    }
    for (std::size_t i = 0; i < width * stride_; i += kL) {
      hn::Store(hn::Mul(factor, hn::Load(d, packed_ + i)), d, packed_ + i);
    }
  }

  bool Skips(std::size_t begin, std::size_t end) const {
    for (std::size_t key = begin; key < end; ++key) {
      if (mask_.sees_any(key)) return false;
    }
    return true;
  }

  // weights_ [K, stride] = K Q^T; strips of keys that no query sees are left out.
  HWY_INLINE void Scores() {
    const std::size_t keys = last_ - first_;
    const std::size_t strips = (keys + kRows - 1) / kRows;
    const T* from = call_.keys.row(task_.batch, key_head_, 0);
    for (std::size_t s = 0; s < strips; ++s) {
      const std::size_t begin = first_ + StripBegin(keys, strips, s);
      const std::size_t end = first_ + StripBegin(keys, strips, s + 1);
      if (call_.mask != nullptr && Skips(begin, end)) continue;
      ProductOf<T, Left::rows>(end - begin, vectors_)(
          call_.sizes.width, from + begin * call_.keys.row_stride, call_.keys.row_stride, packed_,
          stride_, {weights_ + begin * stride_, stride_, nullptr, T{1}});
    }
  }

  HWY_INLINE void Softmax() {
    if (vectors_ == 1) return SoftmaxOf<1>();
    if (vectors_ == 2) return SoftmaxOf<2>();
    if constexpr (kVectors == 4) {
      if (vectors_ == 3) return SoftmaxOf<3>();
      return SoftmaxOf<4>();
    }
  }

  template <std::size_t kV>
  HWY_INLINE void SoftmaxOf() {
    const hn::ScalableTag<T> d;
    const hn::RebindToUnsigned<decltype(d)> du;
    using V = hn::Vec<decltype(d)>;
    const auto hidden = hn::Set(d, -std::numeric_limits<T>::infinity());
    V most[kV], sum[kV];
    for (std::size_t v = 0; v < kV; ++v) {
      most[v] = hn::Set(d, std::numeric_limits<T>::lowest());
      sum[v] = hn::Zero(d);
    }
    T* HWY_RESTRICT x = weights_ + first_ * kV * kL;
    if (call_.mask == nullptr) {
      for (std::size_t k = first_; k < last_; ++k, x += kV * kL) {
        for (std::size_t v = 0; v < kV; ++v) most[v] = hn::Max(most[v], hn::Load(d, x + v * kL));
      }
    } else {
      for (std::size_t k = first_; k < last_; ++k, x += kV * kL) {
        const bool all = mask_.all_see(k);
        const auto bit = hn::Set(du, typename PanelMask<T>::Word{1} << k % PanelMask<T>::kGroup);
        for (std::size_t v = 0; v < kV; ++v) {
          V s = hn::Load(d, x + v * kL);
          if (!all) {
            const auto word = hn::Load(du, mask_.words[k / PanelMask<T>::kGroup] + v * kL);
            s = hn::IfThenElse(hn::RebindMask(d, hn::TestBit(word, bit)), s, hidden);
            hn::Store(s, d, x + v * kL);
          }
          most[v] = hn::Max(most[v], s);
        }
      }
    }
    x = weights_ + first_ * kV * kL;
    for (std::size_t k = first_; k < last_; ++k, x += kV * kL) {
      for (std::size_t v = 0; v < kV; ++v) {
        const V weight = Exp2(d, hn::Sub(hn::Load(d, x + v * kL), most[v]));
        sum[v] = hn::Add(sum[v], weight);
        hn::Store(weight, d, x + v * kL);
      }
    }
    const V zero = hn::Zero(d);
    for (std::size_t v = 0; v < kV; ++v) {
      const auto none = hn::Eq(sum[v], zero);
      hn::Store(hn::IfThenZeroElse(none, hn::Div(hn::Set(d, T{1}), sum[v])), d, inverse_ + v * kL);
      const V log_sum =
          hn::MulAdd(most[v], hn::Set(d, 1 / ExpConstants<T>::kLog2E), Log(d, sum[v]));
      hn::Store(hn::IfThenElse(none, hidden, log_sum), d, log_sum_ + v * kL);
    }
  }

  // Context rows straight to where they belong. Returns whether they are finite; without a mask a
  // NaN can only come from what was attended to.
  HWY_INLINE bool Combine() {
    const hn::ScalableTag<T> d;
    const AttentionSizes& sizes = call_.sizes;
    const T* values = call_.values.row(task_.batch, key_head_, first_);
    const std::size_t strips = (queries_ + kRows - 1) / kRows;
    for (std::size_t s = 0; s < strips; ++s) {
      const std::size_t row = StripBegin(queries_, strips, s);
      const std::size_t rows = StripBegin(queries_, strips, s + 1) - row;
      StripProduct<T, Left::columns>(rows, sizes.value_width, last_ - first_,
                                     weights_ + first_ * stride_ + row, stride_, values,
                                     kColumns<T>, call_.values.row_stride,
                                     {task_.context->row(task_.batch, task_.head, query_ + row),
                                      task_.context->row_stride, nullptr, T{1}, inverse_ + row});
    }
    WriteLogSum(log_sum_);
    if (call_.mask == nullptr) return true;
    auto spoilt = hn::Zero(d);
    for (std::size_t q = 0; q < queries_; ++q) {
      const T* row = task_.context->row(task_.batch, task_.head, query_ + q);
      for (std::size_t i = 0; i < sizes.value_width; i += kL) {
        const auto x = hn::LoadU(d, row + i);
        spoilt = hn::Add(spoilt, hn::Sub(x, x));
      }
    }
    return hn::GetLane(hn::SumOfLanes(d, spoilt)) == 0;
  }

  void WriteLogSum(const T* from) const {
    if (task_.log_sum_exp == nullptr) return;
    const std::size_t row =
        (task_.batch * call_.sizes.heads + task_.head) * call_.sizes.queries + query_;
    std::memcpy(task_.log_sum_exp + row, from, queries_ * sizeof(T));
  }

  bool Nothing() {
    for (std::size_t q = 0; q < queries_; ++q) {
      std::memset(task_.context->row(task_.batch, task_.head, query_ + q), 0,
                  call_.sizes.value_width * sizeof(T));
    }
    std::fill_n(log_sum_, queries_, -std::numeric_limits<T>::infinity());
    WriteLogSum(log_sum_);
    return true;
  }

  const ShortTask<T>& task_;
  const AttentionCall<T>& call_;
  const std::size_t query_, queries_, vectors_, stride_, key_head_;
  std::size_t first_ = 0, last_;  // the keys that somebody sees lie between these
  T* const packed_;
  T* const weights_;
  const PanelMask<T>& mask_;
  HWY_ALIGN WholeVectors<T, kColumns<T>> inverse_;
  HWY_ALIGN WholeVectors<T, kColumns<T>> log_sum_;
};

// Heads [begin, end) of all, (b H + h). A mask that heads or sequences share is asked once for all
// of them: through a pattern it costs a third of 32 causal keys.
template <typename T>
bool ShortHeads(const ShortTask<T>& task, std::size_t begin, std::size_t end) {
  const AttentionCall<T>& call = *task.call;
  const AttentionSizes& sizes = call.sizes;
  constexpr std::size_t kKept = 8;  // panels of queries whose masks are kept
  PanelMask<T> masks[kKept];
  bool finite = true;
  for (std::size_t i = begin; i < end; ++i) {
    ShortTask<T> here = task;
    here.batch = i / sizes.heads;
    here.head = i % sizes.heads;
    const bool known = i > begin && call.mask != nullptr && call.mask->alike_in_heads() &&
                       (here.head > 0 || call.mask->alike_in_batch());
    for (std::size_t query = 0; query < sizes.queries; query += kColumns<T>) {
      const std::size_t panel = query / kColumns<T>;
      const std::size_t count = std::min(kColumns<T>, sizes.queries - query);
      PanelMask<T>& mask = masks[panel % kKept];
      if (call.mask != nullptr && !(known && sizes.queries <= kKept * kColumns<T>)) {
        mask.make(*call.mask, here.batch, here.head, query, count, sizes.keys);
      }
      if (!QueryPanel<T>(here, query, count, mask).run()) finite = false;
    }
  }
  return finite;
}

bool ShortHeadsEntry(const ShortTask<Scalar>& task, std::size_t begin, std::size_t end) {
  return ShortHeads(task, begin, end);
}
std::size_t LanesEntry() {
  return LaneCount<Scalar>();
}
std::size_t ColumnsEntry() {
  return kColumns<Scalar>;
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace heed::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {
namespace {

HWY_EXPORT(ShortHeadsEntry);
HWY_EXPORT(LanesEntry);
HWY_EXPORT(ColumnsEntry);

}  // namespace

template <typename T>
bool short_fits(const AttentionCall<T>& call) noexcept {
  const AttentionSizes& sizes = call.sizes;
  return call.changes.empty() && call.dropout.probability == 0 && sizes.keys >= 1 &&
         sizes.keys <= kMostKeys && sizes.width <= kMostWidth &&
         sizes.value_width % HWY_DYNAMIC_DISPATCH(LanesEntry)() == 0;
}

template <typename T>
bool attention_short(const AttentionCall<T>& call, const Heads<T>& context,
                     T* log_sum_exp) noexcept {
  const AttentionSizes& sizes = call.sizes;
  const std::size_t heads = sizes.batch * sizes.heads;
  const std::size_t room = HWY_DYNAMIC_DISPATCH(ColumnsEntry)() * (sizes.width + sizes.keys);
  const std::size_t work = sizes.queries * sizes.keys * (sizes.width + sizes.value_width);
  std::atomic<bool> finite = true;
  // A thread is worth waking for about 20 us of work.
  const std::size_t grain = (std::size_t{1} << 20) / (work + 1) + 1;
  parallel_for(heads, grain, [&](std::size_t begin, std::size_t end) {
    T* const scratch = block_scratch().room<T>(room);
    const ShortTask<T> task{&call, &context, log_sum_exp, scratch, 0, 0};
    if (!HWY_DYNAMIC_DISPATCH(ShortHeadsEntry)(task, begin, end)) finite = false;
  });
  return finite;
}

template bool short_fits(const AttentionCall<Scalar>&) noexcept;
template bool attention_short(const AttentionCall<Scalar>&, const Heads<Scalar>&, Scalar*) noexcept;

}  // namespace heed::kernels
#endif  // HWY_ONCE
