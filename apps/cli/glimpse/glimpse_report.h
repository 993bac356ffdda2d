// SPDX-License-Identifier: Apache-2.0
// What `heed glimpse` prints: classes and paths, and tables of errors.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "heed/pipeline/glimpse/glimpse_reader.h"

namespace heed::cli {

struct LookedImage {
  std::string name{};
  pipeline::GlimpsePath path{};
  std::vector<int> labels{};  // empty: not known
  std::vector<images::Box> boxes{};
};

// "probability 0.97, right", "probability 0.51; it is 3".
std::string looked_line(const pipeline::GlimpseReader& reader, const LookedImage& one);
std::string looked_text(const pipeline::GlimpseReader& reader, std::span<const LookedImage> all);
std::string looked_json(const pipeline::GlimpseReader& reader, std::span<const LookedImage> all);

// One way to choose places, and how well it did.
struct GlimpseRow {
  std::string name{};
  pipeline::GlimpseQuality quality{};
};
// The report is of the policy; nullptr: there is none.
std::string glimpse_table(std::span<const GlimpseRow> rows, const pipeline::PlaceReport* report);
std::string glimpse_json(std::span<const GlimpseRow> rows, const pipeline::PlaceReport* report);

}  // namespace heed::cli
