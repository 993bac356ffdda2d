// SPDX-License-Identifier: Apache-2.0
// A step of the heads: free, allocate, write, link, read.
#include "heed/models/dnc_heads.h"

#include <utility>

#include "heed/autograd/allocation.h"
#include "heed/autograd/ops.h"
#include "heed/autograd/slots.h"
#include "heed/models/turing_machine_heads.h"
#include "heed/models/turing_machine_sites.h"

namespace heed::models {
namespace {

// No slot is quite free: a product of usages with a zero in it has no gradient for the others.
constexpr Real kLeastUsage = Real(1e-6);

// [N,N], 0 on the diagonal and 1 elsewhere.
Tensor all_others(std::int64_t slots) {
  Tensor others = Tensor::full({slots, slots}, 1);
  for (std::int64_t i = 0; i < slots; ++i) others.mutable_data()[i * slots + i] = 0;
  return others;
}

}  // namespace

Variable usage_after(const Variable& usage, const Variable& write, const Variable& reads,
                     const Variable& free) {
  Variable after = usage + write - usage * write;
  for (std::int64_t r = 0; r < reads.size(1); ++r) {
    after = after * (Real(1) - slice(free, 1, r, r + 1) * select(reads, 1, r));
  }
  return after;
}

WritingOrder order_after(const WritingOrder& order, const Variable& write) {
  const std::int64_t batch = write.size(0), slots = write.size(1);
  const Variable down = reshape(write, {batch, slots, 1}),
                 across = reshape(write, {batch, 1, slots});
  const Variable last = reshape(order.precedence, {batch, 1, slots});
  const Variable kept = (Real(1) - down - across) * order.links;
  const Variable all = reshape(sum(write, 1), {batch, 1});
  return {.links = (kept + down * last) * Variable(all_others(slots)),
          .precedence = (Real(1) - all) * order.precedence + write};
}

Variable written_after(const Variable& weights, const Variable& links) {
  return matmul(weights, transpose(links));
}

Variable written_before(const Variable& weights, const Variable& links) {
  return matmul(weights, links);
}

DncHeads::DncHeads(const TuringMachineOptions& options, Random& random)
    : reads_(options.read_heads),
      write_look_(looking(options, 1, random)),
      read_look_(looking(options, options.read_heads, random)),
      gates_(options.hidden, 2 + options.read_heads, random),
      modes_(options.hidden, 3 * options.read_heads, random) {}

void DncHeads::visit(nn::ParameterVisitor& visitor) {
  visitor("write", *write_look_);
  visitor("read", *read_look_);
  visitor("gates", gates_);
  visitor("modes", modes_);
}

void DncHeads::look_around(const Variable& h, const Written& written, TuringMachineState& state,
                           const Call& call) const {
  const std::int64_t batch = h.size(0), slots = state.memory.size(1);
  const Variable read_before = slice(state.focus.previous, 1, 0, reads_);
  const Variable written_last = select(state.focus.previous, 1, reads_);
  const Variable gates = sigmoid(gates_(h));
  const Variable to_write = slice(gates, 1, 0, 1), to_free_slots = slice(gates, 1, 1, 2);
  WrittenSlots& known = state.written;
  known.usage = usage_after(known.usage, written_last, read_before, slice(gates, 1, 2, 2 + reads_));

  attention::Attended alike =
      looked_at(*write_look_, h, state.memory, known.write, call, kWrittenContentSite);
  known.write = std::move(alike.state);
  const Variable free = allocation((Real(1) - kLeastUsage) * known.usage + kLeastUsage);
  const Variable write =
      to_write *
      (to_free_slots * free + (Real(1) - to_free_slots) * reshape(alike.weights, {batch, slots}));
  const Variable rows = reshape(write, {batch, 1, slots});
  // What it reads on the way is of the slots before they are written, and left alone.
  state.memory = read_and_write(state.memory, rows,
                                {.weights = rows, .erase = written.erase, .add = written.add})
                     .memory;
  WritingOrder order = order_after({known.links, known.precedence}, write);
  known.links = std::move(order.links);
  known.precedence = std::move(order.precedence);

  alike = looked_at(*read_look_, h, state.memory, known.read, call, kReadContentSite);
  known.read = std::move(alike.state);
  const Variable modes = softmax(reshape(modes_(h), {batch, reads_, 3}));
  const Variable read = slice(modes, 2, 0, 1) * written_before(read_before, known.links) +
                        slice(modes, 2, 1, 2) * reshape(alike.weights, {batch, reads_, slots}) +
                        slice(modes, 2, 2, 3) * written_after(read_before, known.links);
  state.read = matmul(read, state.memory);
  state.focus.previous = concat({read, rows}, 1);
}

}  // namespace heed::models
