// SPDX-License-Identifier: Apache-2.0
// Early stopping: remembers the best validation by one metric, and when waiting for a better one
// has lasted too long.
#pragma once  // public header

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)  // exported

namespace heed::training {

enum class Better { lower, higher };

// A metric of validation: {"perplexity", Better::lower}, {"bleu", Better::higher}.
struct MetricKind {
  std::string name;
  Better better = Better::lower;
};

using Metrics = std::map<std::string, double>;  // by name

// The kind of that name; UsageError that lists the names there are.
const MetricKind& find_metric(std::span<const MetricKind> kinds, std::string_view name);

class EarlyStopping {
 public:
  // `patience` validations in a row without a better one are the end; 0: never.
  EarlyStopping(MetricKind metric, std::int64_t patience);

  const MetricKind& metric() const { return metric_; }

  // Whether this is the best so far; the first is, unless it is not a finite number. What is no
  // better than all validations in turn before it makes the wait longer.
  bool observe(double value, std::int64_t update);
  // The same for a validation out of turn: it may be the best, but the wait is what it was, so that
  // a run which has one takes the same course as a run without one.
  bool consider(double value, std::int64_t update);

  bool stop() const { return patience_ > 0 && state_.stale >= patience_; }

  struct State {
    std::optional<double> best = {};
    std::int64_t best_update = 0;
    std::optional<double> best_in_turn = {};
    std::int64_t stale = 0;  // validations in turn since that
  };
  const State& state() const { return state_; }
  void restore(const State& state) { state_ = state; }

 private:
  bool beats(double value, const std::optional<double>& other) const;

  MetricKind metric_;
  std::int64_t patience_;
  State state_;
};

}  // namespace heed::training

#pragma GCC visibility pop
