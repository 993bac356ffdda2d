// SPDX-License-Identifier: Apache-2.0
// What a run of any kind of model looks at before it begins: that its folder and the model it
// starts from are not of another kind.
#pragma once

#include "heed/pipeline/model_kind.h"
#include "heed/pipeline/run_options.h"

namespace heed::pipeline {

// UsageError when --out holds a model of another kind and --reset does not give it up, or
// --init-from names a model of a kind that this one does not start from.
void check_start(const RunOptions& options, const ModelKind& kind);

}  // namespace heed::pipeline
