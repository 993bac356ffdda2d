// SPDX-License-Identifier: Apache-2.0
// synthesizer: scores that no key has a part in, from the query alone or from positions alone.
#include "heed/attention/compose/head_weights.h"
#include "heed/attention/score.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

enum class Synthesis { dense, random, factorised };

struct Synthesizer {
  Synthesis kind = Synthesis::dense;
  std::int64_t length = 512;
  std::int64_t size = 64;
  bool trained = true;
  Variable W1, b1, W2, b2;  // dense: [size,D], [size], [length,size], [length], or [H,...]
  Variable R1, R2;          // random: [length,length]; factorised: twice [length,size]

  static Card card() {
    return {.name = "synthesizer",
            .summary =
                "Scores that no key has a part in: a network of the query says which positions it "
                "wants, or each pair of positions has a number, or a product of two vectors.",
            .formula = "dense: (W₂ relu(W₁ q + b₁) + b₂)_j; random: R_ij; factorised: (R₁ R₂ᵀ)_ij",
            .source = "Tay et al. 2021",
            .examples = {"length=16, size=3", "kind=random, length=16",
                         "kind=factorised, length=16, size=2"}};
  }
  void declare(Options& options) {
    options.add("kind", kind, {"dense", "random", "factorised"}, "where the scores come from");
    options.add("length", length, "the most keys, and queries, there may be").range(1, 1 << 24);
    options.add("size", size, "units of the hidden layer, or numbers of a factor's row")
        .range(1, 65536);
    options.add("trained", trained, "learn random and factorised scores; else they stay as drawn");
  }
  void build(const ScoreShape& shape, Random& random) {
    const auto drawn = [&](const Shape& of) {
      return head_parameter(shape.heads, [&] { return nn::glorot_uniform(of, random); });
    };
    const auto zeros = [&](std::int64_t n) {
      return head_parameter(shape.heads, [n] { return Tensor::zeros({n}); });
    };
    if (kind == Synthesis::dense) {
      if (!trained) throw UsageError("synthesizer: dense scores are learnt; trained is true");
      W1 = drawn({size, shape.query_width});
      b1 = zeros(size);
      W2 = drawn({length, size});
      b2 = zeros(length);
    } else if (kind == Synthesis::random) {
      R1 = drawn({length, length});
    } else {
      R1 = drawn({length, size});
      R2 = drawn({length, size});
    }
  }
  void visit(nn::ParameterVisitor& visitor) {
    if (kind == Synthesis::dense) {
      visitor("W1", W1);
      visitor("b1", b1);
      visitor("W2", W2);
      visitor("b2", b2);
    } else {
      visitor("R1", R1);
      if (kind == Synthesis::factorised) visitor("R2", R2);
    }
  }
  Variable score(const Variable& query, const Variable& keys, const ScoreCall& call) const {
    const std::int64_t count = keys.size(2), queries = query.size(2);
    const std::int64_t end = kind == Synthesis::dense ? 0 : call.first_query + queries;
    if (count > length || end > length) {
      throw UsageError(
          "synthesizer: {} keys and queries up to place {}; length is {}, set it to "
          "the most there will be",
          count, call.first_query + queries, length);
    }
    if (kind == Synthesis::dense) {
      const Variable hidden = relu(project_heads(query, W1) + along_heads(b1, 1));
      return project_heads(hidden, slice(W2, -2, 0, count)) +
             along_heads(slice(b2, -1, 0, count), 1);
    }
    Variable rows = slice(trained ? R1 : stop_gradient(R1), -2, call.first_query, end);
    if (kind == Synthesis::random) {
      rows = slice(rows, -1, 0, count);
    } else {
      const Variable columns = slice(trained ? R2 : stop_gradient(R2), -2, 0, count);
      rows = matmul(rows, transpose(columns));
    }
    return expand(rows, {query.size(0), query.size(1), queries, count});
  }
};

const ListedScore<Synthesizer> kListed;

}  // namespace
}  // namespace heed::attention
