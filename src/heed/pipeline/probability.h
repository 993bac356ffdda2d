// SPDX-License-Identifier: Apache-2.0
// Probabilities are believed only when they are numbers.
#pragma once

#include <cstddef>
#include <string_view>

namespace heed::pipeline {

// The value, a probability or its logarithm. DataError for NaN, which damaged weights and diverged
// trainings give; the message names what it is of, such as "token 7".
double require_probability(double value, std::string_view what, std::size_t number);

}  // namespace heed::pipeline
