// SPDX-License-Identifier: Apache-2.0
// Averaging files of weights: the mean of the last checkpoints often beats each of them.
#pragma once  // public header

#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "heed/base/dtype.h"

#pragma GCC visibility push(default)  // exported

namespace heed::training {

// Writes the mean of the inputs to `output`, atomically: tensor by tensor, so that beside the
// result one tensor at a time is in memory. Inputs are safetensors files of the same names, shapes
// and dtypes; of checkpoints only the parameters are taken, under their own names. Floating-point
// tensors are averaged in double and stored as `dtype`, rounded to nearest (without one: as F64
// where the inputs are, else as F32); all others must be equal. `metadata` become the output's.
// UsageError without inputs, and for a weight that F16 has no room for; DataError that lists what
// differs, with both files.
void average(std::span<const std::filesystem::path> inputs, const std::filesystem::path& output,
             const std::map<std::string, std::string>& metadata = {},
             std::optional<DType> dtype = {});

}  // namespace heed::training

#pragma GCC visibility pop
