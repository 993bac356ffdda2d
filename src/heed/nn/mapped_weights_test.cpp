// SPDX-License-Identifier: Apache-2.0
#include "heed/nn/mapped_weights.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "heed/nn/linear.h"

namespace heed::nn {
namespace {

struct Pair {
  Linear first, second;
  void visit(ParameterVisitor& visitor) {
    visitor("first", first);
    visitor("second", second);
  }
};

Pair random_pair(std::uint64_t seed) {
  Random random(seed);
  return {{3, 4, random}, {4, 2, random}};
}

TEST(MappedWeights, AreThoseOfTheFileAndOutliveIt) {
  const test::TemporaryFolder folder;
  const std::string path = (folder / "pair.safetensors").string();
  Pair saved = random_pair(1), loaded = random_pair(2);
  const Linear copy = loaded.second;  // of one weight with it
  save(parameters(saved), path);
  load_mapped(parameters(loaded), path);
  std::filesystem::remove(path);
  EXPECT_EQ(loaded.first.weight.value().values(), saved.first.weight.value().values());
  EXPECT_EQ(copy.weight.value().values(), saved.second.weight.value().values());
  const Variable x(Tensor::of({1, 3}, {1, 2, 3}));
  EXPECT_EQ(loaded.second(loaded.first(x)).value().values(),
            saved.second(saved.first(x)).value().values());
  EXPECT_THROW(loaded.first.weight.mutable_value().mutable_data(), UsageError);
}

TEST(MappedWeights, OfFewerBitsAreReadAndThoseThatDoNotFitAreRefused) {
  const test::TemporaryFolder folder;
  const std::string path = (folder / "pair.safetensors").string();
  Pair saved = random_pair(1), loaded = random_pair(2);
  save(parameters(saved), path, {}, DType::kBF16);
  load_mapped(parameters(loaded), path);
  EXPECT_NEAR(loaded.first.weight.value().at({0, 0}), saved.first.weight.value().at({0, 0}), 1e-2);
  EXPECT_NO_THROW(loaded.first.weight.mutable_value().mutable_data());
  Random random(1);
  Linear other(3, 4, random);
  EXPECT_THROW(load_mapped(parameters(other), path), DataError);
}

}  // namespace
}  // namespace heed::nn
