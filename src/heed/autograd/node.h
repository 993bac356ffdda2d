// SPDX-License-Identifier: Apache-2.0
// Node: what the tape knows of one recorded value: who it came from and how its gradient flows on.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>

#include "heed/autograd/gradient.h"
#include "heed/tensor/allocator.h"
#include "heed/tensor/inline_vector.h"
#include "heed/tensor/ref.h"
#include "heed/tensor/tensor.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

class Node {
 public:
  // name is a string literal; it names the op in errors and in op listings.
  Node(const char* name, const Shape& shape);
  virtual ~Node() = default;
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  static void* operator new(std::size_t bytes) { return allocate(bytes); }
  static void operator delete(void* node, std::size_t bytes) { heed::release(node, bytes); }
  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) bury(this);
  }

  // Takes one more part of the gradient, of the node's shape.
  virtual void receive(Gradient part) { std::move(part).add_to(gradient); }
  // Sends the gradient that has arrived here to the inputs, and forgets it unless it is kept. The
  // last time, what backward captured may be used up.
  virtual void propagate(bool last) = 0;
  // Whether any gradient has arrived.
  virtual bool reached() const { return gradient.defined(); }
  // Frees what backward captured and watched; the node cannot propagate again.
  virtual void finish() { watched_.clear(); }
  virtual bool finished() const { return false; }

  const char* name;
  Shape shape;
  std::uint64_t sequence;  // larger than that of every input, see come_after()
  std::uint64_t mark = 0;  // of the last backward pass that visited
  Tensor gradient;
  bool keep_gradient = false;
  InlineVector<Ref<Node>, 3> inputs;  // an empty Ref: that input needs no gradient
  Ref<Storage> leaf;                  // of a leaf: its elements

  // Numbers this node above `input`, which sends it a value: a tape sorted by number is then in
  // topological order, whichever threads recorded it.
  void come_after(const Node& input);

  // Remembers how often the elements of the leaves among the inputs have been written so far, and
  // those of another tensor, which is kept alive.
  void watch_leaves() { leaf_writes_ = count_leaf_writes(); }
  void watch(const Tensor& tensor) {
    watched_.emplace_back(Watched{tensor.storage(), tensor.version()});
  }
  // Throws UsageError when any of these has been written since: backward would read the new values.
  void check_unwritten() const;

 protected:
  Needs needs(bool last) const;
  // Adds gradients[i] to inputs[i]; a wrong count or shape is an InternalError naming the op.
  void distribute(Gradients gradients);
  Tensor take_gradient() { return keep_gradient ? gradient : std::exchange(gradient, Tensor()); }

 private:
  // Deletes without recursion: a chain of a million nodes must not overflow the stack.
  static void bury(Node* node);

  struct Watched {
    Ref<Storage> storage;
    std::uint32_t version;
  };

  // Counts only grow, so their sum tells whether any has.
  std::uint32_t count_leaf_writes() const;

  InlineVector<Watched, 1> watched_;
  std::uint32_t leaf_writes_ = 0;
  std::atomic<std::uint32_t> references_{1};
  Node* next_buried_ = nullptr;
};

// A value whose gradient the user asks for: parameters and inputs under study.
class LeafNode final : public Node {
 public:
  LeafNode(const char* op, const Tensor& value) : Node(op, value.shape()) {
    leaf = value.storage();
  }
  void propagate(bool) override {}
};

template <typename Backward, typename Upstream>
Gradients call_backward(Backward& backward, const Upstream& upstream, Needs needs) {
  if constexpr (std::is_invocable_v<Backward&, const Upstream&, Needs>) {
    return backward(upstream, needs);
  } else {
    return backward(upstream);
  }
}

template <typename Backward>
class ClosureNode final : public Node {
 public:
  ClosureNode(const char* op, const Shape& result, Backward backward)
      : Node(op, result), backward_(std::move(backward)) {}
  void propagate(bool last) override {
    const Tensor dy = take_gradient();
    distribute(call_backward(*backward_, dy, needs(last)));
  }
  void finish() override {
    Node::finish();
    backward_.reset();
  }
  bool finished() const override { return !backward_.has_value(); }

 private:
  std::optional<Backward> backward_;
};

// An op of several outputs: each output has an OutputNode that hands its gradient to a slot here.
class ManyNode : public Node {
 public:
  ManyNode(const char* op, std::size_t outputs) : Node(op, {}) {
    slots.reserve(outputs);
    for (std::size_t i = 0; i < outputs; ++i) slots.emplace_back();
  }
  bool reached() const override;

  InlineVector<Tensor, 3> slots;
};

class OutputNode final : public Node {
 public:
  OutputNode(const char* op, const Shape& result, Ref<Node> many, std::size_t slot)
      : Node(op, result), slot_(slot) {
    come_after(*many);
    inputs.emplace_back(std::move(many));
  }
  void propagate(bool last) override;

 private:
  std::size_t slot_;
};

template <typename Backward>
class ManyClosureNode final : public ManyNode {
 public:
  ManyClosureNode(const char* op, std::size_t outputs, Backward backward)
      : ManyNode(op, outputs), backward_(std::move(backward)) {}
  void propagate(bool last) override {
    const std::span<const Tensor> dys(slots.begin(), slots.size());
    distribute(call_backward(*backward_, dys, needs(last)));
    for (Tensor& slot : slots) slot = Tensor();
  }
  void finish() override {
    Node::finish();
    backward_.reset();
  }
  bool finished() const override { return !backward_.has_value(); }

 private:
  std::optional<Backward> backward_;
};

}  // namespace heed

#pragma GCC visibility pop
