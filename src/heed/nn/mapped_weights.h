// SPDX-License-Identifier: Apache-2.0
// Weights that stay in their file: parameters that look into a memory map of it, so that a model is
// there at once, however large it is, and processes that use the same file share its pages.
#pragma once

#include <string>

#include "heed/base/exported.h"
#include "heed/nn/module.h"

namespace heed::nn {

// As load(), for a model that is used and not learnt: where the file holds numbers of the type that
// tensors have, its parameters are those of the file from now on, and writing them is a UsageError.
// Other files are read as load() reads them. The file must be replaced by renaming, as Heed does,
// and never changed in its place.
HEED_EXPORTED void load_mapped(const Parameters& parameters, const std::string& path);

}  // namespace heed::nn
