// SPDX-License-Identifier: Apache-2.0
// A progress line with the time that is left, for anything that takes more than two seconds.
//
//   Progress progress({.what = "train", .total = steps});
//   for (...) progress.update(step, fmt::format("loss {:.3f}", loss));
//
//   train   45%  [#########...........]  450/1000  1 min 05 s left  loss 2.310
#pragma once  // public header

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#pragma GCC visibility push(default)  // exported

namespace heed {

// Where the line goes and what time it is.
struct ProgressSink {
  bool live = false;  // whether somebody watches; when not, nothing is written
  std::function<std::size_t()> width = {};  // columns of the terminal
  std::function<void(std::string_view)> write = {};
  std::function<double()> seconds = {};  // a clock that only goes forwards
};

// Standard error; live when it is a terminal that can move its cursor.
ProgressSink terminal_sink();

struct ProgressSetting {
  std::string what = {};
  std::uint64_t total = 0;  // 0: not known, and neither is the time left
  std::uint64_t first = 0;  // done before this run; it does not count for the speed
};

// Draws at most ten times a second, first after two seconds, never wider than the terminal. At the
// end of its scope the line is gone and the cursor where it was, also when an exception passes.
// Not for use by several threads at once.
class Progress {
 public:
  explicit Progress(ProgressSetting setting, ProgressSink sink = terminal_sink());
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // This much is done by now; the note is shown after the numbers. Costs a look at the clock.
  void update(std::uint64_t done, std::string_view note = {});

  // Takes the line away so that something else can be printed; the next update draws it again.
  void clear();

 private:
  std::string line(double elapsed, std::uint64_t done, std::string_view note,
                   std::size_t width) const;

  ProgressSetting setting_;
  ProgressSink sink_;
  double start_ = 0;
  double next_ = 0;  // when the line may be drawn again
  bool shown_ = false;
};

}  // namespace heed

#pragma GCC visibility pop
