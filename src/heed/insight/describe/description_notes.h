// SPDX-License-Identifier: Apache-2.0
// What the parts of models are, by the names that modules give them: the one place that knows.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "heed/insight/describe/description.h"

namespace heed::insight {

// One line on the part at this path, empty where its name says it all.
std::string note_of(const std::string& path, const ModelFacts& facts);

// Whether a token is looked up in it and not multiplied by it. A table that is the output's too is
// multiplied.
bool is_table(const std::string& path, const ModelFacts& facts);

// Paths of the modules that attend.
std::vector<std::string> attention_modules(const ModelFacts& facts);

// The written form of what attends there, as far as known.
std::string mechanism_at(const std::string& module, const ModelFacts& facts);

// Whether decoding keeps the keys and values of this attention for each token.
bool keeps_keys(const std::string& module, const ModelFacts& facts);

// Where a token meets a part of this name, among its neighbours: lower is earlier.
int flow_rank(std::string_view name);

// Parts that have a formula and no parameters, such as sinusoidal positions.
std::vector<Part> fixed_parts(const ModelFacts& facts);

// "812", "1.05 M"
std::string human_count(double count);

}  // namespace heed::insight
