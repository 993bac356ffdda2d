// SPDX-License-Identifier: Apache-2.0
// Stories in numbered lines, each with a question, its answer and the lines that decide it: tasks
// in the manner of bAbI (Weston 2015) from a grammar of our own. text/stories.h reads the form.
#pragma once

#include <cstdint>

#include "heed/base/random.h"
#include "heed/corpora/corpus.h"

namespace heed::corpora {

// What a story asks for, and how many of its sentences it takes to know.
enum class FactTask {
  one,        // where somebody is
  two,        // where something is: who has it or dropped it, and where they were
  three,      // where something was before: who has it, and their last two ways
  count,      // how many things somebody carries
  list,       // which things somebody carries, in the order they were taken
  yes_no,     // whether somebody is in a room
  places,     // what lies north, south, east or west of what
  relations,  // who is the mother, friend, ... of whom, one or two steps away: keys and values
};

// The answers of as many turns as there are (rooms; none to three; yes and no) come once each where
// a task has a fixed set of them.
Example draw_fact_story(FactTask task, Random& random, std::int64_t turn);

}  // namespace heed::corpora
