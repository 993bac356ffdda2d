// SPDX-License-Identifier: Apache-2.0
// The seal of a model folder: what the weights' metadata keep of the other files, so that one that
// does not belong to them is noticed and named.
//
//   "config"        the options of config.toml that make the model what it is
//   "file NAME"     the fingerprint of each file of the kind, such as "file source.tokeniser"
#pragma once

#include <map>
#include <string>

#include "heed/pipeline/model_folder.h"
#include "heed/pipeline/model_kind.h"

namespace heed::pipeline {

using Metadata = std::map<std::string, std::string>;

// Of the files that lie in the folder now.
Metadata seal_of(const ModelFolder& folder, const ModelKind* kind);

// DataError naming the file that is not the one of the seal, and what to do; the config must be one
// that can be read. Weights without a seal
// are those of an older heed: a warning.
void check_seal(const ModelFolder& folder, const ModelKind& kind, const Metadata& metadata);

}  // namespace heed::pipeline
