// SPDX-License-Identifier: Apache-2.0
// Files of points. In those with answers a line is a set, as Vinyals 2015 published them:
//
//   0.99 0.92 0.24 0.80 0.43 0.33 output 1 2 3 1
//
// coordinates, then the points of the answer from 1 on, a polygon's first once more at its end.
// Without answers a set may also be rows of one point each, sets apart by an empty line, or JSON.
#pragma once  // public header

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "heed/corpora/points/point_sets.h"

#pragma GCC visibility push(default)  // exported

namespace heed::corpora {

// A set on one line: "x y x y", "x,y x,y", either with "output 1 2 3"; of one feature numbers
// alone. DataError that opens with `where` for anything else, NaN and infinities included.
PointSet parse_point_line(std::string_view line, int features, const std::string& where);
// The same in reverse, with coordinates that read back to the same bits: "x,y x,y".
std::string written_points(std::span<const Point> points, int features);

// Every set of a file, plain or gz: lines with several points, CSV or TSV rows of one point each
// (a first row of names is passed over), or JSON: [[x, y], ...], a list of such lists, or
// {"points": ...}. DataError with file and line.
std::vector<PointSet> read_point_sets(const std::filesystem::path& path, int features);
// The same of text in memory.
std::vector<PointSet> parse_point_sets(std::string_view text, int features,
                                       const std::string& name);

// The sets of a file to learn from: each has an answer. DataError with file and line for one that
// has none, whose points coincide, or whose answer is not among its points or says one twice.
std::vector<PointSet> read_answered_sets(const std::filesystem::path& path, int features = 2);

// What the answers of these are: hulls, shortest or other tours of all points, or something else.
PointTask task_of_answers(std::span<const PointSet> sets);

}  // namespace heed::corpora

#pragma GCC visibility pop
