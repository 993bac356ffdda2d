// SPDX-License-Identifier: Apache-2.0
// Nodes: their order, their checks, and their end.
#include "heed/autograd/node.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {
namespace {

// Lamport's clock: every thread counts for itself, and a node that reads another thread's node
// moves its own thread's clock past it. Within one thread this is the order in which ops were
// called, which frees tensors soonest in backward; no cache line is shared.
thread_local std::uint64_t clock = 0;

}  // namespace

Node::Node(const char* name, const Shape& shape) : name(name), shape(shape), sequence(++clock) {}

void Node::come_after(const Node& input) {
  if (input.sequence >= sequence) sequence = clock = input.sequence + 1;
}

Needs Node::needs(bool last) const {
  std::uint64_t bits = 0;
  const std::size_t known = std::min<std::size_t>(inputs.size(), 64);
  for (std::size_t i = 0; i < known; ++i) bits |= std::uint64_t{inputs[i] ? 1u : 0u} << i;
  return Needs(bits, last);
}

void Node::distribute(Gradients gradients) {
  if (gradients.size() != inputs.size()) {
    throw InternalError("{}: backward returned {} gradients for {} inputs", name, gradients.size(),
                        inputs.size());
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Node* input = inputs[i].get();
    if (input == nullptr || gradients[i].none()) continue;
    if (gradients[i].shape() != input->shape) {
      throw InternalError("{}: backward returned a gradient of shape {} for input {} of shape {}",
                          name, gradients[i].shape().text(), i, input->shape.text());
    }
    input->receive(std::move(gradients[i]));
  }
}

std::uint32_t Node::count_leaf_writes() const {
  std::uint32_t writes = 0;
  for (const Ref<Node>& input : inputs) {
    if (input && input->leaf) writes += input->leaf->version();
  }
  return writes;
}

void Node::check_unwritten() const {
  const bool unwritten = count_leaf_writes() == leaf_writes_ &&
                         std::all_of(watched_.begin(), watched_.end(), [](const Watched& seen) {
                           return seen.storage->version() == seen.version;
                         });
  if (unwritten) return;
  throw UsageError(
      "backward: a tensor that the op \"{}\" reads was written in place after the op was recorded; "
      "run backward first, or write to a clone()",
      name);
}

void Node::bury(Node* node) {
  thread_local Node* buried = nullptr;
  thread_local bool digging = false;
  node->next_buried_ = buried;
  buried = node;
  if (digging) return;  // the loop further up the stack takes it from here
  digging = true;
  while (buried != nullptr) {
    Node* last = buried;
    buried = last->next_buried_;
    delete last;
  }
  digging = false;
}

bool ManyNode::reached() const {
  return std::any_of(slots.begin(), slots.end(), [](const Tensor& slot) { return slot.defined(); });
}

void OutputNode::propagate(bool) {
  auto& op = static_cast<ManyNode&>(*inputs[0]);
  Gradient(take_gradient()).add_to(op.slots[slot_]);
}

}  // namespace heed
