// SPDX-License-Identifier: Apache-2.0
// Nyströmformer: the matrix of softmax attention from a few of its rows and columns, those of
// landmarks, which are means of neighbouring queries and keys.
#include <algorithm>
#include <vector>

#include "heed/attention/whole/seen.h"
#include "heed/autograd/ops.h"

namespace heed::attention {
namespace {

// The means of neighbours that stand for rows of each sequence, and how many there are.
struct Landmarks {
  Variable rows;                    // [B,H,L,D], zeros after the count
  std::vector<std::int64_t> count;  // [B]
};

// x [B,H,N,D]; present[b] lists the rows that count, which are cut into segments of nearly the same
// size. Where there are no more of them than landmarks, each is one.
Landmarks landmarks_of(const Variable& x, const std::vector<std::vector<std::int64_t>>& present,
                       std::int64_t most) {
  const std::int64_t batch = x.size(0), all = x.size(2), landmarks = std::min(most, all);
  Tensor shares = Tensor::zeros({batch, 1, landmarks, all});
  Tensor there = Tensor::zeros({batch, 1, all, 1});
  Landmarks found;
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::vector<std::int64_t>& rows = present[static_cast<std::size_t>(b)];
    const auto n = static_cast<std::int64_t>(rows.size());
    const std::int64_t count = std::min(landmarks, n);
    found.count.push_back(count);
    for (std::int64_t l = 0; l < count; ++l) {
      const std::int64_t begin = l * n / count, end = (l + 1) * n / count;
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t row = rows[static_cast<std::size_t>(i)];
        shares.mutable_data()[(b * landmarks + l) * all + row] = 1 / static_cast<Real>(end - begin);
        there.mutable_data()[b * all + row] = 1;
      }
    }
  }
  found.rows = matmul(Variable(shares), where_seen(there, x));
  return found;
}

// A⁺ of A [B,H,M,N] whose entries are not negative, by the iteration of Razavi et al. 2014, which
// needs products only.
Variable pseudo_inverse(const Variable& a, int iterations) {
  const auto most = [](const Variable& sums) {
    const Variable found = maximum(sums, 2);
    const Variable one(Tensor::full({1}, 1));
    return reshape(where(found.value(), found, one), {found.size(0), found.size(1), 1, 1});
  };
  Variable z = transpose(a) / (most(sum(a, 2)) * most(sum(a, 3)));
  Tensor identity = Tensor::zeros({a.size(2), a.size(2)});
  for (std::int64_t i = 0; i < a.size(2); ++i) {
    identity.mutable_data()[i * a.size(2) + i] = 1;
  }
  const auto minus = [&](Real times, const Variable& x) { return Variable(identity * times) - x; };
  for (int i = 0; i < iterations; ++i) {
    const Variable az = matmul(a, z);
    z = matmul(z, minus(13, matmul(az, minus(15, matmul(az, minus(7, az)))))) * Real(0.25);
  }
  return z;
}

struct Nystrom {
  static constexpr bool kMixesKeys = true;
  static constexpr bool kMixesQueries = true;

  std::int64_t landmarks = 64;
  int iterations = 6;

  static Card card() {
    return {.name = "nystrom",
            .summary =
                "Softmax attention from landmarks, means of neighbouring queries and keys: exact "
                "where there are as many as keys and queries, and linear in the length.",
            .formula =
                "F A⁺ B V, F = softmax(Q K̃ᵀ / √d), A = softmax(Q̃ K̃ᵀ / √d), B = softmax(Q̃ "
                "Kᵀ / √d)",
            .source = "Xiong et al. 2021",
            .examples = {"landmarks=3", "landmarks=2, iterations=3"}};
  }
  void declare(Options& options) {
    options.add("landmarks", landmarks, "means of queries, and of keys").range(1, 65536);
    options.add("iterations", iterations, "of the pseudo-inverse A⁺").range(1, 1000);
  }
  void build(const MechanismShape& shape, Random&) const { require_equal_widths("nystrom", shape); }

  Variable context(const WholeCall& call) const {
    const Factors of = factors(call);
    const Variable read = softmax_context({.query = of.queries.rows,
                                           .keys = of.seen.keys,
                                           .values = of.seen.values,
                                           .pattern = keys_of_landmarks(of)});
    return softmax_context({.query = call.query,
                            .keys = for_each_head(of.keys.rows, call.query.size(1)),
                            .values = matmul(inverse(of), read),
                            .pattern = landmarks_of_queries(call, of)});
  }
  Variable weights(const WholeCall& call) const {
    const Factors of = factors(call);
    const Variable rows = softmax_matrix({.query = call.query,
                                          .keys = of.keys.rows,
                                          .values = {},
                                          .pattern = landmarks_of_queries(call, of)});
    const Variable columns = softmax_matrix({.query = of.queries.rows,
                                             .keys = of.seen.keys,
                                             .values = {},
                                             .pattern = keys_of_landmarks(of)});
    return matmul(rows, matmul(inverse(of), columns));
  }

 private:
  struct Factors {
    SeenKeys seen;
    std::vector<std::int64_t> counts;  // [B], keys that are seen
    Landmarks queries, keys;
  };
  Factors factors(const WholeCall& call) const {
    Factors of{.seen = seen_keys(call), .counts = most_seen(call), .queries = {}, .keys = {}};
    const std::int64_t queries = call.query.size(2);
    std::vector<std::vector<std::int64_t>> asking(of.counts.size()), answering(of.counts.size());
    for (std::size_t b = 0; b < of.counts.size(); ++b) {
      for (std::int64_t q = 0; q < queries; ++q) {
        const std::size_t row = b * static_cast<std::size_t>(queries) + static_cast<std::size_t>(q);
        if (call.visible[row] > 0) asking[b].push_back(q);
      }
      for (std::int64_t j = 0; j < of.counts[b]; ++j) answering[b].push_back(j);
    }
    of.queries = landmarks_of(call.query, asking, landmarks);
    of.keys = landmarks_of(of.seen.keys, answering, landmarks);
    return of;
  }
  // Row l of sequence b: first[b] of something where l < rows[b], else nothing.
  static std::shared_ptr<const BoundPattern> of_landmarks(const Landmarks& rows,
                                                          const std::vector<std::int64_t>& first) {
    std::vector<std::int64_t> count;
    for (std::size_t b = 0; b < first.size(); ++b) {
      for (std::int64_t l = 0; l < rows.rows.size(2); ++l) {
        count.push_back(l < rows.count[b] ? first[b] : 0);
      }
    }
    return pattern_of_first(std::move(count), rows.rows.size(2));
  }
  static std::shared_ptr<const BoundPattern> keys_of_landmarks(const Factors& of) {
    return of_landmarks(of.queries, of.counts);
  }
  static std::shared_ptr<const BoundPattern> landmarks_of_queries(const WholeCall& call,
                                                                  const Factors& of) {
    const auto queries = static_cast<std::size_t>(call.query.size(2));
    std::vector<std::int64_t> count;
    for (std::size_t i = 0; i < call.visible.size(); ++i) {
      count.push_back(call.visible[i] > 0 ? of.keys.count[i / queries] : 0);
    }
    return pattern_of_first(std::move(count), call.query.size(2));
  }
  Variable inverse(const Factors& of) const {
    return pseudo_inverse(softmax_matrix({.query = of.queries.rows,
                                          .keys = of.keys.rows,
                                          .values = {},
                                          .pattern = of_landmarks(of.queries, of.keys.count)}),
                          iterations);
  }
};

const ListedWhole<Nystrom> kListed;

}  // namespace
}  // namespace heed::attention
