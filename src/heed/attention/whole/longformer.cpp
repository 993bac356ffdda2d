// SPDX-License-Identifier: Apache-2.0
// Longformer: windows, dilated in some heads, and global tokens, which everybody sees and which see
// everything by projections of their own.
#include <algorithm>
#include <vector>

#include "heed/attention/compose/head_weights.h"
#include "heed/attention/patterns/interval.h"
#include "heed/attention/whole/seen.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/nn/initialisers.h"

namespace heed::attention {
namespace {

struct Longformer {
  std::int64_t window = 64;
  std::int64_t globals = 1;
  std::vector<std::string> dilation = {"1"};
  Variable W_Q, W_K, W_V;  // [D,D] or [H,D,D], on top of the projections of all tokens

  static Card card() {
    return {.name = "longformer",
            .summary =
                "A window of keys on either side, with gaps where a head is dilated, and the first "
                "tokens, which see everything by projections of their own.",
            .formula =
                "softmax(q Kᵀ / √d) over j = i + m·dilation, |m| ≤ reach, and j < global-tokens; "
                "of i < global-tokens (W_Q q)(K W_Kᵀ)ᵀ over all, which read V W_Vᵀ",
            .source = "Beltagy et al. 2020",
            .examples = {"reach=1", "reach=1, global-tokens=2, dilation=[2]",
                         "reach=0, global-tokens=0"}};
  }
  void declare(Options& options) {
    options.add("reach", window, "keys seen on either side").range(0, 1e6);
    options.add("global-tokens", globals, "how many tokens from the first are global")
        .range(0, 1 << 24);
    options.add("dilation", dilation,
                "distance from one seen key to the next, one for all heads or "
                "one for each");
  }
  void build(const MechanismShape& shape, Random&) {
    require_equal_widths("longformer", shape);
    steps_.clear();
    for (const std::string& text : dilation) {
      steps_.push_back(parse_integer(text, "longformer: a dilation"));
      if (steps_.back() < 1 || steps_.back() > 1000000) {
        throw UsageError("longformer: a dilation is {}: it takes a whole number from 1 to 1000000",
                         text);
      }
    }
    if (steps_.size() != 1 && std::cmp_not_equal(steps_.size(), shape.heads)) {
      throw UsageError("longformer: {} dilations and {} heads; it takes one, or one for each head",
                       steps_.size(), shape.heads);
    }
    if (globals == 0) return;
    // They begin as those of all tokens, as the authors' do.
    const auto unchanged = [](std::int64_t heads, std::int64_t width) {
      return head_parameter(heads, [width] {
        Tensor identity = Tensor::zeros({width, width});
        for (std::int64_t i = 0; i < width; ++i) identity.mutable_data()[i * width + i] = 1;
        return identity;
      });
    };
    W_Q = unchanged(shape.heads, shape.query_width);
    W_K = unchanged(shape.key_heads, shape.key_width);
    W_V = unchanged(shape.key_heads, shape.value_width);
  }
  void visit(nn::ParameterVisitor& visitor) {
    if (globals == 0) return;
    visitor("W_Q", W_Q);
    visitor("W_K", W_K);
    visitor("W_V", W_V);
  }

  Variable context(const WholeCall& call) const {
    const Variable local = softmax_context(local_inputs(call));
    const std::int64_t rows = global_rows(call);
    if (rows == 0) return local;
    return local + below(softmax_context(global_inputs(call, rows)), call);
  }
  Variable weights(const WholeCall& call) const {
    const Variable local = softmax_matrix(local_inputs(call));
    const std::int64_t rows = global_rows(call);
    if (rows == 0) return local;
    return local + below(softmax_matrix(global_inputs(call, rows)), call);
  }
  // Global rows read values of their own projection.
  Variable context_of(const Variable& weights, const WholeCall& call) const {
    const Variable values = seen_keys(call).values;
    const std::int64_t rows = global_rows(call);
    const Variable plain = combine(weights, values);
    if (rows == 0) return plain;
    const Variable own = combine(slice(weights, 2, 0, rows), project_heads(values, W_V));
    return where(is_global(call), below(own, call), plain);
  }

 private:
  static std::int64_t position(const WholeCall& call, std::int64_t batch, std::int64_t query) {
    return call.first[static_cast<std::size_t>(batch)] + query;
  }
  // How many rows from the first of the call hold all of its global queries.
  std::int64_t global_rows(const WholeCall& call) const {
    const std::int64_t first = *std::ranges::min_element(call.first);
    return std::clamp<std::int64_t>(globals - first, 0, call.query.size(2));
  }
  // [B,1,Q,1]
  Tensor is_global(const WholeCall& call) const {
    std::vector<std::int64_t> count;
    for (const std::int64_t first : call.first) {
      count.push_back(std::max<std::int64_t>(globals - first, 0));
    }
    const std::int64_t queries = call.query.size(2);
    const Tensor found = first_ones(count, queries);
    return found.defined() ? found : Tensor::full({call.query.size(0), 1, queries, 1}, 1);
  }
  static Variable below(const Variable& rows, const WholeCall& call) {
    return pad(rows, 2, {.before = 0, .after = call.query.size(2) - rows.size(2)});
  }

  SoftmaxInputs local_inputs(const WholeCall& call) const {
    const SeenKeys seen = seen_keys(call);
    const auto rows = [window = window, globals = globals, steps = steps_, visible = call.visible,
                       first = call.first, queries = call.query.size(2)](
                          std::int64_t batch, std::int64_t head, std::int64_t query,
                          std::vector<KeyRun>& runs) {
      runs.clear();
      const std::int64_t end = visible[static_cast<std::size_t>(batch * queries + query)];
      const std::int64_t place = first[static_cast<std::size_t>(batch)] + query;
      if (end <= 0 || place < globals) return;
      append_run(runs, {0, std::min(globals, end), 1});
      const std::int64_t step = steps[steps.size() == 1 ? 0 : static_cast<std::size_t>(head)];
      // The first of the window that is neither global nor before the first key.
      const std::int64_t left = std::min(window, (place - globals) / step);
      append_run(runs, {place - left * step, std::min(end, place + window * step + 1), step});
    };
    return {call.query, seen.keys, seen.values,
            pattern_of_rows({call.query.size(0), call.query.size(1), call.query.size(2)}, rows)};
  }
  SoftmaxInputs global_inputs(const WholeCall& call, std::int64_t rows) const {
    const SeenKeys seen = seen_keys(call);
    const std::int64_t queries = call.query.size(2);
    std::vector<std::int64_t> count;
    for (std::int64_t b = 0; b < call.query.size(0); ++b) {
      for (std::int64_t q = 0; q < rows; ++q) {
        const std::int64_t end = call.visible[static_cast<std::size_t>(b * queries + q)];
        count.push_back(position(call, b, q) < globals ? end : 0);
      }
    }
    return {project_heads(slice(call.query, 2, 0, rows), W_Q), project_heads(seen.keys, W_K),
            project_heads(seen.values, W_V), pattern_of_first(std::move(count), rows)};
  }

  std::vector<std::int64_t> steps_ = {1};
};

const ListedWhole<Longformer> kListed;

}  // namespace
}  // namespace heed::attention
