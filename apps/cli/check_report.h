// SPDX-License-Identifier: Apache-2.0
// What `heed check` found, for people and as JSON.
#pragma once

#include <string>
#include <vector>

#include "heed/pipeline/data_check.h"
#include "heed/pipeline/training_cost.h"

namespace heed::cli {

struct TriedTraining {
  std::string command;  // "heed train classify"
  std::string preset;   // empty: none
  pipeline::TrainingCost cost{};
  std::string problem{};  // why it could not be tried; empty: it was
};

struct CheckReport {
  std::string task;  // the kind of model whose data these are taken for
  std::string noun;
  bool guessed = false;
  pipeline::DataCheck check{};
  std::vector<TriedTraining> trainings{};
};

std::string report_text(const CheckReport& report);
std::string report_json(const CheckReport& report);

}  // namespace heed::cli
