// SPDX-License-Identifier: Apache-2.0
// Continuous attention: one query over the 144 cells of a grid by 100 basis functions, and over the
// words of a line by 60, on one thread.
#include <string>
#include <vector>

#include "cli/bench/harness.h"
#include "heed/attention/attention.h"
#include "heed/autograd/ops.h"
#include "heed/base/random.h"
#include "heed/base/threads.h"

namespace heed::cli {
namespace {

constexpr std::int64_t kCells = 144, kWidth = 64;

Variable made(const Shape& shape, Random& random) {
  Tensor values(shape);
  fill_normal(std::span(values.mutable_data(), static_cast<std::size_t>(values.size())), random);
  return Variable::leaf(values);
}

std::vector<BenchRow> continuous_rows() {
  const ThreadScope one(1);
  std::vector<BenchRow> rows;
  const struct {
    const char* name;
    const char* form;
  } cases[] = {{"continuous_softmax", "continuous"},
               {"continuous_sparsemax", "continuous(of=sparsemax)"},
               {"continuous_grid_softmax", "continuous_grid"},
               {"continuous_grid_sparsemax", "continuous_grid(of=sparsemax)"}};
  for (const auto& [name, form] : cases) {
    Random random(1);
    const auto look = attention::make_attention(
        form, {.query_width = kWidth, .key_width = kWidth, .value_width = kWidth}, random);
    const Variable query = made({1, 1, 1, kWidth}, random);
    Variable keys = made({1, 1, kCells, kWidth}, random);
    const attention::Memory memory = look->memory(keys, keys);
    const double bytes = 3.0 * kCells * kWidth * sizeof(Real);
    rows.push_back(measure(std::string(name) + "_q1", {.bytes = bytes}, [&] {
      const NoGradient off;
      look->attend(query, memory);
    }));
    rows.push_back(measure(std::string(name) + "_q1_backward", {.bytes = 2 * bytes}, [&] {
      backward(sum(look->attend(query, memory).context));
      keys.clear_gradient();
    }));
  }
  return rows;
}

const ListedBenchmark kListed({"continuous", "a query of continuous attention over 144 keys",
                               continuous_rows});

}  // namespace
}  // namespace heed::cli
