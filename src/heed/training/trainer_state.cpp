// SPDX-License-Identifier: Apache-2.0
// One list of the fields of a trainer's state serves writing and reading.
#include "heed/training/trainer_state.h"

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::training {
namespace {

// Calls field(name, member) for everything there is.
template <typename State, typename Field>
void for_each_field(State& state, Field&& field) {
  field("update", state.update);
  field("epochs", state.epochs);
  field("epoch-end", state.epoch_end);
  field("validated", state.validated);
  field("seconds", state.seconds);
  field("loss-sum", state.loss_sum);
  field("weight-sum", state.weight_sum);
  field("optimiser-steps", state.optimiser_steps);
  field("schedule-cuts", state.schedule_cuts);
  field("noise-position", state.noise_position);
  field("best", state.stopping.best);
  field("best-update", state.stopping.best_update);
  field("best-in-turn", state.stopping.best_in_turn);
  field("stale-validations", state.stopping.stale);
  field("best-metrics", state.best);
  field("data-position", state.data_position);
  field("curve", state.curve);
  field("config", state.config);
  field("data", state.data);
}

// The shortest text that reads back to the same number, infinities and NaN included.
template <typename Number>
std::string text_of(Number number) {
  return fmt::format("{}", number);
}
std::string text_of(const std::string& text) {
  return text;
}
std::string text_of(const std::optional<double>& number) {
  return number ? text_of(*number) : "";
}
std::string text_of(const Metrics& metrics) {
  std::string text;
  for (const auto& [name, value] : metrics) text += fmt::format("{} = {}\n", name, value);
  return text;
}

template <typename Number>
requires std::integral<Number> || std::floating_point<Number>
void read_from(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) {
    throw DataError("\"{}\" is not a number", shorten(text, 40));
  }
}
void read_from(std::string_view text, std::string& value) {
  value = text;
}
void read_from(std::string_view text, std::optional<double>& number) {
  number.reset();
  if (!text.empty()) read_from(text, number.emplace());
}
void read_from(std::string_view text, Metrics& metrics) {
  constexpr std::string_view kEquals = " = ";
  metrics.clear();
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t at = line.find(kEquals);
    if (line.empty()) continue;
    if (at == std::string_view::npos) throw DataError("\"{}\" is not NAME = VALUE", line);
    read_from(line.substr(at + kEquals.size()), metrics[std::string(line.substr(0, at))]);
  }
}

}  // namespace

void write_state(const TrainerState& state, Checkpoint& checkpoint) {
  for_each_field(state, [&](const char* name, const auto& member) {
    checkpoint.notes.insert_or_assign(name, text_of(member));
  });
}

TrainerState read_state(const Checkpoint& checkpoint) {
  TrainerState state;
  for_each_field(state, [&](const char* name, auto& member) {
    try {
      read_from(checkpoint.note(name), member);
    } catch (const DataError& error) {
      throw DataError("checkpoint: the note {}: {}", name, error.what());
    }
  });
  return state;
}

}  // namespace heed::training
