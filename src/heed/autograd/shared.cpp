// SPDX-License-Identifier: Apache-2.0
// A weight that many steps share: sum over t of a_t b_t = [a_1 a_2 ...] [b_1; b_2; ...], one
// product that reads and writes the gradient once.
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/tensor/join.h"

namespace heed {
namespace {

class SharedNode final : public Node {
 public:
  explicit SharedNode(const Shape& shape) : Node("shared", shape) {}

  void receive(Gradient part) override {
    // Factors that broadcast cannot be set side by side.
    const bool fits = part.is_product() && part.left().rank() == shape.rank() &&
                      part.right().rank() == shape.rank() &&
                      (products_.empty() || alike(part, products_.front()));
    if (fits) {
      products_.push_back(std::move(part));
    } else {
      Node::receive(std::move(part));
    }
  }
  bool reached() const override { return Node::reached() || !products_.empty(); }
  void propagate(bool) override {
    if (!products_.empty()) Node::receive(gathered());
    distribute({take_gradient()});
  }

 private:
  // Whether the factors differ along the axis they meet in only.
  static bool alike(const Gradient& a, const Gradient& b) {
    const int rank = a.left().rank();
    return a.left().shape().without(rank - 1) == b.left().shape().without(rank - 1) &&
           a.right().shape().without(rank - 2) == b.right().shape().without(rank - 2);
  }
  Gradient gathered() {
    std::vector<Gradient> products = std::exchange(products_, {});
    if (products.size() == 1) return std::move(products.front());
    std::vector<Tensor> left, right;
    for (const Gradient& product : products) {
      left.push_back(product.left().transpose());
      right.push_back(product.right());
    }
    return Gradient::product(concat(left, -2).transpose(), concat(right, -2));
  }

  std::vector<Gradient> products_;
};

}  // namespace

Variable shared(const Variable& weight) {
  if (!Inputs{weight}.any_needs_gradient()) return weight;
  Ref<Node> node(new SharedNode(weight.shape()));
  connect(*node, {weight}, std::span<const Tensor>(&weight.value(), 1));
  return Variable(weight.value(), std::move(node));
}

}  // namespace heed
