// SPDX-License-Identifier: Apache-2.0
// Slots read and written sequence by sequence; sequences are shared out to threads.
#include "heed/autograd/slots.h"

#include <vector>

#include "heed/base/error.h"
#include "heed/base/threads.h"

namespace heed {
namespace {

struct SlotSizes {
  std::int64_t batch, slots, width, reads, writes;
  // A sequence is worth a thread of its own from some thousand products on.
  std::size_t grain() const {
    return static_cast<std::size_t>(1 + 16384 / (slots * width * (reads + 2 * writes) + 1));
  }
};

SlotSizes sizes_of(const Variable& memory, const Variable& read, const SlotWrites& writes) {
  const auto fits = [&] {
    if (memory.rank() != 3 || read.rank() != 3 || writes.weights.rank() != 3) return false;
    const std::int64_t batch = memory.size(0), slots = memory.size(1), width = memory.size(2);
    const std::int64_t heads = writes.weights.size(1);
    return read.shape() == Shape{batch, read.size(1), slots} &&
           writes.weights.shape() == Shape{batch, heads, slots} &&
           writes.erase.shape() == Shape{batch, heads, width} &&
           writes.add.shape() == Shape{batch, heads, width};
  };
  if (!fits()) {
    throw UsageError(
        "read_and_write: memory {}, weights of reading {}, of writing {}, erase {}, add {}; it "
        "takes [B,N,M], [B,R,N], [B,W,N], [B,W,M] and [B,W,M]",
        memory.shape().text(), read.shape().text(), writes.weights.shape().text(),
        writes.erase.shape().text(), writes.add.shape().text());
  }
  return {memory.size(0), memory.size(1), memory.size(2), read.size(1), writes.weights.size(1)};
}

// What one sequence has of each tensor.
struct Sequence {
  const Real* memory;  // [N,M]
  const Real* read;    // [R,N]
  const Real* write;   // [W,N]
  const Real* erase;   // [W,M]
  const Real* add;     // [W,M]
};

struct SlotTensors {
  Tensor memory, read, write, erase, add;
  SlotSizes sizes;
  Sequence of(std::int64_t b) const {
    const auto [batch, slots, width, reads, writes] = sizes;
    return {memory.data() + b * slots * width, read.data() + b * reads * slots,
            write.data() + b * writes * slots, erase.data() + b * writes * width,
            add.data() + b * writes * width};
  }
};

template <typename Body>
void for_sequences(const SlotSizes& sizes, const Body& body) {
  parallel_for(static_cast<std::size_t>(sizes.batch), sizes.grain(),
               [&](std::size_t begin, std::size_t end) {
                 for (std::size_t b = begin; b < end; ++b) body(static_cast<std::int64_t>(b));
               });
}

void forward(const SlotSizes& sizes, const Sequence& in, Real* read, Real* memory) {
  const std::int64_t width = sizes.width;
  for (std::int64_t i = 0; i < sizes.slots; ++i) {
    const Real* row = in.memory + i * width;
    Real* after = memory + i * width;
    for (std::int64_t r = 0; r < sizes.reads; ++r) {
      const Real weight = in.read[r * sizes.slots + i];
      for (std::int64_t m = 0; m < width; ++m) read[r * width + m] += weight * row[m];
    }
    for (std::int64_t m = 0; m < width; ++m) after[m] = row[m];
    for (std::int64_t h = 0; h < sizes.writes; ++h) {
      const Real weight = in.write[h * sizes.slots + i];
      const Real* erase = in.erase + h * width;
      for (std::int64_t m = 0; m < width; ++m) after[m] *= 1 - weight * erase[m];
    }
    for (std::int64_t h = 0; h < sizes.writes; ++h) {
      const Real weight = in.write[h * sizes.slots + i];
      const Real* add = in.add + h * width;
      for (std::int64_t m = 0; m < width; ++m) after[m] += weight * add[m];
    }
  }
}

// Gradients of one sequence, laid out as Sequence.
struct SequenceGradients {
  Real* memory;
  Real* read;
  Real* write;
  Real* erase;
  Real* add;
};

// With Q the gradient of the memory after, P of what was read, K = Π_h (1 - w_h e_h) what is kept
// and K_h the same without head h:
//   dM = Q ∘ K + Σ_r w_r P_r, dw_r = M P_r, dw_h = -(Q ∘ M ∘ K_h) e_h + Q a_h,
//   de_h = -(Q ∘ M ∘ K_h)ᵀ w_h, da_h = Qᵀ w_h
void backward_of(const SlotSizes& sizes, const Sequence& in, const Real* d_read,
                 const Real* d_after, const SequenceGradients& out) {
  const std::int64_t width = sizes.width;
  std::vector<Real> kept(static_cast<std::size_t>(width));
  for (std::int64_t i = 0; i < sizes.slots; ++i) {
    const Real* row = in.memory + i * width;
    Real* d_row = out.memory + i * width;
    for (std::int64_t r = 0; r < sizes.reads && d_read != nullptr; ++r) {
      const Real weight = in.read[r * sizes.slots + i];
      const Real* p = d_read + r * width;
      Real along = 0;
      for (std::int64_t m = 0; m < width; ++m) {
        d_row[m] += weight * p[m];
        along += row[m] * p[m];
      }
      out.read[r * sizes.slots + i] = along;
    }
    if (d_after == nullptr) continue;
    const Real* q = d_after + i * width;
    for (std::int64_t h = 0; h < sizes.writes; ++h) {
      for (Real& part : kept) part = 1;
      for (std::int64_t other = 0; other < sizes.writes; ++other) {
        if (other == h) continue;
        const Real weight = in.write[other * sizes.slots + i];
        for (std::int64_t m = 0; m < width; ++m) {
          kept[static_cast<std::size_t>(m)] *= 1 - weight * in.erase[other * width + m];
        }
      }
      const Real weight = in.write[h * sizes.slots + i];
      const Real* erase = in.erase + h * width;
      const Real* add = in.add + h * width;
      Real d_weight = 0;
      for (std::int64_t m = 0; m < width; ++m) {
        const Real erased = q[m] * row[m] * kept[static_cast<std::size_t>(m)];
        d_weight += q[m] * add[m] - erased * erase[m];
        out.erase[h * width + m] -= erased * weight;
        out.add[h * width + m] += q[m] * weight;
        // Of any one head: its own factor and those of the others are all there are.
        if (h == 0) d_row[m] += q[m] * kept[static_cast<std::size_t>(m)] * (1 - weight * erase[m]);
      }
      out.write[h * sizes.slots + i] = d_weight;
    }
    if (sizes.writes == 0) {
      for (std::int64_t m = 0; m < width; ++m) d_row[m] += q[m];
    }
  }
}

}  // namespace

SlotsAfter read_and_write(const Variable& memory, const Variable& read_weights,
                          const SlotWrites& writes) {
  const SlotSizes sizes = sizes_of(memory, read_weights, writes);
  const SlotTensors in{memory.value().packed(),         read_weights.value().packed(),
                       writes.weights.value().packed(), writes.erase.value().packed(),
                       writes.add.value().packed(),     sizes};
  Tensor read = Tensor::zeros({sizes.batch, sizes.reads, sizes.width});
  Tensor after(memory.shape());
  Real* const read_to = read.mutable_data();
  Real* const after_to = after.mutable_data();
  for_sequences(sizes, [&](std::int64_t b) {
    forward(sizes, in.of(b), read_to + b * sizes.reads * sizes.width,
            after_to + b * sizes.slots * sizes.width);
  });
  const Variables made = record_many(
      "read_and_write", {read, after},
      {memory, read_weights, writes.weights, writes.erase, writes.add},
      [in](std::span<const Tensor> dys) -> Gradients {
        const SlotSizes& of = in.sizes;
        const Tensor d_read = dys[0].defined() ? dys[0].packed() : Tensor();
        const Tensor d_after = dys[1].defined() ? dys[1].packed() : Tensor();
        Tensor d_memory = Tensor::zeros(in.memory.shape());
        Tensor d_reading = Tensor::zeros(in.read.shape());
        Tensor d_writing = Tensor::zeros(in.write.shape());
        Tensor d_erase = Tensor::zeros(in.erase.shape());
        Tensor d_add = Tensor::zeros(in.add.shape());
        const SequenceGradients out{d_memory.mutable_data(), d_reading.mutable_data(),
                                    d_writing.mutable_data(), d_erase.mutable_data(),
                                    d_add.mutable_data()};
        for_sequences(of, [&](std::int64_t b) {
          const std::int64_t matrix = b * of.slots * of.width;
          backward_of(of, in.of(b),
                      d_read.defined() ? d_read.data() + b * of.reads * of.width : nullptr,
                      d_after.defined() ? d_after.data() + matrix : nullptr,
                      {out.memory + matrix, out.read + b * of.reads * of.slots,
                       out.write + b * of.writes * of.slots, out.erase + b * of.writes * of.width,
                       out.add + b * of.writes * of.width});
        });
        return {d_memory, d_reading, d_writing, d_erase, d_add};
      });
  return {made[0], made[1]};
}

}  // namespace heed
