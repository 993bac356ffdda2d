// SPDX-License-Identifier: Apache-2.0
// A sender and a receiver who must find a language, by every way to learn a choice.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/bench/harness.h"
#include "cli/bench/message_game.h"
#include "heed/base/progress.h"
#include "heed/base/text.h"

namespace heed::cli {
namespace {

struct MessageFlags {
  MessageGameOptions game;
  std::int64_t seeds = 3;
};

void print_messages(const MessageFlags& flags, bool json) {
  const std::vector<std::string> methods = message_methods();
  std::size_t width = 0;
  for (const std::string& name : methods) width = std::max(width, display_width(name));
  auto rows = nlohmann::json::array();
  if (!json) {
    fmt::print(
        "A sender says one of {} messages, a receiver finds the object among {}; success on names "
        "that training never had.\ncalls: of the receiver in one game of training; in use: "
        "messages said, as many as equally frequent ones would be\n\n{}  {:>8}  {:>6}  {:>6}\n",
        flags.game.messages, flags.game.candidates, pad_right("way to learn", width), "success",
        "calls", "in use");
  }
  const auto updates = static_cast<std::uint64_t>(flags.game.updates);
  Progress progress({.what = "messages",
                     .total = updates * methods.size() * static_cast<std::uint64_t>(flags.seeds)});
  std::uint64_t before = 0;
  for (const std::string& method : methods) {
    std::vector<double> successes;
    MessageResult mean;
    for (std::int64_t i = 0; i < flags.seeds; ++i) {
      MessageGameOptions game = flags.game;
      game.seed += static_cast<std::uint64_t>(i);
      game.done = [&](std::int64_t done) {
        progress.update(before + static_cast<std::uint64_t>(done), method);
      };
      const MessageResult one = play_messages(method, game);
      before += updates;
      successes.push_back(one.success);
      const auto share = 1 / static_cast<double>(flags.seeds);
      mean.success += one.success * share;
      mean.calls += one.calls * share;
      mean.messages += one.messages * share;
    }
    progress.clear();
    if (json) {
      rows.push_back({{"name", method},
                      {"success", mean.success},
                      {"successes", successes},
                      {"calls", mean.calls},
                      {"messages", mean.messages}});
      continue;
    }
    fmt::print("{}  {:>8.3f}  {:>6.2f}  {:>6.1f}   {:.3f}\n", pad_right(method, width),
               mean.success, mean.calls, mean.messages, fmt::join(successes, " "));
  }
  if (json) fmt::print("{}\n", rows.dump(2));
}

Benchmark messages() {
  const auto flags = std::make_shared<MessageFlags>();
  return {.name = "messages",
          .summary = "sender and receiver: ways to learn a choice, by success and cost",
          .print = [flags](bool json) { print_messages(*flags, json); },
          .declare =
              [flags](CommandLine& line) {
                line.add("--messages", flags->game.messages, "that the sender may say")
                    .range(2, 1024)
                    .kind("N")
                    .shows_default();
                line.add("--candidates", flags->game.candidates, "objects to choose from")
                    .range(2, 256)
                    .kind("N")
                    .shows_default();
                line.add("--updates", flags->game.updates, "of each training")
                    .range(1, 1000000)
                    .kind("N")
                    .shows_default();
                line.add("--seeds", flags->seeds, "trainings of each, with seeds from 1 on")
                    .range(1, 100)
                    .kind("N")
                    .shows_default();
              }};
}

const ListedBenchmark kListed(messages());

}  // namespace
}  // namespace heed::cli
