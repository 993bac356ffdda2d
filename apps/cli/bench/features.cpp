// SPDX-License-Identifier: Apache-2.0
// Attention by features, which linear attention and Performer share: causal, 8,192 tokens, 64
// features and 64 columns of values, one head on one thread; features are given.
#include <algorithm>
#include <numeric>
#include <vector>

#include "cli/bench/harness.h"
#include "heed/base/random.h"
#include "heed/base/threads.h"
#include "heed/kernels/attention/feature_attention.h"

namespace heed::cli {
namespace {

constexpr std::size_t kFeatureLength = 8192, kFeatures = 64, kValueColumns = 64, kFeatureChunk = 64;

// Of the products that each token takes part in: the sums read and added to, and of its own chunk
// the half that it sees, weighed and read.
constexpr double kForwardFlops = kFeatureLength * (2.0 * 2 * kFeatures * kValueColumns +
                                                   kFeatureChunk * (kFeatures + kValueColumns));
// Every product of forward has two gradients; the sums and the weights of a chunk are made again,
// and slopes of a chunk twice.
constexpr double kBackwardFlops =
    kFeatureLength *
    (5.0 * 2 * kFeatures * kValueColumns + kFeatureChunk * (3.0 * kFeatures + 3.0 * kValueColumns));

std::vector<float> uniform_numbers(std::size_t count, float low, std::uint64_t seed) {
  Random random(seed);
  std::vector<float> x(count);
  std::ranges::generate(x, [&] { return low + random.uniform<float>(); });
  return x;
}

std::vector<BenchRow> feature_rows() {
  const std::vector<float> query = uniform_numbers(kFeatureLength * kFeatures, 0, 1),
                           keys = uniform_numbers(kFeatureLength * kFeatures, 0, 2),
                           values = uniform_numbers(kFeatureLength * kValueColumns, -0.5F, 3),
                           slopes = uniform_numbers(kFeatureLength * kValueColumns, -0.5F, 4);
  std::vector<std::int64_t> seen(kFeatureLength), order(kFeatureLength);
  std::iota(seen.begin(), seen.end(), std::int64_t{1});
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::vector<float> context(values.size()), totals(kFeatureLength), d_query(query.size()),
      d_keys(keys.size()), d_values(values.size());
  const kernels::FeatureAttentionShape shape{.batch = 1,
                                             .key_heads = 1,
                                             .group = 1,
                                             .queries = kFeatureLength,
                                             .keys = kFeatureLength,
                                             .features = kFeatures,
                                             .columns = kValueColumns};
  const kernels::FeatureAttentionInput<float> in{query.data(), keys.data(), values.data(),
                                                 nullptr,      seen.data(), order.data()};
  const ThreadScope scope(1);
  const auto forward = [&] {
    kernels::feature_attention<float>(shape, in, context.data(), totals.data());
  };
  const auto backward = [&] {
    kernels::feature_attention_backward<float>(
        shape, in, context.data(), totals.data(), slopes.data(),
        {d_query.data(), d_keys.data(), d_values.data(), nullptr});
  };
  return {measure_paired("features_8192", kForwardFlops, {forward}, 2),
          measure_paired("features_back_8192", kBackwardFlops, {backward}, 2)};
}

const ListedBenchmark kListed({"features",
                               "causal linear attention over 8,192 tokens, given features",
                               feature_rows});

}  // namespace
}  // namespace heed::cli
