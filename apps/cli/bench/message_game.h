// SPDX-License-Identifier: Apache-2.0
// A sender names one of several objects by one of a few messages, and a receiver, who sees the same
// objects, says which was meant (Lewis 1969; Lazaridou 2017). The message is a choice: every way to
// learn hard attention can be tried on it, and what they cost counts in calls of the receiver.
//
// Objects are made-up names, which both know by their letters; nobody tells them what a message
// means.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace heed::cli {

struct MessageGameOptions {
  std::int64_t messages = 16;
  std::int64_t candidates = 16;  // objects to choose from
  std::int64_t updates = 2000;
  std::int64_t games = 32;  // of an update
  std::int64_t tests = 2000;
  std::uint64_t seed = 1;
  std::function<void(std::int64_t update)> done{};
};

// Ways to learn the message.
std::vector<std::string> message_methods();

struct MessageResult {
  double success = 0;   // of games with names that training never had, with the likeliest message
  double calls = 0;     // of the receiver, in a game of the last hundred updates
  double messages = 0;  // that the sender uses: two to the entropy of what it says, in bits
};

// UsageError for a method there is not.
MessageResult play_messages(const std::string& method, const MessageGameOptions& options = {});

}  // namespace heed::cli
