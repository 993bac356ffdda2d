// SPDX-License-Identifier: Apache-2.0
// Reading and summing by offset: each is the gradient of the other.
#include "heed/attention/biases/relative.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "heed/kernels/elementwise.h"
#include "heed/tensor/arithmetic.h"
#include "heed/tensor/reduce.h"

namespace heed::attention {
namespace {

constexpr std::size_t kRowGrain = 16384;  // elements

// Calls body(row, q) for all rows of x [B,H,Q,...].
template <typename Body>
void for_rows(const Offsets& offsets, std::int64_t rows, const Body& body) {
  const auto work = static_cast<std::size_t>(offsets.keys + offsets.columns);
  parallel_for(static_cast<std::size_t>(rows), kRowGrain / (work + 1) + 1,
               [&](std::size_t begin, std::size_t end) {
                 for (auto row = static_cast<std::int64_t>(begin);
                      row < static_cast<std::int64_t>(end); ++row) {
                   body(row, row % offsets.queries);
                 }
               });
}

std::int64_t rows_of(const Shape& shape) {
  return shape[0] * shape[1] * shape[2];
}

// y [B,H,Q,K] = scores + x, x [B,H,Q,R].
Tensor read(const Tensor& scores, const Tensor& x, const Offsets& offsets) {
  Tensor y = scores.clone();
  Real* out = y.mutable_data();
  const std::int64_t heads = scores.size(1), queries = scores.size(2), keys = scores.size(3);
  for_rows(offsets, rows_of(scores.shape()), [&](std::int64_t row, std::int64_t q) {
    const std::int64_t head = row / queries;
    const Real* from =
        x.data() + head / heads * x.stride(0) + head % heads * x.stride(1) + q * x.stride(2);
    const std::int32_t* column = offsets.row(q);
    for (std::int64_t k = 0; k < keys; ++k) out[row * keys + k] += from[column[k] * x.stride(3)];
  });
  return y;
}

// [B,H,Q,K] -> [B,H,Q,R]
Tensor gather_sums(const Tensor& weights, const Offsets& offsets) {
  const Tensor from = weights.packed();
  Tensor y = Tensor::zeros(weights.shape().with(3, offsets.columns));
  Real* out = y.mutable_data();
  for_rows(offsets, rows_of(weights.shape()), [&](std::int64_t row, std::int64_t q) {
    const std::int32_t* column = offsets.row(q);
    for (std::int64_t k = 0; k < offsets.keys; ++k) {
      out[row * offsets.columns + column[k]] += from.data()[row * offsets.keys + k];
    }
  });
  return y;
}

// Row q of a head reads its line from queries - 1 - q on, so that a tile's row is a piece of it.
class LineChange final : public ScoreChange {
 public:
  LineChange(const Tensor& lines, std::int64_t queries, bool learnt)
      : lines_(lines.packed()),
        length_(static_cast<std::size_t>(lines.size(1))),
        queries_(static_cast<std::size_t>(queries)),
        learnt_(learnt) {}
  void change(const ScoreTile& scores) const noexcept override {
    for (std::size_t r = 0; r < scores.rows; ++r) {
      kernels::add_scaled<Real>(1, lines_.data() + place(scores, r), scores.row(r), scores.columns);
    }
  }
  void derivative(const ScoreTileBefore& tile, Real* gradient,
                  Real* parameters) const noexcept override {
    if (!learnt_) return;
    for (std::size_t r = 0; r < tile.rows; ++r) {
      kernels::add_scaled<Real>(1, gradient + r * tile.stride, parameters + place(tile, r),
                                tile.columns);
    }
  }
  std::size_t parameter_count() const noexcept override {
    return learnt_ ? static_cast<std::size_t>(lines_.size()) : 0;
  }
  bool adds() const noexcept override { return true; }

 private:
  template <typename Tile>
  std::size_t place(const Tile& tile, std::size_t r) const {
    return tile.head * length_ + (queries_ - 1 - (tile.query + r)) + tile.key;
  }
  Tensor lines_;
  std::size_t length_, queries_;
  bool learnt_;
};

void check(const Shape& scores, const Offsets& offsets) {
  if (scores.rank() != 4 || scores[2] != offsets.queries || scores[3] != offsets.keys) {
    throw InternalError("relative: scores {} for {} queries and {} keys", scores.text(),
                        offsets.queries, offsets.keys);
  }
}

}  // namespace

Offsets::Offsets(std::int64_t first_query, std::int64_t queries, std::int64_t keys,
                 std::int64_t columns,
                 const std::function<std::int64_t(std::int64_t offset)>& column_of)
    : first_query(first_query), queries(queries), keys(keys), columns(columns) {
  const std::int64_t last = first_query + queries - 1;
  for (std::int64_t offset = -last; offset < keys - first_query; ++offset) {
    column.push_back(static_cast<std::int32_t>(column_of(offset)));
  }
}

Variable offset_lines(const Variable& table, std::int64_t heads, const Offsets& offsets) {
  const auto length = static_cast<std::int64_t>(offsets.column.size());
  const Tensor from =
      table.value().reshape({-1, offsets.columns}).expand({heads, offsets.columns}).packed();
  Tensor lines({heads, length});
  Real* out = lines.mutable_data();
  for (std::int64_t h = 0; h < heads; ++h) {
    const Real* row = from.data() + h * offsets.columns;
    for (const std::int32_t column : offsets.column) *out++ = row[column];
  }
  return record("offset_lines", lines, {table},
                [offsets, heads, shape = table.shape()](const Tensor& dy) -> Gradients {
                  const Tensor d_lines = dy.packed();
                  const Real* d_line = d_lines.data();
                  Tensor d_table = Tensor::zeros({heads, offsets.columns});
                  Real* d_row = d_table.mutable_data();
                  for (std::int64_t h = 0; h < heads; ++h, d_row += offsets.columns) {
                    for (const std::int32_t column : offsets.column) d_row[column] += *d_line++;
                  }
                  const Shape spread = shape.rank() == 1 ? Shape{1, shape[0]} : shape;
                  return {sum_to(d_table, spread).reshape(shape)};
                });
}

TileChange add_lines(const Variable& lines, std::int64_t queries) {
  const bool learnt = lines.needs_gradient();
  return {std::make_shared<LineChange>(lines.value(), queries, learnt),
          learnt ? lines : Variable()};
}

Variable add_by_offset(const Variable& scores, const Variable& x, const Offsets& offsets) {
  check(scores.shape(), offsets);
  return record("add_by_offset", read(scores.value(), x.value(), offsets), {scores, x},
                [offsets](const Tensor& dy, Needs needs) -> Gradients {
                  return {dy, needs[1] ? Gradient(gather_sums(dy, offsets)) : Gradient()};
                });
}

Variable sum_by_offset(const Variable& weights, const Offsets& offsets) {
  check(weights.shape(), offsets);
  return record("sum_by_offset", gather_sums(weights.value(), offsets), {weights},
                [offsets, shape = weights.shape()](const Tensor& dy) -> Gradients {
                  return {read(Tensor::zeros(shape), dy, offsets)};
                });
}

}  // namespace heed::attention
