// SPDX-License-Identifier: Apache-2.0
// Shortest augmenting paths with potentials (Kuhn 1955, Munkres 1957, Jonker & Volgenant 1987).
#include "heed/attention/normalisers/best_matching.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "heed/attention/normalisers/first_of_equals.h"

namespace heed::attention {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();

// Costs are scores turned round. Potentials u and v keep cost - u - v at 0 or more, 0 where a row
// has its column; v is 0 for columns that no row has, and below it for others.
class Matching {
 public:
  Matching(std::span<const double> scores, std::size_t columns)
      : scores_(scores),
        rows_(scores.size() / columns),
        columns_(columns),
        u_(rows_, 0.0),
        v_(columns, 0.0),
        row_of_(columns, kNone),
        column_of_(rows_, kNone) {}

  std::optional<FoundStructure> found() {
    for (std::size_t row = 0; row < rows_; ++row) {
      if (!add(row)) return std::nullopt;
    }
    FoundStructure found{.tied = has_equal()};
    for (const std::size_t column : column_of_) {
      found.choices.push_back(static_cast<std::int32_t>(column));
    }
    return found;
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  double reduced(std::size_t row, std::size_t column) const {
    return -scores_[row * columns_ + column] - u_[row] - v_[column];
  }

  // Gives the row a column along the shortest path over which other rows change theirs.
  bool add(std::size_t row) {
    std::vector<double> distance(columns_, kFar);
    std::vector<std::size_t> from(columns_, kNone);  // the column before it on the path
    std::vector<bool> is_done(columns_, false);
    std::size_t now = kNone, at = row;
    double far = 0;
    while (at != kNone) {
      std::size_t next = kNone;
      for (std::size_t column = 0; column < columns_; ++column) {
        if (is_done[column]) continue;
        const double through = far + reduced(at, column);
        if (through < distance[column]) {
          distance[column] = through;
          from[column] = now;
        }
        if (distance[column] < (next == kNone ? kFar : distance[next])) next = column;
      }
      if (next == kNone) return false;
      now = next;
      far = distance[now];
      is_done[now] = true;
      at = row_of_[now];
    }
    u_[row] += far;
    for (std::size_t column = 0; column < columns_; ++column) {
      if (!is_done[column] || column == now) continue;
      const double shorter = far - distance[column];
      v_[column] -= shorter;
      u_[row_of_[column]] += shorter;
    }
    while (now != kNone) {
      const std::size_t before = from[now];
      const std::size_t mover = before == kNone ? row : row_of_[before];
      row_of_[now] = mover;
      column_of_[mover] = now;
      now = before;
    }
    return true;
  }

  // Whether another matching is as good, but for rounding: rows in a circle may pass their columns
  // on at no cost, or rows in a line of which the first leaves a column worth nothing and the last
  // takes one that nobody has.
  bool has_equal() const {
    double size = 0;
    for (const double score : scores_)
      size = std::isfinite(score) ? std::max(size, std::abs(score)) : size;
    const double nothing = 1e-12 * size;
    const auto is_free = [&](std::size_t row, std::size_t column) {
      return column != column_of_[row] && reduced(row, column) <= nothing;
    };
    enum class Visit { no, now, done };
    std::vector<Visit> visits(rows_, Visit::no);
    std::vector<bool> ends(rows_, false);  // whether a line from this row takes a new column
    struct Frame {
      std::size_t row, column;
    };
    for (std::size_t start = 0; start < rows_; ++start) {
      if (visits[start] != Visit::no) continue;
      std::vector<Frame> stack{{start, 0}};
      visits[start] = Visit::now;
      while (!stack.empty()) {
        auto& [row, column] = stack.back();
        if (column == columns_) {
          visits[row] = Visit::done;
          const bool end = ends[row];
          stack.pop_back();
          if (end && !stack.empty()) ends[stack.back().row] = true;
          continue;
        }
        const std::size_t tried = column++;
        if (!is_free(row, tried)) continue;
        const std::size_t other = row_of_[tried];
        if (other == kNone) {
          ends[row] = true;
        } else if (visits[other] == Visit::now) {
          return true;
        } else if (visits[other] == Visit::done) {
          if (ends[other]) ends[row] = true;
        } else {
          visits[other] = Visit::now;
          stack.push_back({other, 0});
        }
      }
    }
    for (std::size_t row = 0; row < rows_; ++row) {
      if (ends[row] && v_[column_of_[row]] >= -nothing) return true;
    }
    return false;
  }

  std::span<const double> scores_;
  std::size_t rows_, columns_;
  std::vector<double> u_, v_;
  std::vector<std::size_t> row_of_, column_of_;
};

}  // namespace

std::optional<std::vector<std::int32_t>> best_matching(std::span<const double> scores,
                                                       std::size_t columns) {
  if (scores.empty()) return std::vector<std::int32_t>();
  if (scores.size() / columns > columns) return std::nullopt;
  return first_of_equals(scores, columns, [&](std::span<const double> left) {
    return Matching(left, columns).found();
  });
}

}  // namespace heed::attention
