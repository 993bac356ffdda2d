// SPDX-License-Identifier: Apache-2.0
// Stories of who is where, and options that learn them in a second.
#pragma once

#include <fmt/format.h>

#include <filesystem>
#include <string>

#include "heed/base/file.h"
#include "heed/base/random.h"
#include "heed/pipeline/memory/memory_options.h"

namespace heed::pipeline::testing {

// Two to five sentences, two questions: where somebody went last.
inline std::string where_stories(int count, std::uint64_t seed) {
  constexpr const char* kNames[] = {"Ann", "Bob", "Cid"};
  constexpr const char* kRooms[] = {"hall", "attic", "cellar", "garden"};
  Random random(seed);
  std::string text;
  for (int i = 0; i < count; ++i) {
    int line = 0;
    int last[3] = {0, 0, 0};
    const char* room[3] = {};
    for (int turn = 0; turn < 2; ++turn) {
      const auto sentences = static_cast<int>(1 + random.integer(3));
      for (int j = 0; j < sentences; ++j) {
        const auto who = random.integer(3);
        room[who] = kRooms[random.integer(4)];
        last[who] = ++line;
        text += fmt::format("{} {} went to the {}.\n", line, kNames[who], room[who]);
      }
      auto asked = random.integer(3);
      while (last[asked] == 0) asked = random.integer(3);
      text +=
          fmt::format("{} Where is {}?\t{}\t{}\n", ++line, kNames[asked], room[asked], last[asked]);
    }
  }
  return text;
}

inline void set_small(MemoryOptions& options, const std::filesystem::path& folder) {
  write_atomically(folder / "train.txt", where_stories(150, 1));
  write_atomically(folder / "valid.txt", where_stories(40, 2));
  options.out = (folder / "model").string();
  options.train = {(folder / "train.txt").string()};
  options.valid = {(folder / "valid.txt").string()};
  options.width = 12;
  options.hops = 1;
  options.linear_start = 5;
  options.halve_every = 20;
  options.trainer.max_epochs = 30;
  options.trainer.clip_each = 1.25;
  options.trainer.validate_every = "10 epochs";
}

}  // namespace heed::pipeline::testing
