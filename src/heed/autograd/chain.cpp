// SPDX-License-Identifier: Apache-2.0
// The nodes of the graph, newest first, each handing its count to those it was computed from.
#include "heed/autograd/chain.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace heed {
namespace {

// One of several outputs of an op is no op of its own, nor is a leaf.
bool is_op(const Node& node) {
  return node.inputs.size() > 0 && dynamic_cast<const OutputNode*>(&node) == nullptr;
}

}  // namespace

std::int64_t longest_chain(const Variable& variable, std::string_view op) {
  if (!variable.needs_gradient()) return 0;
  std::unordered_map<const Node*, std::int64_t> above;  // ops on the way from the result to a node
  std::vector<const Node*> nodes = {variable.node().get()};
  above[nodes.front()] = 0;
  for (std::size_t next = 0; next < nodes.size(); ++next) {
    for (const Ref<Node>& input : nodes[next]->inputs) {
      if (input && above.try_emplace(input.get(), 0).second) nodes.push_back(input.get());
    }
  }
  std::ranges::sort(nodes, std::ranges::greater(), &Node::sequence);
  std::int64_t longest = 0;
  for (const Node* node : nodes) {
    const bool counts = is_op(*node) && (op.empty() || op == node->name);
    const std::int64_t here = above[node] + (counts ? 1 : 0);
    longest = std::max(longest, here);
    for (const Ref<Node>& input : node->inputs) {
      if (input) above[input.get()] = std::max(above[input.get()], here);
    }
  }
  return longest;
}

}  // namespace heed
