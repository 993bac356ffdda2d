// SPDX-License-Identifier: Apache-2.0
// A survey of heads as a table, as JSON and as pictures.
#pragma once

#include <string>

#include "heed/pipeline/head_survey.h"

namespace heed::cli {

std::string heads_text(const pipeline::HeadSurvey& survey);
std::string heads_json(const pipeline::HeadSurvey& survey);
std::string heads_svg(const pipeline::HeadSurvey& survey);
std::string heads_png(const pipeline::HeadSurvey& survey);
std::string pruning_svg(const pipeline::HeadSurvey& survey);

}  // namespace heed::cli
