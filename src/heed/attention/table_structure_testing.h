// SPDX-License-Identifier: Apache-2.0
// For tests of normalisers over tables: the exact weights, gradients and sums by listing every
// structure.
#pragma once

#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <vector>

#include "heed/attention/matrix_testing.h"

namespace heed::attention {

// A matrix of the golden file, its rows one after the other.
inline std::vector<double> matrix_of(const nlohmann::json& rows) {
  std::vector<double> all;
  for (const auto& row : rows) {
    const auto values = row.get<std::vector<double>>();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

using Choices = std::vector<std::int32_t>;  // the key of each query

// All lists of keys of allowed cells that `is_structure` takes, in their order as lists.
inline std::vector<Choices> structures_of(const TableData<double>& data,
                                          const std::function<bool(const Choices&)>& is_structure) {
  std::vector<Choices> all;
  Choices choices(static_cast<std::size_t>(data.queries), 0);
  const auto allowed = [&] {
    for (std::size_t q = 0; q < choices.size(); ++q) {
      if (!data.allows(q * static_cast<std::size_t>(data.keys) +
                       static_cast<std::size_t>(choices[q]))) {
        return false;
      }
    }
    return true;
  };
  for (bool more = true; more;) {
    if (allowed() && is_structure(choices)) all.push_back(choices);
    more = false;
    for (std::size_t q = choices.size(); q-- > 0 && !more;) {
      if (++choices[q] < data.keys) {
        more = true;
      } else {
        choices[q] = 0;
      }
    }
  }
  return all;
}

// The distribution exp(score) over structures: what each cell is worth in it.
struct EnumeratedTables {
  double log_sum = 0;
  std::vector<double> weights;   // [Q,K]
  std::vector<double> gradient;  // [Q,K], of <weights, upstream>: the covariance times it
  Choices best = {};             // the first of equals
};
inline EnumeratedTables enumerated(const TableData<double>& data,
                                   const std::vector<Choices>& structures,
                                   const std::vector<double>& upstream) {
  const auto cell = [&](const Choices& choices, std::size_t q) {
    return q * static_cast<std::size_t>(data.keys) + static_cast<std::size_t>(choices[q]);
  };
  const auto sum_over = [&](const Choices& choices, const std::vector<double>& values) {
    double sum = 0;
    for (std::size_t q = 0; q < choices.size(); ++q) sum += values[cell(choices, q)];
    return sum;
  };
  double top = -std::numeric_limits<double>::infinity();
  EnumeratedTables found{.weights = std::vector<double>(data.scores.size(), 0.0),
                         .gradient = std::vector<double>(data.scores.size(), 0.0)};
  for (const Choices& choices : structures) {
    const double score = sum_over(choices, data.scores);
    if (score > top) {
      top = score;
      found.best = choices;
    }
  }
  long double total = 0;
  for (const Choices& choices : structures) {
    total += std::exp(static_cast<long double>(sum_over(choices, data.scores)) - top);
  }
  found.log_sum = top + static_cast<double>(std::log(total));
  double mean = 0;
  for (const Choices& choices : structures) {
    const auto p = static_cast<double>(
        std::exp(static_cast<long double>(sum_over(choices, data.scores)) - top) / total);
    const double value = sum_over(choices, upstream);
    mean += p * value;
    for (std::size_t q = 0; q < choices.size(); ++q) {
      found.weights[cell(choices, q)] += p;
      found.gradient[cell(choices, q)] += p * value;
    }
  }
  for (std::size_t i = 0; i < found.weights.size(); ++i) {
    found.gradient[i] -= found.weights[i] * mean;
  }
  return found;
}

// Numbers without a pattern; with `step` above 0 rounded to it, so that scores tie.
inline std::vector<double> uneven(std::size_t n, double spread, int seed, double step = 0) {
  std::vector<double> numbers(n);
  for (std::size_t i = 0; i < n; ++i) {
    numbers[i] = spread * std::sin(12.9898 * (static_cast<double>(i) + 1) + 78.233 * (seed + 0.1) +
                                   static_cast<double>(i * i) * 0.7);
    if (step > 0) numbers[i] = step * std::round(numbers[i] / step);
  }
  return numbers;
}

inline double maximum_of(const Normaliser& part, const TableData<double>& data) {
  return *matrix_part(part).table_maximum(PackedTable<double>(data).table());
}
inline Choices best_of(const Normaliser& part, const TableData<double>& data) {
  return matrix_part(part).best(PackedTable<double>(data).table());
}

}  // namespace heed::attention
