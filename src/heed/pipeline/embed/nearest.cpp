// SPDX-License-Identifier: Apache-2.0
// Cosines of all pairs, in tiles.
#include <algorithm>
#include <cmath>

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/pipeline/embed/text_embedder.h"

namespace heed::pipeline {
namespace {

constexpr std::int64_t kKeysAtOnce = 8192;
constexpr std::int64_t kQueriesAtOnce = 256;
// Cosines are found in float, and those that could be among the best once more in double.
constexpr std::size_t kSpare = 16;

bool better(const Nearest& one, const Nearest& other) {
  return one.cosine != other.cosine ? one.cosine > other.cosine : one.place < other.place;
}

void keep_best(std::vector<Nearest>& all, std::size_t count) {
  if (all.size() <= count) return;
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(count), better);
  all.resize(count);
}

std::span<const Real> row_of(const Tensor& rows, std::int64_t row) {
  const auto width = static_cast<std::size_t>(rows.size(1));
  return {rows.data() + static_cast<std::size_t>(row) * width, width};
}

Tensor units(const Tensor& rows) {
  const NoGradient values_only;
  return models::unit_rows(Variable(rows)).value().packed();
}

// [q,k]
Tensor cosines(const Tensor& queries, const Tensor& keys) {
  const NoGradient values_only;
  return matmul(Variable(queries), transpose(Variable(keys), 0, 1)).value().packed();
}

}  // namespace

double cosine_of(std::span<const Real> first, std::span<const Real> second) {
  double dot = 0, one = 0, other = 0;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto a = static_cast<double>(first[i]), b = static_cast<double>(second[i]);
    dot += a * b;
    one += a * a;
    other += b * b;
  }
  return one > 0 && other > 0 ? std::clamp(dot / std::sqrt(one * other), -1., 1.) : 0;
}

std::vector<std::vector<Nearest>> nearest(const Tensor& queries, const Tensor& keys,
                                          std::size_t count) {
  if (queries.rank() != 2 || keys.rank() != 2 || queries.size(1) != keys.size(1)) {
    throw UsageError("nearest: queries {} and keys {}; it takes rows of one width",
                     queries.shape().text(), keys.shape().text());
  }
  const Tensor asked = units(queries), given = units(keys);
  const std::size_t kept = count + kSpare;
  std::vector<std::vector<Nearest>> all(static_cast<std::size_t>(queries.size(0)));
  for (std::int64_t q = 0; q < queries.size(0); q += kQueriesAtOnce) {
    const std::int64_t last_query = std::min(q + kQueriesAtOnce, queries.size(0));
    for (std::int64_t k = 0; k < keys.size(0); k += kKeysAtOnce) {
      const std::int64_t last_key = std::min(k + kKeysAtOnce, keys.size(0));
      const Tensor scores =
          cosines(asked.slice(0, q, last_query).packed(), given.slice(0, k, last_key).packed());
      for (std::int64_t i = 0; i < scores.size(0); ++i) {
        std::vector<Nearest>& mine = all[static_cast<std::size_t>(q + i)];
        const std::span<const Real> row = row_of(scores, i);
        for (std::size_t j = 0; j < row.size(); ++j) {
          mine.push_back({static_cast<std::size_t>(k) + j, static_cast<double>(row[j])});
        }
        keep_best(mine, kept);
      }
    }
  }
  const Tensor exact_queries = queries.packed(), exact_keys = keys.packed();
  for (std::size_t q = 0; q < all.size(); ++q) {
    for (Nearest& one : all[q]) {
      one.cosine = cosine_of(row_of(exact_queries, static_cast<std::int64_t>(q)),
                             row_of(exact_keys, static_cast<std::int64_t>(one.place)));
    }
    std::ranges::sort(all[q], better);
    if (all[q].size() > count) all[q].resize(count);
  }
  return all;
}

PairSearch search_pairs(const Tensor& first, const Tensor& second) {
  PairSearch search;
  const Tensor asked = units(first), given = units(second);
  for (std::int64_t q = 0; q < first.size(0); q += kQueriesAtOnce) {
    const std::int64_t last = std::min(q + kQueriesAtOnce, first.size(0));
    const Tensor scores = cosines(asked.slice(0, q, last).packed(), given);
    for (std::int64_t i = 0; i < scores.size(0); ++i) {
      const std::span<const Real> row = row_of(scores, i);
      const Real own = row[static_cast<std::size_t>(q + i)];
      std::size_t before = 0;
      for (std::size_t j = 0; j < row.size(); ++j) {
        // Of equal ones the own text is the last: a model that tells nothing apart finds nothing.
        if (j != static_cast<std::size_t>(q + i) && row[j] >= own) ++before;
      }
      search.found.push_back(before == 0 ? 1 : 0);
      search.by_rank.push_back(1 / (1 + static_cast<double>(before)));
    }
  }
  return search;
}

}  // namespace heed::pipeline
