// SPDX-License-Identifier: Apache-2.0
// tensor: the allowed keys are given as a boolean mask.
#include "heed/attention/patterns/interval.h"
#include "heed/base/error.h"

namespace heed::attention {
namespace {

class BoundTensor final : public BoundPattern {
 public:
  explicit BoundTensor(const PatternCall& call)
      : mask_batch_(call.mask_batch),
        mask_heads_(call.mask_heads),
        queries_(call.queries),
        keys_(call.keys),
        mask_(call.mask) {}

  // Stops at the first row that makes the tile mixed.
  TileCover classify(std::int64_t batch, std::int64_t head, Range queries,
                     Range keys) const override {
    TileCover result = cover_of(batch, head, queries.begin, keys);
    for (std::int64_t q = queries.begin + 1; q < queries.end && result != TileCover::mixed; ++q) {
      result = together(result, cover_of(batch, head, q, keys));
    }
    return result;
  }

  void runs(std::int64_t batch, std::int64_t head, std::int64_t query,
            std::vector<KeyRun>& runs) const override {
    runs.clear();
    const auto row = row_of(batch, head, query);
    const auto is_zero = [](std::uint8_t flag) { return flag == 0; };
    for (auto begin = row.begin(); begin != row.end();) {
      begin = std::find_if_not(begin, row.end(), is_zero);
      const auto end = std::find_if(begin, row.end(), is_zero);
      append_run(runs, {begin - row.begin(), end - row.begin(), 1});
      begin = end;
    }
  }

 private:
  TileCover cover_of(std::int64_t batch, std::int64_t head, std::int64_t query, Range keys) const {
    const auto row = row_of(batch, head, query);
    const auto masked = std::count(row.begin() + keys.begin, row.begin() + keys.end, 0);
    if (masked == 0) return TileCover::full;
    return masked == keys.size() ? TileCover::empty : TileCover::mixed;
  }
  std::span<const std::uint8_t> row_of(std::int64_t batch, std::int64_t head,
                                       std::int64_t query) const {
    const std::int64_t b = mask_batch_ == 1 ? 0 : batch;
    const std::int64_t h = mask_heads_ == 1 ? 0 : head;
    const std::int64_t row = (b * mask_heads_ + h) * queries_ + query;
    return mask_.subspan(static_cast<std::size_t>(row * keys_), static_cast<std::size_t>(keys_));
  }
  std::int64_t mask_batch_;
  std::int64_t mask_heads_;
  std::int64_t queries_;
  std::int64_t keys_;
  std::span<const std::uint8_t> mask_;
};

void check_axis(std::string_view name, std::int64_t size, std::int64_t wanted) {
  if (size != 1 && size != wanted) {
    throw UsageError("tensor: the mask has {} {}; it takes 1 or {}", size, name, wanted);
  }
}

struct MaskTensor {
  static Card card() {
    return {.name = "tensor",
            .summary =
                "The keys that a boolean mask allows; it is given with the batch and may be "
                "shared by sequences and heads.",
            .formula = "mask[b, h, i, j] = true",
            .source = "Vaswani et al. 2017",
            .reads = {Given::mask}};
  }
  void declare(Options&) {}
  std::unique_ptr<BoundPattern> bind(const PatternCall& call) const {
    check_axis("sequences", call.mask_batch, call.batch);
    check_axis("heads", call.mask_heads, call.heads);
    check_data("tensor", "mask", call.mask.size(), "batch, heads, queries, keys",
               {call.mask_batch, call.mask_heads, call.queries, call.keys});
    return std::make_unique<BoundTensor>(call);
  }
};

const ListedPattern<MaskTensor> kListed;

}  // namespace
}  // namespace heed::attention
