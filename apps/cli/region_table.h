// SPDX-License-Identifier: Apache-2.0
// Where weights lie in images, as verbs print it: for people, and as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "heed/metrics/regions.h"

namespace heed::cli {

// Mass and pointing, beside those of weights that do not look.
std::string region_table(const metrics::RegionScore& score);
// Adds "mass", "pointing", "uniform" and "centre".
void add_regions(nlohmann::ordered_json& object, const metrics::RegionScore& score);

}  // namespace heed::cli
