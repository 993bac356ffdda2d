// SPDX-License-Identifier: Apache-2.0
// Strides of operands: which are taken as they lie, and how results are laid out.
#include "heed/attention/fused/operands.h"

#include <gtest/gtest.h>

#include "heed/attention/fused/testing.h"

namespace heed::attention {
namespace {

TEST(FusedOperands, AreTakenAsTheyLieWhenRowsAreDense) {
  const Tensor inside = wavy({2, 5, 3, 8}).transpose(1, 2);  // [B,S,H,D] seen as [B,H,S,D]
  EXPECT_EQ(with_dense_rows(inside).data(), inside.data());
  const kernels::Heads<const Real> heads = view(inside);
  EXPECT_EQ(*heads.row(1, 2, 4), inside.at({1, 2, 4, 0}));
}

TEST(FusedOperands, AreCopiedWhenTheItemsOfARowLieApart) {
  const Tensor turned = wavy({1, 1, 4, 6}).transpose();
  const Tensor dense = with_dense_rows(turned);
  EXPECT_EQ(dense.stride(3), 1);
  expect_near(dense, turned, 0);
}

TEST(FusedOperands, GiveResultsTheirOwnLayout) {
  const Tensor outside = wavy({2, 3, 5, 8});
  EXPECT_EQ(laid_out_as(outside, {2, 3, 5, 4}).stride(1), 20);
  EXPECT_EQ(laid_out_as(outside.transpose(1, 2), {2, 5, 3, 4}).stride(1), 4);
}

// One query row for all batches: stride 0, read many times, its gradient added up.
TEST(FusedOperands, MayRepeatARow) {
  Random random(1);
  const Mechanism look("scaled_dot", {.query_width = 8, .key_width = 8, .value_width = 8}, random);
  const Memory memory = look.memory(Variable(wavy({3, 1, 9, 8})), Variable(wavy({3, 1, 9, 8}, 1)));
  const auto gradient = [&](bool fuse) {
    const Variable query = Variable::leaf(wavy({1, 1, 4, 8}, 2));
    const Variable repeated = concat({query, query, query}, 0);
    backward(look.attend(repeated, memory, {}, {.fuse = fuse}).context, wavy({3, 1, 4, 8}, 3));
    return query.gradient();
  };
  expect_near(gradient(true), gradient(false), 1e-5);
  const Variable stretched(wavy({1, 1, 4, 8}, 2).expand({3, 1, 4, 8}));
  expect_near(look.attend(stretched, memory).context.value(),
              look.attend(stretched, memory, {}, {.fuse = false}).context.value(), 1e-5);
}

}  // namespace
}  // namespace heed::attention
