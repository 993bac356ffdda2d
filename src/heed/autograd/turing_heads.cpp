// SPDX-License-Identifier: Apache-2.0
// The op around the kernel: shapes, and what is kept for backward.
#include "heed/autograd/turing_heads.h"

#include <new>

#include "heed/base/error.h"
#include "heed/kernels/turing_heads.h"

namespace heed {
namespace {

kernels::TuringHeadsShape checked_shape(const Variable& memory, const Variable& before,
                                        const Variable& said, const TuringHeadsSizes& sizes) {
  const auto count = [](std::int64_t n) { return static_cast<std::size_t>(n); };
  const bool ranks = memory.rank() == 3 && before.rank() == 3 && said.rank() == 2;
  kernels::TuringHeadsShape shape{};
  if (ranks) {
    shape = {count(memory.size(1)), count(memory.size(2)), count(sizes.reads),
             count(sizes.writes),   count(sizes.range),    sizes.epsilon};
  }
  const std::int64_t heads = sizes.reads + sizes.writes;
  const bool fits = ranks && sizes.reads >= 0 && sizes.writes >= 0 && sizes.range >= 0 &&
                    sizes.range <= memory.size(1) &&
                    before.shape() == Shape{memory.size(0), heads, memory.size(1)} &&
                    said.shape() == Shape{memory.size(0), static_cast<std::int64_t>(shape.said())};
  if (!fits) {
    throw UsageError(
        "turing_heads: memory {}, weights before {}, said {}; with {} heads that read, {} that "
        "write and a range of {} it takes [B,N,M], [B,H,N] and [B,H(M+{})+2WM], and no range "
        "beyond the slots",
        memory.shape().text(), before.shape().text(), said.shape().text(), sizes.reads,
        sizes.writes, sizes.range, 4 + 2 * sizes.range);
  }
  return shape;
}

}  // namespace

TuringHeadsAfter turing_heads(const Variable& memory, const Variable& before, const Variable& said,
                              const TuringHeadsSizes& sizes) {
  const kernels::TuringHeadsShape shape = checked_shape(memory, before, said, sizes);
  const std::int64_t batch = memory.size(0);
  const auto sequences = static_cast<std::size_t>(batch);
  const Tensor slots = memory.value().packed(), last = before.value().packed(),
               spoken = said.value().packed();
  Tensor read({batch, sizes.reads, memory.size(2)}), after(memory.shape()), weights(before.shape());
  Tensor kept({batch, static_cast<std::int64_t>(shape.kept())});
  const kernels::TuringHeadsInput<Real> in{slots.data(), last.data(), spoken.data()};
  if (!kernels::turing_heads<Real>(shape, sequences, in,
                                   {read.mutable_data(), after.mutable_data(),
                                    weights.mutable_data(), kept.mutable_data()})) {
    throw std::bad_alloc();
  }
  const auto backward = [=](std::span<const Tensor> dys) -> Gradients {
    std::vector<Tensor> above;
    for (const Tensor& dy : dys) above.push_back(dy.defined() ? dy.packed() : Tensor());
    const auto data = [&](std::size_t i) { return above[i].defined() ? above[i].data() : nullptr; };
    Tensor d_slots(slots.shape()), d_last(last.shape()), d_said(spoken.shape());
    const kernels::TuringHeadsInput<Real> from{slots.data(), last.data(), spoken.data()};
    if (!kernels::turing_heads_backward<Real>(
            shape, sequences, from, weights.data(), kept.data(), {data(0), data(1), data(2)},
            {d_slots.mutable_data(), d_last.mutable_data(), d_said.mutable_data()})) {
      throw std::bad_alloc();
    }
    return {d_slots, d_last, d_said};
  };
  const Variables made =
      record_many("turing_heads", {read, after, weights}, {memory, before, said}, backward);
  return {made[0], made[1], made[2]};
}

}  // namespace heed
