// SPDX-License-Identifier: Apache-2.0
// Stepping, choosing, dropping rows, and reading outputs off the tree.
#include "heed/decoding/frontier.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "heed/base/error.h"

namespace heed::decoding {
namespace {

// A log-probability may exceed 0 by rounding, by no more.
constexpr double kRounding = 1e-3;

bool in_place(std::span<const Frontier::Choice> choices, std::size_t rows) {
  if (choices.size() != rows) return false;
  for (std::size_t i = 0; i < rows; ++i) {
    if (choices[i].row != static_cast<std::int32_t>(i)) return false;
  }
  return true;
}

}  // namespace

Frontier::Frontier(Stepper& stepper, FrontierOptions options)
    : stepper_(stepper), options_(std::move(options)) {
  const auto sentences = static_cast<std::int32_t>(stepper_.rows());
  const Ids sources = stepper_.source_lengths();
  if (sources.defined()) source_lengths_ = sources.values();
  limits_ = sentence_limits(
      options_.constraints,
      {.count = sentences, .source_lengths = source_lengths_, .longest = stepper_.longest()});
  std::vector<std::int32_t> order;
  for (std::int32_t sentence = 0; sentence < sentences; ++sentence) {
    for (int copy = 0; copy < options_.copies; ++copy) {
      rows_.push_back({sentence, kRoot, 0});
      order.push_back(sentence);
    }
  }
  if (options_.copies > 1 && !order.empty()) {
    stepper_.reorder(Ids::of({static_cast<std::int64_t>(order.size())}, order));
  }
}

Tensor Frontier::step() {
  const auto count = static_cast<std::int64_t>(rows_.size());
  Ids tokens({count});
  std::ranges::transform(rows_, tokens.mutable_data(), [&](const Row& row) {
    return row.node == kRoot ? text::kBegin : nodes_[static_cast<std::size_t>(row.node)].token;
  });
  attention::Trace trace;
  Tensor found = stepper_.step(tokens, traces() ? &trace : nullptr).packed();
  if (traces()) traces_.push_back(std::move(trace));
  if (found.rank() != 2 || found.size(0) != count || found.size(1) <= text::kEnd ||
      (vocabulary_ != 0 && found.size(1) != vocabulary_)) {
    throw InternalError("search: log-probabilities of shape {} at step {}; {} rows of {} expected",
                        found.shape().text(), length_, count,
                        vocabulary_ == 0 ? "a vocabulary" : std::to_string(vocabulary_));
  }
  if (vocabulary_ == 0) check_tokens(options_.constraints, found.size(1));
  vocabulary_ = found.size(1);

  changed_.assign(rows_.size(), {});
  const auto width = static_cast<std::size_t>(vocabulary_);
  Real* data = found.mutable_data();
  text::Tokens history(static_cast<std::size_t>(length_));
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    std::int32_t node = rows_[row].node;
    for (std::size_t i = history.size(); i > 0; --i) {
      history[i - 1] = nodes_[static_cast<std::size_t>(node)].token;
      node = nodes_[static_cast<std::size_t>(node)].parent;
    }
    changed_[row] = constrain(options_.constraints, limits(rows_[row].sentence), history,
                              std::span(data + row * width, width));
  }
  ++length_;
  return found;
}

Real Frontier::by_the_model(const Choice& choice) const {
  for (const Changed& change : changed_[static_cast<std::size_t>(choice.row)]) {
    if (change.token == choice.token) return change.before;
  }
  return choice.log_probability;
}

std::int32_t Frontier::write(const Choice& choice) {
  const Row& row = rows_[static_cast<std::size_t>(choice.row)];
  const Real value = by_the_model(choice);
  if (!(value <= kRounding)) {
    throw DataError(
        "search: sentence {}, token {}: the model gives piece {} the log-probability {}, and 0 is "
        "the most; its weights are damaged, or training has diverged",
        row.sentence, length_ - 1, choice.token, value);
  }
  nodes_.push_back({row.node, choice.token, choice.row, value});
  return static_cast<std::int32_t>(nodes_.size()) - 1;
}

void Frontier::go_on(std::span<const Choice> choices, std::span<const std::int32_t> nodes) {
  std::vector<Row> next;
  next.reserve(choices.size());
  for (std::size_t i = 0; i < choices.size(); ++i) {
    next.push_back(
        {rows_[static_cast<std::size_t>(choices[i].row)].sentence, nodes[i], total(choices[i])});
  }
  if (!choices.empty() && !in_place(choices, rows_.size())) {
    Ids order({static_cast<std::int64_t>(choices.size())});
    std::ranges::transform(choices, order.mutable_data(), &Choice::row);
    stepper_.reorder(order);
  }
  rows_ = std::move(next);
}

std::vector<Frontier::Node> Frontier::path(std::int32_t node) const {
  std::vector<Node> nodes;
  for (; node != kRoot; node = nodes.back().parent) {
    nodes.push_back(nodes_[static_cast<std::size_t>(node)]);
  }
  std::ranges::reverse(nodes);
  return nodes;
}

HypothesisRows Frontier::passage(std::int32_t sentence, std::span<const std::int32_t> rows) const {
  const std::int64_t source =
      source_lengths_.empty() ? 0 : source_lengths_[static_cast<std::size_t>(sentence)];
  return {.steps = traces_, .rows = rows, .source_length = source};
}

Hypothesis Frontier::hypothesis(std::int32_t sentence, std::int32_t node) const {
  Hypothesis found;
  std::vector<std::int32_t> rows;
  for (const Node& step : path(node)) {
    if (step.token == text::kEnd) {
      found.finished = true;
    } else {
      found.tokens.push_back(step.token);
    }
    found.log_probability += step.log_probability;
    found.token_log_probabilities.push_back(static_cast<float>(step.log_probability));
    rows.push_back(step.row);
  }
  found.score = found.log_probability;
  if (options_.attentions) found.attentions = follow(passage(sentence, rows));
  return found;
}

std::vector<double> Frontier::coverage_of(std::int32_t sentence, std::int32_t node) const {
  std::vector<std::int32_t> rows;
  for (const Node& step : path(node)) rows.push_back(step.row);
  return coverage(passage(sentence, rows));
}

}  // namespace heed::decoding
