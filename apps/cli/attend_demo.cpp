// SPDX-License-Identifier: Apache-2.0
// A worked sentence: "it" looks for what it stands for, in three steps whose numbers are printed.
#include "cli/attend_demo.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string>
#include <string_view>
#include <vector>

#include "heed/attention/mechanism.h"
#include "heed/attention/score.h"
#include "heed/base/text.h"
#include "heed/insight/terminal/heatmap.h"

namespace heed::cli {
namespace {

using attention::Attended;
using attention::Mechanism;

const std::vector<std::string> kWords = {"the", "cat", "sat", "because", "it", "was", "tired"};
constexpr std::int64_t kCount = 7;

// Four features by hand: [a thing, alive, an act, a state].
Tensor word_vectors() {
  return Tensor::of({1, 1, kCount, 4}, {0.2f, 0, 0,    0,     //
                                        2,    2, 0,    0,     //
                                        0,    1, 2,    0,     //
                                        0,    0, 0.5f, 0.5f,  //
                                        1,    0, 0,    0,     //
                                        0,    0, 1,    1,     //
                                        0,    1, 0,    2});
}

// "it" asks for a thing that is alive.
Tensor question() {
  return Tensor::of({1, 1, 1, 4}, {0.75f, 0.5f, 0, 0});
}

void print_row(std::string_view title, const Tensor& row) {
  std::string line = pad_right(title, 10);
  for (const Real value : row.values()) line += fmt::format("{:>9.3f}", value);
  fmt::print("{}\n", line);
}

Attended look(const std::string& mechanism, const Tensor& query) {
  Random random(1);
  const Mechanism built(mechanism, {.query_width = 4, .key_width = 4, .value_width = 4}, random);
  return built.attend(Variable(query), built.memory(word_vectors(), word_vectors()), {},
                      {.weights = true});
}

}  // namespace

void attend_demo() {
  std::string heading = pad_right("", 10);
  for (const std::string& word : kWords) heading += pad_left(word, 9);
  fmt::print(
      "\"{}\": what does \"it\" stand for?\n\n"
      "Each word is a key and a value of four features: thing, alive, act, state.\n"
      "The query of \"it\" is (0.75, 0.5, 0, 0): it looks for a thing that is alive.\n\n",
      join(kWords, " "));

  const Attended soft = look("scaled_dot", question());
  fmt::print("1. Score: how well does each key answer?  scores = query . key / sqrt(4)\n{}\n",
             heading);
  print_row("scores", soft.scores.value());

  fmt::print("\n2. Normalise: scores become weights that sum to one.\n{}\n", heading);
  print_row("softmax", soft.weights.value());
  const Attended sparse = look("scaled_dot | full | sparsemax", question());
  print_row("sparsemax", sparse.weights.value());
  print_row("entmax", look("scaled_dot | full | entmax(alpha=1.5)", question()).weights.value());

  fmt::print("\n3. Combine: context = weights . values, the features that were read.\n{}{}\n",
             pad_right("", 10), "    thing    alive      act    state");
  print_row("softmax", soft.context.value());
  print_row("sparsemax", sparse.context.value());

  fmt::print(
      "\nEvery word asks in its own features, and may look back only: scaled_dot | causal\n\n{}",
      insight::heatmap(
          look("scaled_dot | causal", word_vectors()).weights.value().reshape({kCount, kCount}),
          {.rows = kWords, .columns = kWords, .screen = insight::screen_of(STDOUT_FILENO)}));
}

}  // namespace heed::cli
