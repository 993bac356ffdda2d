// SPDX-License-Identifier: Apache-2.0
// What `heed ask` prints: answers with the sentences that each hop looked at, and how many of a
// file's questions were answered right.
#pragma once

#include <span>
#include <string>

#include "heed/pipeline/memory/asker.h"
#include "heed/pipeline/memory/story_quality.h"

namespace heed::cli {

// Answers, then a line for each sentence with its weights, supporting facts with a star; or one
// JSON object on a line.
std::string answer_text(const pipeline::StoryAnswer& answer);
std::string answer_json(const pipeline::StoryAnswer& answer);
// Sentences down, hops across, the answer on top.
std::string answer_svg(const pipeline::StoryAnswer& answer);

// A line for each task, then the mean and how often hops looked at supporting facts; or one JSON
// object.
std::string quality_text(std::span<const pipeline::StoryQuality> tasks);
std::string quality_json(std::span<const pipeline::StoryQuality> tasks);

}  // namespace heed::cli
