// SPDX-License-Identifier: Apache-2.0
// golden/memory.json, "dnc": usage, allocation and the order of writing, in double.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "heed/autograd/allocation.h"
#include "heed/autograd/ops.h"
#include "heed/models/dnc_heads.h"
#include "heed/tensor/testing.h"

namespace heed::models {
namespace {

using heed::testing::expect_near;
using nlohmann::json;

json golden() {
  return json::parse(
      std::ifstream(std::filesystem::path(HEED_SOURCE_DIR) / "tests/golden/memory.json"))["dnc"];
}

Tensor tensor(const json& numbers, const Shape& shape) {
  std::vector<Real> flat;
  for (const json& one : numbers.flatten()) flat.push_back(one);
  return Tensor::of(shape, flat);
}

TEST(DncGradcheck, AllocatesAsIsKnown) {
  const json known = golden();
  const Variable usage = Variable::leaf(tensor(known["usage"], {1, 4}));
  const Variable found = allocation(usage);
  expect_near(found.value(), tensor(known["allocation"], {1, 4}), 1e-9);
  backward(sum(found * Variable(tensor(known["upstream"], {1, 4}))));
  expect_near(usage.gradient(), tensor(known["d_usage"], {1, 4}), 1e-9);
}

TEST(DncGradcheck, LinksSlotsInTheOrderOfWriting) {
  const json known = golden();
  WritingOrder order{.links = Tensor::zeros({1, 4, 4}), .precedence = Tensor::zeros({1, 4})};
  for (const json& write : known["write_weights"])
    order = order_after(order, tensor(write, {1, 4}));
  expect_near(order.links.value(), tensor(known["link"], {1, 4, 4}), 1e-9);
  expect_near(order.precedence.value(), tensor(known["precedence"], {1, 4}), 1e-9);
  const auto row = [](std::int64_t slot) {
    Tensor one = Tensor::zeros({1, 1, 4});
    one.mutable_data()[slot] = 1;
    return Variable(one);
  };
  expect_near(written_after(row(0), order.links).value(),
              tensor(known["forward_of_row_0"], {1, 1, 4}), 1e-9);
  expect_near(written_before(row(1), order.links).value(),
              tensor(known["backward_of_row_1"], {1, 1, 4}), 1e-9);
}

TEST(DncGradcheck, KnowsWhatIsInUse) {
  const json known = golden()["usage_update"];
  const Variable after =
      usage_after(tensor(known["u"], {1, 4}), tensor(known["w_write"], {1, 4}),
                  tensor(known["w_read"], {1, 2, 4}), tensor(known["free"], {1, 2}));
  expect_near(after.value(), tensor(known["u_next"], {1, 4}), 1e-9);
}

}  // namespace
}  // namespace heed::models
