// SPDX-License-Identifier: Apache-2.0
// For tests of biases: make one by name with its parameters, and a call with query and keys.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/attention/bias.h"
#include "heed/attention/scores/testing.h"

namespace heed::attention {

inline std::unique_ptr<Bias> made_bias(const std::string& name,
                                       const std::vector<Argument>& arguments = {},
                                       const BiasShape& shape = {
                                           .query_width = 3, .key_width = 3, .value_width = 2}) {
  const auto* entry = Catalogue<Bias>::find(name);
  if (entry == nullptr) throw InternalError("no bias \"{}\" in the catalogue", name);
  auto part = entry->make();
  Options options;
  part->declare(options);
  set_options(options, name, arguments);
  Random random(11);
  part->build(shape, random);
  return part;
}

// Scores [1,heads,queries,keys] that are all 0, through the bias; the queries are at
// first_query, ...
struct BiasRun {
  std::int64_t heads = 1;
  std::int64_t queries = 1;
  std::int64_t keys = 1;
  std::int64_t first_query = 0;
  Variable query = Variable(heed::testing::wavy({1, heads, queries, 3}));
  Variable key = Variable(heed::testing::wavy({1, 1, keys, 3}, 1));

  BiasCall call() const {
    return {.query = query, .keys = key, .first_query = first_query, .all_heads = heads};
  }
  Tensor of(const Bias& part) const {
    return part.transform(Tensor::zeros({1, heads, queries, keys}), call()).value();
  }
};

}  // namespace heed::attention
