// SPDX-License-Identifier: Apache-2.0
// The progress line: composed to the terminal's width, drawn over itself.
#include "heed/base/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/verbosity.h"

namespace heed {
namespace {

constexpr double kFirstAfter = 2.0;  // seconds: what ends sooner needs no line
constexpr double kInterval = 0.1;
constexpr std::size_t kWidestBar = 30;
constexpr std::size_t kNarrowestBar = 8;
constexpr std::string_view kErase = "\r\x1b[K";  // to the beginning of the line, then clear it

std::size_t terminal_width() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return 80;
  return size.ws_col;
}

std::string bar(double part, std::size_t width) {
  const auto filled = static_cast<std::size_t>(part * static_cast<double>(width));
  return fmt::format("  [{}{}]", std::string(filled, '#'), std::string(width - filled, '.'));
}

}  // namespace

ProgressSink terminal_sink() {
  const char* terminal = std::getenv("TERM");
  const bool moves = terminal != nullptr && std::string_view(terminal) != "dumb";
  const bool wanted = verbosity() != Verbosity::quiet;
  return {.live = wanted && moves && isatty(STDERR_FILENO) == 1,
          .width = terminal_width,
          .write =
              [](std::string_view text) {
                std::fwrite(text.data(), 1, text.size(), stderr);
                std::fflush(stderr);
              },
          .seconds =
              [] {
                const auto now = std::chrono::steady_clock::now().time_since_epoch();
                return std::chrono::duration<double>(now).count();
              }};
}

Progress::Progress(ProgressSetting setting, ProgressSink sink)
    : setting_(std::move(setting)), sink_(std::move(sink)) {
  if (!sink_.live) return;
  start_ = sink_.seconds();
  next_ = start_ + kFirstAfter;
}

Progress::~Progress() {
  clear();
}

void Progress::update(std::uint64_t done, std::string_view note) {
  if (!sink_.live) return;
  const double now = sink_.seconds();
  if (now < next_) return;
  next_ = now + kInterval;
  // The last column stays free: a cursor after it would wrap to the next line.
  const std::size_t width = std::max<std::size_t>(sink_.width(), 2) - 1;
  sink_.write(fmt::format("{}{}", kErase, line(now - start_, done, note, width)));
  shown_ = true;
}

void Progress::clear() {
  if (std::exchange(shown_, false)) sink_.write(kErase);
}

std::string Progress::line(double elapsed, std::uint64_t done, std::string_view note,
                           std::size_t width) const {
  const auto& [what, total, first] = setting_;
  std::string head = what;
  std::string tail;
  double part = 0;
  if (total > 0) {
    part = std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
    head += fmt::format("  {:3.0f}%", std::min(part * 100, done < total ? 99.0 : 100.0));
    tail = fmt::format("  {}/{}", done, total);
    if (done > first && done < total) {
      const double each = elapsed / static_cast<double>(done - first);
      tail += fmt::format("  {} left", human_duration(each * static_cast<double>(total - done)));
    }
  } else {
    tail = fmt::format("  {}  {}", done, human_duration(elapsed));
  }
  if (!note.empty()) tail += fmt::format("  {}", note);
  const std::size_t used = display_width(head) + display_width(tail) + 4;  // "  [" and "]"
  if (total > 0 && used + kNarrowestBar <= width) {
    head += bar(part, std::min(kWidestBar, width - used));
  }
  return shorten(head + tail, width);
}

}  // namespace heed
