// SPDX-License-Identifier: Apache-2.0
// The tape: a flat list of the nodes below a variable, newest first, walked once.
#include "heed/autograd/variable.h"

#include <algorithm>
#include <atomic>

#include "heed/base/error.h"
#include "heed/base/stop.h"

namespace heed {
namespace {

thread_local bool is_recording = true;

#ifdef HEED_CHECK_VERSIONS
constexpr bool kWatchesAll = true;
#else
constexpr bool kWatchesAll = false;
#endif

const Tensor& no_tensor() {
  static const Tensor none;
  return none;
}

// Lists the nodes reachable from root, highest number first: every node comes before the nodes it
// sends to.
void list_nodes(Node* root, std::vector<Node*>& tape) {
  static std::atomic<std::uint64_t> passes{0};
  const std::uint64_t pass = ++passes;
  root->mark = pass;
  tape.push_back(root);
  for (std::size_t next = 0; next < tape.size(); ++next) {
    for (const Ref<Node>& input : tape[next]->inputs) {
      if (!input || input->mark == pass) continue;
      input->mark = pass;
      tape.push_back(input.get());
    }
  }
  const auto newer = [](const Node* a, const Node* b) { return a->sequence > b->sequence; };
  // A plain chain is listed in order already.
  if (!std::is_sorted(tape.begin(), tape.end(), newer)) std::sort(tape.begin(), tape.end(), newer);
}

// Reused between passes, so that a steady training step allocates nothing.
thread_local std::vector<Node*> spare_tape;

// Runs body over the tape of root; safe when body starts a backward pass of its own.
template <typename Body>
void with_tape(Node* root, Body&& body) {
  std::vector<Node*> tape = std::exchange(spare_tape, {});
  tape.clear();
  list_nodes(root, tape);
  body(tape);
  spare_tape = std::move(tape);
}

}  // namespace

Variable Variable::leaf(Tensor value) {
  Ref<Node> node(new LeafNode("leaf", value.required("leaf")));
  return Variable(std::move(value), std::move(node));
}

const Tensor& Variable::gradient() const {
  return node_ ? node_->gradient : no_tensor();
}

void Variable::clear_gradient() {
  if (node_) node_->gradient = Tensor();
}

void Variable::keep_gradient() {
  if (node_) node_->keep_gradient = true;
}

Inputs::Inputs(std::initializer_list<Input> inputs) : size_(inputs.size()) {
  if (size_ > kMostListed) throw InternalError("record: {} inputs listed; give a span", size_);
  std::transform(inputs.begin(), inputs.end(), listed_.begin(),
                 [](const Input& input) { return input.variable; });
}

bool Inputs::any_needs_gradient() const {
  if (!is_recording) return false;
  for (std::size_t i = 0; i < size(); ++i) {
    if ((*this)[i].needs_gradient()) return true;
  }
  return false;
}

void connect(Node& node, const Inputs& inputs, [[maybe_unused]] std::span<const Tensor> outputs) {
  node.inputs.reserve(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Variable& input = inputs[i];
    if (input.needs_gradient()) node.come_after(*input.node());
    // Parameters and data, which their owner holds and may write. Watching what ops have made as
    // well would keep it alive until backward: only `dev` does.
    if (input.defined() && (kWatchesAll || !input.needs_gradient())) node.watch(input.value());
    node.inputs.emplace_back(input.node());
  }
  node.watch_leaves();
  if constexpr (kWatchesAll) {
    for (const Tensor& output : outputs) node.watch(output);
  }
}

void backward(const Variable& loss, const Tensor& seed, const BackwardOptions& options) {
  if (!loss.needs_gradient()) {
    throw UsageError(
        "backward: the variable of shape {} depends on nothing that needs a gradient; make its "
        "inputs "
        "with Variable::leaf",
        loss.shape().text());
  }
  if (!seed.defined() && loss.value().size() != 1) {
    throw UsageError(
        "backward: shape {} is not a single number; give the gradient of that shape as seed",
        loss.shape().text());
  }
  if (seed.defined() && seed.shape() != loss.shape()) {
    throw UsageError("backward: seed {} for a variable of shape {}; they must be equal",
                     seed.shape().text(), loss.shape().text());
  }
  Node* root = loss.node().get();
  with_tape(root, [&](const std::vector<Node*>& tape) {
    Gradient(seed.defined() ? seed : Tensor::full(loss.shape(), 1)).add_to(root->gradient);
    for (Node* node : tape) {
      if (!node->reached()) continue;
      if (node->finished()) {
        throw UsageError(
            "backward: the graph through op \"{}\" was used by an earlier backward; ask that one "
            "to "
            "keep_graph",
            node->name);
      }
      node->check_unwritten();
      stop_point();
      node->propagate(!options.keep_graph);
      if (!options.keep_graph) node->finish();
    }
  });
}

std::set<std::string> recorded_ops(const Variable& variable) {
  std::set<std::string> names;
  if (!variable.needs_gradient()) return names;
  with_tape(variable.node().get(), [&](const std::vector<Node*>& tape) {
    for (const Node* node : tape) {
      if (node->inputs.size() > 0) names.insert(node->name);
    }
  });
  return names;
}

NoGradient::NoGradient() : before_(std::exchange(is_recording, false)) {}
NoGradient::~NoGradient() {
  is_recording = before_;
}
bool recording() {
  return is_recording;
}

}  // namespace heed
