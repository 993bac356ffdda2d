// SPDX-License-Identifier: Apache-2.0
// How well a memory network answers, and whether its hops look at the facts that decide.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "heed/base/exported.h"
#include "heed/models/memory_network.h"
#include "heed/pipeline/memory/story_data.h"

namespace heed::pipeline {

// A task passes that has no more errors than this (Weston 2015).
inline constexpr double kPassingError = .05;

// What a model made of one question.
struct QuestionRead {
  text::Token best = text::kUnknown;
  double log_probability = 0;  // of the right answer; of one out of the vocabulary: -infinity
  // Of each hop the weights of the slots that are not empty, and at the end of all others together.
  std::vector<std::vector<double>> weights{};
};

std::vector<QuestionRead> read_questions(const models::MemoryNetwork& model,
                                         const StoryTable& table,
                                         std::span<const AskedQuestion> questions,
                                         const MemorySizes& sizes, std::int64_t batch = 256);

// Where a hop looked, over questions that name their supporting facts.
struct HopQuality {
  double top = 0;   // the share whose largest weight is on a supporting fact
  double mass = 0;  // the mean weight of supporting facts together
};

struct SupportQuality {
  std::uint64_t questions = 0;
  std::vector<HopQuality> hops{};
  double found = 0;      // the share of which some hop's largest weight is on a supporting fact
  double all_found = 0;  // the share of which each supporting fact has the largest of some hop
};

struct StoryQuality {
  std::string name{};
  std::uint64_t questions = 0;
  std::uint64_t wrong = 0;
  double loss = 0;  // mean -log p of the answers that the vocabulary has
  SupportQuality right{}, wrong_ones{};

  double error() const { return static_cast<double>(wrong) / static_cast<double>(questions); }
  bool passes() const { return error() <= kPassingError; }
};

StoryQuality quality_of(std::string name, std::span<const AskedQuestion> questions,
                        std::span<const QuestionRead> read);
HEED_EXPORTED double mean_error(std::span<const StoryQuality> tasks);

// What shows that a training has failed, each with what to change: no fewer errors than by saying
// the most frequent answer to everything, and hops that look at the empty slots alone.
std::vector<std::string> signs_of_collapse(std::span<const AskedQuestion> questions,
                                           std::span<const QuestionRead> read);

}  // namespace heed::pipeline
