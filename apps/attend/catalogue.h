// SPDX-License-Identifier: Apache-2.0
// The catalogue of parts as JSON: what a mechanism can be written with.
#pragma once

#include <nlohmann/json.hpp>

#include "heed/attention/part_rows.h"

namespace heed::attend {

nlohmann::json to_json(const attention::PartRow& row);
nlohmann::json catalogue_json();

}  // namespace heed::attend
