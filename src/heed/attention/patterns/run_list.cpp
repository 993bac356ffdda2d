// SPDX-License-Identifier: Apache-2.0
// Lists of key runs: see run_list.h for what each function promises.
#include "heed/attention/patterns/run_list.h"

#include <algorithm>
#include <numeric>

namespace heed::attention {
namespace {

// The keys of a run in [begin, end); its own beginning is its first key or lies at its end.
KeyRun part_of(KeyRun run, std::int64_t begin, std::int64_t end) {
  if (begin > run.begin) {
    run.begin += (begin - run.begin + run.step - 1) / run.step * run.step;
  }
  run.end = std::min(run.end, end);
  return run;
}

KeyRun rest_of(const KeyRun& run, std::int64_t begin) {
  return part_of(run, begin, run.end);
}

bool is_empty(const KeyRun& run) {
  return run.begin >= run.end;
}

std::int64_t count(const KeyRun& run) {
  return is_empty(run) ? 0 : (run.end - run.begin + run.step - 1) / run.step;
}

// Keys of two runs with the steps s and t meet every lcm(s, t) keys, or never: the first meeting,
// if any, is among the s / gcd(s, t) first keys of the run with the step t.
KeyRun meeting(KeyRun a, KeyRun b) {
  if (a.step > b.step) std::swap(a, b);
  b = part_of(b, a.begin, a.end);
  const std::int64_t tries = a.step / std::gcd(a.step, b.step);
  for (std::int64_t i = 0; i < tries && !is_empty(b); ++i, b.begin += b.step) {
    if ((b.begin - a.begin) % a.step == 0) {
      // Compared before it is multiplied: the product of large steps may not fit.
      if (tries > (b.end - 1 - b.begin) / b.step) return {b.begin, b.begin + 1, 1};
      b.step *= tries;
      return b;
    }
  }
  return {};
}

// A list's runs one after the other, the first of them cut as the sweep moves on.
class Sweep {
 public:
  explicit Sweep(std::span<const KeyRun> runs) : rest_(runs) { next(); }
  bool is_over() const { return is_empty(run_); }
  const KeyRun& run() const { return run_; }
  void move_to(std::int64_t key) {
    run_ = rest_of(run_, key);
    if (is_empty(run_)) next();
  }

 private:
  void next() {
    run_ = rest_.empty() ? KeyRun{} : rest_.front();
    if (!rest_.empty()) rest_ = rest_.subspan(1);
  }
  std::span<const KeyRun> rest_;
  KeyRun run_;
};

}  // namespace

void append_run(RunList& runs, KeyRun run) {
  if (is_empty(run)) return;
  const std::int64_t last = run.begin + (count(run) - 1) * run.step;
  run.end = last + 1;
  if (last == run.begin) run.step = 1;
  if (!runs.empty() && runs.back().step == run.step &&
      runs.back().end - 1 + run.step == run.begin) {
    runs.back().end = run.end;
  } else {
    runs.push_back(run);
  }
}

void intersect(std::span<const KeyRun> a, std::span<const KeyRun> b, RunList& result) {
  result.clear();
  for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
    append_run(result, meeting(*x, *y));
    x->end < y->end ? ++x : ++y;
  }
}

void unite(std::span<const KeyRun> a, std::span<const KeyRun> b, RunList& result) {
  result.clear();
  Sweep first(a);
  Sweep second(b);
  while (!first.is_over() && !second.is_over()) {
    // From here on the front run is the one that begins first, and the back run the other.
    const bool in_order = first.run().begin <= second.run().begin;
    Sweep& front = in_order ? first : second;
    Sweep& back = in_order ? second : first;
    std::int64_t until = back.run().begin;
    if (front.run().begin == until) {
      const bool front_holds_back = back.run().step % front.run().step == 0;
      const bool back_holds_front = front.run().step % back.run().step == 0;
      const std::int64_t both_end = std::min(front.run().end, back.run().end);
      until = front_holds_back || back_holds_front ? both_end : until + 1;
      append_run(result, part_of(front_holds_back ? front.run() : back.run(), 0, until));
      back.move_to(until);
    } else {
      append_run(result, part_of(front.run(), 0, until));
    }
    front.move_to(until);
  }
  for (Sweep* left : {&first, &second}) {
    for (; !left->is_over(); left->move_to(left->run().end)) append_run(result, left->run());
  }
}

TileCover cover(std::span<const KeyRun> runs, Range keys) {
  std::int64_t held = 0;
  for (const KeyRun& run : runs) {
    if (run.begin >= keys.end) break;
    held += count(part_of(run, keys.begin, keys.end));
  }
  if (held == 0) return TileCover::empty;
  return held == keys.size() ? TileCover::full : TileCover::mixed;
}

}  // namespace heed::attention
