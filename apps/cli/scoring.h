// SPDX-License-Identifier: Apache-2.0
// Scoring: how `heed score` works with one kind of model. A kind whose models score lists its own
// in its folder, with the options that only it has.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "cli/trace_cli.h"
#include "heed/base/options.h"

namespace heed::cli {

// What every kind takes.
struct ScoreCall {
  std::vector<std::string> model{};
  bool tokens = false;
  bool summary = false;
  std::int64_t batch_tokens = 2048;
  TraceOutput trace{};
};

class Scoring {
 public:
  virtual ~Scoring() = default;
  virtual void declare(Options& list) = 0;
  // Which of its options to give: "--source and --target, or --pairs".
  virtual std::string wants() const = 0;
  // Scores and prints.
  virtual void run(ScoreCall& call) = 0;
};

struct ListedScoring {
  std::string kind;  // of models
  std::unique_ptr<Scoring> (*make)();
};

// By kind.
const std::vector<ListedScoring>& scorings();

struct ScoringListing {
  ScoringListing(std::string kind, std::unique_ptr<Scoring> (*make)());
};

}  // namespace heed::cli
