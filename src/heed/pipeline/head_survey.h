// SPDX-License-Identifier: Apache-2.0
// A survey of the heads of a model on data: what each does, how much the loss hangs on it, what its
// removal costs, and how few of them will do.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/attention/site.h"
#include "heed/base/exported.h"
#include "heed/base/options.h"
#include "heed/insight/heads/head_roles.h"
#include "heed/pipeline/watched.h"
#include "heed/text/heads.h"

namespace heed::pipeline {

struct HeadSurveyOptions {
  insight::RoleOptions roles{};
  bool prune = false;
  double penalty = .1;            // of gates: what it costs to leave all heads open
  std::int64_t gate_steps = 150;  // of learning them
  std::uint64_t seed = 1;         // of their noise and of the random order

  // --frequent, --prune, --penalty, --gate-steps, --seed.
  HEED_EXPORTED void declare(Options& options);
};

struct SurveyedHead {
  attention::Site site{};
  int head = 0;
  insight::HeadRoles roles{};
  std::optional<double> alpha{};  // of entmax: 1 is softmax, 2 sparsemax
  // The mean over examples of |d loss / d gate|, the loss of a unit, at an open gate (Michel 2019).
  double importance = 0;
  double added_loss = 0;         // of a unit, when it reads nothing
  double lost_right = 0;         // the share of units that were right and are so no more
  std::optional<double> open{};  // where gates were learnt: the chance that its own is not 0

  // "encoder self", "pooling food": with the aspect and hop of a site that has several.
  HEED_EXPORTED std::string set() const;
  HEED_EXPORTED std::string name() const;  // "encoder self 1.3"
};

struct PruningStep {
  std::size_t heads = 0;  // that are left
  double loss = 0;        // of a unit
  double right = 0;       // share
};

struct PruningCurve {
  std::string order;  // "importance", "gates", "random": which head goes first
  std::vector<PruningStep> steps{};
};

struct HeadSurvey {
  std::vector<SurveyedHead> heads{};  // by site, then by head
  std::size_t examples = 0;
  double units = 0;
  std::string unit{};
  double loss = 0;  // of a unit
  double right = 0;
  bool links = false;                   // whether some examples had links that fit their words
  std::vector<std::string> left_out{};  // attentions that no roles are known of
  // With `prune`: chosen on every second example, measured on the others.
  std::vector<PruningCurve> curves{};
  std::optional<std::size_t> open{};  // heads whose learnt gate is open without noise
};

// `links`: of the words of each example's first text, in the order of the data; none: unknown.
// `done` is told how much of all work is done. UsageError for a model without attention that gives
// weights.
HEED_EXPORTED HeadSurvey
survey_heads(const Watched& data, const HeadSurveyOptions& options = {},
             std::span<const text::Heads> links = {},
             const std::function<void(std::uint64_t done, std::uint64_t total)>& done = {});

}  // namespace heed::pipeline
