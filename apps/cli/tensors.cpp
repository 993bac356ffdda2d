// SPDX-License-Identifier: Apache-2.0
// The verb `tensors`: names, shapes, dtypes and statistics of a safetensors file.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "heed/base/safetensors.h"
#include "heed/base/text.h"

namespace heed::cli {
namespace {

using nlohmann::json;

// Of the finite values, except for the counts of the others.
struct Statistics {
  std::uint64_t finite = 0;
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();
  double mean = 0;
  double squares = 0;  // sum of squared distances from the mean
  std::uint64_t zeros = 0;
  std::uint64_t nans = 0;
  std::uint64_t infinities = 0;

  double deviation() const { return std::sqrt(squares / static_cast<double>(finite)); }
};

template <typename T>
Statistics statistics_of(const std::vector<T>& values) {
  Statistics s;
  double sum = 0;
  for (const T value : values) {
    const auto number = static_cast<double>(value);
    if (std::isnan(number)) {
      ++s.nans;
    } else if (std::isinf(number)) {
      ++s.infinities;
    } else {
      ++s.finite;
      s.min = std::min(s.min, number);
      s.max = std::max(s.max, number);
      s.zeros += number == 0;
      sum += number;
    }
  }
  if (s.finite == 0) return s;
  s.mean = sum / static_cast<double>(s.finite);
  for (const T value : values) {
    const double distance = static_cast<double>(value) - s.mean;
    if (std::isfinite(distance)) s.squares += distance * distance;
  }
  return s;
}

// Two parts into one: Chan, Golub and LeVeque 1979.
Statistics merge(const Statistics& a, const Statistics& b) {
  Statistics s;
  s.finite = a.finite + b.finite;
  s.min = std::min(a.min, b.min);
  s.max = std::max(a.max, b.max);
  s.zeros = a.zeros + b.zeros;
  s.nans = a.nans + b.nans;
  s.infinities = a.infinities + b.infinities;
  if (s.finite == 0) return s;
  const double share = static_cast<double>(b.finite) / static_cast<double>(s.finite);
  const double apart = b.mean - a.mean;
  s.mean = a.mean + apart * share;
  s.squares = a.squares + b.squares + apart * apart * static_cast<double>(a.finite) * share;
  return s;
}

// In pieces: a tensor may be larger than the memory that is left.
Statistics statistics_of(const SafetensorsFile& file, const TensorInfo& info) {
  constexpr std::uint64_t kPiece = 64 * 1024;  // values
  Statistics whole;
  const std::uint64_t step = kPiece * dtype_bytes(info.dtype);
  for (std::uint64_t done = 0; done < info.bytes; done += step) {
    TensorInfo piece = info;
    piece.offset += done;
    piece.bytes = std::min(step, info.bytes - done);
    whole = merge(whole, is_floating(info.dtype) ? statistics_of(file.read<double>(piece))
                                                 : statistics_of(file.read<std::int64_t>(piece)));
  }
  return whole;
}

json to_json(const TensorInfo& info, const Statistics& s) {
  const auto of_finite = [&](double value) { return s.finite > 0 ? json(value) : json(nullptr); };
  return {{"name", info.name},
          {"dtype", dtype_name(info.dtype)},
          {"shape", info.shape},
          {"count", info.count()},
          {"bytes", info.bytes},
          {"min", of_finite(s.min)},
          {"max", of_finite(s.max)},
          {"mean", of_finite(s.mean)},
          {"deviation", of_finite(s.deviation())},
          {"zeros", s.zeros},
          {"nan", s.nans},
          {"inf", s.infinities}};
}

// A name from a file, fit for a terminal: control characters escaped as in JSON.
std::string printable(const std::string& name) {
  const bool plain = std::ranges::none_of(name, [](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7F || c == '\xC2';  // C2 opens U+0080..9F
  });
  return plain ? name : json(name).dump(-1, ' ', true);
}

using Row = std::array<std::string, 11>;

Row row_of(const TensorInfo& info, const Statistics& s) {
  const auto of_finite = [&](double value) {
    return s.finite > 0 ? fmt::format("{:.4g}", value) : std::string("-");
  };
  return {printable(info.name),
          std::string(dtype_name(info.dtype)),
          fmt::format("[{}]", fmt::join(info.shape, ",")),
          fmt::format("{}", info.count()),
          of_finite(s.min),
          of_finite(s.max),
          of_finite(s.mean),
          of_finite(s.deviation()),
          fmt::format("{}", s.zeros),
          fmt::format("{}", s.nans),
          fmt::format("{}", s.infinities)};
}

void print_table(const std::vector<Row>& rows) {
  constexpr std::size_t kTexts = 3;  // the first columns are texts, the others numbers
  std::array<std::size_t, std::tuple_size_v<Row>> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) line += "  ";
      line += i < kTexts ? pad_right(row[i], widths[i]) : pad_left(row[i], widths[i]);
    }
    fmt::print("{}\n", line);
  }
}

struct TensorsVerb {
  std::string path;
  bool json = false;

  Options list;

  TensorsVerb() { list.add("json", json, "print a JSON array instead of a table"); }
};

void run(const TensorsVerb& verb) {
  const SafetensorsFile file(verb.path);
  json list = json::array();
  std::vector<Row> rows = {{"name", "dtype", "shape", "values", "min", "max", "mean", "deviation",
                            "zeros", "NaN", "inf"}};
  std::uint64_t values = 0;
  std::uint64_t bytes = 0;
  for (const TensorInfo& info : file.tensors()) {
    const Statistics statistics = statistics_of(file, info);
    if (verb.json) {
      list.push_back(to_json(info, statistics));
    } else {
      rows.push_back(row_of(info, statistics));
    }
    values += info.count();
    bytes += info.bytes;
  }
  if (verb.json) {
    fmt::print("{}\n", list.dump(2));
    return;
  }
  print_table(rows);
  fmt::print("{} tensors, {} values, {}\n", file.tensors().size(), values, human_bytes(bytes));
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<TensorsVerb>();
  line.add("FILE", verb->path, "safetensors file").required().kind("");
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed(
    {.name = "tensors",
     .summary = "List the tensors of a safetensors file with their statistics",
     .description = "Lists every tensor of a safetensors file by name: dtype, shape, and of its "
                    "finite values minimum, maximum, mean and deviation; zeros, NaN and infinite "
                    "values are counted.",
     .example = "heed tensors model.safetensors\nheed tensors model.safetensors --json",
     .setup = set_up});

}  // namespace
}  // namespace heed::cli
