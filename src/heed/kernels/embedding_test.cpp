// SPDX-License-Identifier: Apache-2.0
// Gather and scatter-add of table rows against their definitions.
#include "heed/kernels/embedding.h"

#include <gtest/gtest.h>

#include <vector>

#include "heed/base/random.h"
#include "heed/base/threads.h"
#include "heed/kernels/testing.h"

namespace heed::kernels {
namespace {

constexpr std::size_t kTableRows = 11;

std::vector<std::int32_t> some_ids(std::size_t count) {
  Random random(count);
  std::vector<std::int32_t> ids(count);
  for (std::int32_t& id : ids) id = static_cast<std::int32_t>(random.integer(kTableRows + 1)) - 1;
  return ids;
}

template <typename T>
class Embedding : public testing::Test {};
using Scalars = testing::Types<float, double>;
TYPED_TEST_SUITE(Embedding, Scalars);

template <typename T>
void expect_gather_and_scatter(std::size_t count, std::size_t columns, std::size_t offset) {
  const std::vector<std::int32_t> ids = some_ids(count);
  const RowIds rows{
      .ids = ids.data(), .count = count, .table_rows = kTableRows, .columns = columns};
  GuardedBuffer<T> table(kTableRows * columns, offset), y(count * columns, offset);
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<T>(i + 1);
  gather_rows(table.data(), rows, y.data());
  std::vector<T> expected(table.data(), table.data() + table.size());
  for (std::size_t i = 0; i < count * columns; ++i) {
    const std::int32_t id = ids[i / columns];
    ASSERT_EQ(y[i], id < 0 ? T{0} : table[id * columns + i % columns]);
    y[i] = static_cast<T>(i % 13);
    if (id >= 0) expected[id * columns + i % columns] += y[i];
  }
  scatter_add_rows(y.data(), rows, table.data());
  // Small whole numbers: the sums are exact, so equality is the right test.
  for (std::size_t i = 0; i < table.size(); ++i) ASSERT_EQ(table[i], expected[i]);
}

TYPED_TEST(Embedding, GathersAndScattersAtEverySmallSizeAndOffset) {
  for (std::size_t count = 0; count <= 5; ++count) {
    for (std::size_t columns = 1; columns <= 67; ++columns) {
      ASSERT_NO_FATAL_FAILURE(
          expect_gather_and_scatter<TypeParam>(count, columns, (count + columns) % 4));
    }
  }
}

TYPED_TEST(Embedding, GathersAndScattersManyRowsWhateverTheThreadCount) {
  for (const int count : {1, 2, 3}) {
    ThreadScope scope(count);
    ASSERT_NO_FATAL_FAILURE(expect_gather_and_scatter<TypeParam>(1500, 131, 1));
  }
}

TYPED_TEST(Embedding, AddsRowsInOrderWhateverTheThreadCount) {
  const std::size_t count = 3000, columns = 64;
  const std::vector<std::int32_t> ids(count, 2);
  const RowIds rows{.ids = ids.data(), .count = count, .table_rows = 3, .columns = columns};
  Random random(4);
  std::vector<TypeParam> dy(count * columns);
  for (TypeParam& value : dy) value = random.uniform<TypeParam>();
  std::vector<TypeParam> alone(3 * columns), together(3 * columns);
  {
    ThreadScope scope(1);
    scatter_add_rows(dy.data(), rows, alone.data());
  }
  {
    ThreadScope scope(2);
    scatter_add_rows(dy.data(), rows, together.data());
  }
  EXPECT_EQ(alone, together);
}

TYPED_TEST(Embedding, IgnoresAnyChosenId) {
  const std::vector<std::int32_t> ids = {0, 1};
  const RowIds rows{.ids = ids.data(), .count = 2, .table_rows = 2, .columns = 1, .ignored = 0};
  std::vector<TypeParam> table = {5, 6}, y(2);
  gather_rows(table.data(), rows, y.data());
  EXPECT_EQ(y, (std::vector<TypeParam>{0, 6}));
  scatter_add_rows(y.data(), rows, table.data());
  EXPECT_EQ(table, (std::vector<TypeParam>{5, 12}));
}

}  // namespace
}  // namespace heed::kernels
