// SPDX-License-Identifier: Apache-2.0
// Tests of the pattern tensor.
#include "heed/attention/patterns/testing.h"
#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed::attention::test {
namespace {

TEST(TensorMask, AllowsWhatTheMaskSays) {
  Random random(7);
  for (const std::int64_t batch : {1, 2}) {
    for (const std::int64_t heads : {1, 3}) {
      std::vector<std::uint8_t> mask(static_cast<std::size_t>(batch * heads * 9 * 20));
      for (auto& flag : mask) flag = random.integer(4) > 0 ? 255 : 0;
      std::fill(mask.begin(), mask.begin() + 40, 0);        // two rows that see nothing
      std::fill(mask.begin() + 60, mask.begin() + 120, 1);  // three that see all
      const PatternCall call = {.batch = 2,
                                .heads = 3,
                                .queries = 9,
                                .keys = 20,
                                .first_query = 2,
                                .mask = mask,
                                .mask_batch = batch,
                                .mask_heads = heads};
      expect_follows(*make_pattern("tensor"), call, [&](auto b, auto h, auto i, auto j) {
        const auto row = ((batch == 1 ? 0 : b) * heads + (heads == 1 ? 0 : h)) * 9 + i - 2;
        return mask[row * 20 + j] != 0;
      });
    }
  }
}

TEST(TensorMask, RefusesAMaskThatDoesNotFit) {
  const auto message = [](std::size_t size, std::int64_t heads) {
    const std::vector<std::uint8_t> mask(size);
    return heed::test::message_of<UsageError>([&] {
      make_pattern("tensor")->bind(
          {.heads = 4, .queries = 2, .keys = 3, .mask = mask, .mask_heads = heads});
    });
  };
  EXPECT_EQ(message(5, 1),
            "tensor: mask has 5 values; [batch, heads, queries, keys] is [1, 1, 2, 3]");
  EXPECT_EQ(message(12, 2), "tensor: the mask has 2 heads; it takes 1 or 4");
}

}  // namespace
}  // namespace heed::attention::test
