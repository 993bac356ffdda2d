// SPDX-License-Identifier: Apache-2.0
// Nodes: their order, their checks, and their end.
#include "heed/autograd/node.h"

#include <algorithm>

#include "heed/base/error.h"

namespace heed {
namespace {

std::uint64_t next_sequence() {
  static std::atomic<std::uint64_t> blocks{0};
  // Each thread draws numbers in blocks of 2^20, so that counting costs no shared cache line.
  constexpr std::uint64_t kBlock = std::uint64_t{1} << 20;
  thread_local std::uint64_t next = 0;
  if (next % kBlock == 0) next = ++blocks * kBlock;
  return next++;
}

}  // namespace

Node::Node(const char* name, const Shape& shape)
    : name(name), shape(shape), sequence(next_sequence()) {}

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

void Node::watch([[maybe_unused]] const Tensor& tensor) {
#ifdef HEED_CHECK_VERSIONS
  watched.emplace_back(tensor, tensor.version());
#endif
}

void Node::check_unwritten() const {
#ifdef HEED_CHECK_VERSIONS
  for (const Watched& seen : watched) {
    if (seen.tensor.version() != seen.version) {
      throw InternalError(
          "{}: a tensor of shape {} was written in place after the op was recorded and before its "
          "backward ran; write to a clone() instead",
          name, seen.tensor.shape().text());
    }
  }
#endif
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
