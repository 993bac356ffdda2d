// SPDX-License-Identifier: Apache-2.0
// What a run of any task looks at before it begins: that its folder and the model it starts from
// are not another task's.
#pragma once

#include <string>
#include <vector>

#include "heed/pipeline/run_options.h"

namespace heed::pipeline {

// The tasks whose models a training may take weights over from: its own, and for classifiers masked
// words, which have the same encoder.
std::vector<std::string> tasks_to_start_from(const std::string& task);

// UsageError when --out holds another task's model and --reset does not give it up, or --init-from
// names a model of a task that this one takes nothing over from.
void check_start(const RunOptions& options, const std::string& task);

}  // namespace heed::pipeline
