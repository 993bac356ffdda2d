// SPDX-License-Identifier: Apache-2.0
// Attention over long texts side by side: time, memory and their exponents as a table and two
// pictures, beside the figures of the Long Range Arena.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/bench/harness.h"
#include "cli/bench/long_mechanisms.h"
#include "cli/output_files.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/insight/draw/line_plot.h"

namespace heed::cli {
namespace {

// Classifying bytes at 1K to 4K, batches of 32 (Tay et al. 2021, tables 1 and 2; Synthesizer's
// steps at 3K are as printed there). Zeros: not given.
struct ArenaModel {
  const char* name;
  double accuracy;  // the mean of the five tasks
  std::array<double, 4> steps_per_second{}, gigabytes{};

  bool has_costs() const { return gigabytes[0] > 0; }
};
constexpr std::array<ArenaModel, 11> kArena{{
    {"Transformer", 54.4, {8.1, 4.9, 2.3, 1.4}, {.85, 2.65, 5.51, 9.48}},
    {"Local", 46.1, {9.2, 8.4, 7.4, 7.4}, {.42, .76, 1.06, 1.37}},
    {"Sparse", 51.2},
    {"Longformer", 53.5},
    {"Linformer", 51.4, {9.3, 9.1, 8.5, 7.7}, {.37, .55, .99, .99}},
    {"Reformer", 50.7, {4.4, 2.2, 1.5, 1.1}, {.48, .99, 1.53, 2.28}},
    {"Sinkhorn", 51.4, {9.1, 7.9, 6.6, 5.3}, {.47, .83, 1.13, 1.48}},
    {"Synthesizer", 52.9, {8.7, 5.7, 6.6, 1.9}, {.65, 1.98, 4.09, 6.99}},
    {"BigBird", 55.0, {7.4, 3.9, 2.7, 1.5}, {.77, 1.49, 2.18, 2.88}},
    {"Linear", 50.6, {9.1, 9.3, 8.6, 7.8}, {.37, .57, .80, 1.03}},
    {"Performer", 51.4, {9.5, 9.4, 8.7, 8.0}, {.37, .59, .82, 1.06}},
}};

const ArenaModel* arena_of(const std::string& name) {
  const auto at = std::ranges::find(kArena, name, [](const ArenaModel& m) { return m.name; });
  return at == kArena.end() ? nullptr : &*at;
}

// "Linear: 5.6, 1.03, 50.6", or the accuracy alone where no costs were given.
std::string arena_text(const ArenaModel* arena) {
  if (arena == nullptr) return {};
  if (!arena->has_costs()) return fmt::format("{}: -, -, {:.1f}", arena->name, arena->accuracy);
  return fmt::format("{}: {:.1f}, {:.2f}, {:.1f}", arena->name,
                     arena->steps_per_second[3] / kArena[0].steps_per_second[3],
                     arena->gigabytes[3], arena->accuracy);
}

struct LongFlags {
  std::string lengths = "1024,2048,4096,8192,16384,32768";
  std::string of;
  std::int64_t width = 64;
  std::int64_t reading = 65536;
  double seconds = 5;
  std::uint64_t seed = 1;
  std::string time_svg, memory_svg;

  std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const std::string_view name : split(of, ',')) {
      if (!name.empty()) all.emplace_back(name);
    }
    return all;
  }
  std::vector<std::int64_t> tokens() const {
    std::vector<std::int64_t> all;
    for (const std::string_view text : split(lengths, ',')) {
      const std::int64_t n = parse_integer(text, "--lengths");
      if (n < 16 || n > 1 << 22) {
        throw UsageError("--lengths: {}; a length is from 16 to {}", n, 1 << 22);
      }
      all.push_back(n);
    }
    std::ranges::sort(all);
    return all;
  }
};

void print_costs(const std::vector<LongCurve>& curves, const LongFlags& flags) {
  const std::int64_t from = fitted_from(flags.tokens());
  fmt::print(
      "One layer, {} wide, one head, one thread: microseconds per token and MB of tensors\n"
      "at the longest length that fits into {} s, and exponents in n from {} tokens on.\n\n",
      flags.width, flags.seconds, from);
  fmt::print("{:<16}{:>9}{:>10}{:>10}{:>9}{:>7}{:>7}{:>7}   {}\n", "mechanism", "tokens", "forward",
             "training", "MB", "n^f", "n^t", "n^m",
             "arena: steps/s at 4K over full's, GB, accuracy");
  for (const LongCurve& curve : curves) {
    const LongPoint& last = curve.points.back();
    const LongExponents found = exponents_of(curve, from);
    const auto n = static_cast<double>(last.tokens);
    const auto power = [](double exponent) {
      return exponent == 0 ? std::string("-") : fmt::format("{:.2f}", exponent);
    };
    fmt::print("{:<16}{:>9}{:>10.3f}{:>10.3f}{:>9.1f}{:>7}{:>7}{:>7}   {}\n", curve.mechanism->name,
               last.tokens, last.forward.seconds * 1e6 / n, last.training.seconds * 1e6 / n,
               last.training.bytes / 1e6, power(found.forward), power(found.training),
               power(found.memory), arena_text(arena_of(curve.mechanism->arena)));
  }
}

enum class Shown { time, memory };

std::string picture(const std::vector<LongCurve>& curves, Shown shown) {
  const bool time = shown == Shown::time;
  std::vector<insight::PlotLine> mine, arena;
  for (const LongCurve& curve : curves) {
    insight::PlotLine& line = mine.emplace_back(insight::PlotLine{.name = curve.mechanism->name});
    for (const LongPoint& point : curve.points) {
      const auto n = static_cast<double>(point.tokens);
      const double y = time ? point.training.seconds * 1e6 / n : point.training.bytes / 1e6;
      line.points.push_back({n, y, fmt::format("{} tokens: {:.3g}", point.tokens, y)});
    }
  }
  for (const ArenaModel& model : kArena) {
    if (!model.has_costs()) continue;
    insight::PlotLine& line = arena.emplace_back(insight::PlotLine{.name = model.name});
    for (std::size_t i = 0; i < 4; ++i) {
      const double n = 1024.0 * static_cast<double>(i + 1);
      const double y = time ? 1e6 / model.steps_per_second[i] / (32 * n) : model.gigabytes[i] * 1e3;
      line.points.push_back({n, y, fmt::format("{}K: {:.3g}", i + 1, y)});
    }
  }
  const insight::PlotAxis tokens{.label = "tokens n", .logarithmic = true};
  const insight::PlotAxis y{.label = time ? "microseconds per token" : "MB", .logarithmic = true};
  const insight::PlotPanel panels[] = {
      {mine, {.title = "Heed: a training step of one layer, one thread", .x = tokens, .y = y}},
      {arena,
       {.title = "Long Range Arena: a training step of a classifier of bytes, 16 TPUs",
        .x = tokens,
        .y = y}}};
  return insight::stacked_svg(
      time ? "Time of attention over long texts" : "Memory of attention over long texts", panels);
}

// Small scores, and those that a head begins with, by its width: features are the further from
// softmax the larger queries and keys are.
struct ApproximatedHead {
  std::int64_t width;
  double deviation;  // of scores
};
constexpr std::array<ApproximatedHead, 4> kApproximatedHeads{
    {{16, .125}, {4, 1}, {16, 1}, {64, 1}}};

struct Approximation {
  std::string written;
  std::array<double, kApproximatedHeads.size()> errors{};
};

Approximation approximation_of(std::string written, std::uint64_t seed) {
  Approximation one{.written = std::move(written)};
  for (std::size_t i = 0; i < kApproximatedHeads.size(); ++i) {
    const ApproximatedHead& head = kApproximatedHeads[i];
    one.errors[i] = error_to_softmax(
        one.written, {.width = head.width, .deviation = head.deviation, .seed = seed});
  }
  return one;
}

struct LongReport {
  std::vector<LongCurve> curves;
  std::vector<LongReading> readings;
  std::vector<std::int64_t> after = {1024, 16384};
  std::vector<double> writing;
  std::vector<Approximation> performer, nystrom;
};

constexpr std::array<int, 5> kFeatureCounts = {16, 64, 256, 1024, 4096};

LongReport measured(const LongFlags& flags) {
  LongReport report;
  report.curves =
      measure_long({flags.tokens(), flags.names(), flags.width, flags.seconds, flags.seed});
  if (flags.reading == 0) return report;
  for (const char* written : {"linear", "scaled_dot | window(128)"}) {
    report.readings.push_back(measure_reading(written, flags.reading, flags.seed));
  }
  report.writing = measure_writing("linear", report.after, flags.seed);
  for (const int features : kFeatureCounts) {
    report.performer.push_back(
        approximation_of(fmt::format("performer(features={}, epsilon=0)", features), flags.seed));
  }
  for (const int landmarks : {16, 64, 256, 512}) {
    report.nystrom.push_back(
        approximation_of(fmt::format("nystrom(landmarks={})", landmarks), flags.seed));
  }
  return report;
}

void print_json(const LongReport& report, const LongFlags& flags) {
  auto all = nlohmann::json::array();
  for (const LongCurve& curve : report.curves) {
    auto points = nlohmann::json::array();
    for (const LongPoint& point : curve.points) {
      points.push_back({{"tokens", point.tokens},
                        {"forward_seconds", point.forward.seconds},
                        {"forward_bytes", point.forward.bytes},
                        {"training_seconds", point.training.seconds},
                        {"training_bytes", point.training.bytes}});
    }
    const LongExponents found = exponents_of(curve, fitted_from(flags.tokens()));
    all.push_back({{"name", curve.mechanism->name},
                   {"points", points},
                   {"forward_exponent", found.forward},
                   {"training_exponent", found.training},
                   {"memory_exponent", found.memory}});
  }
  nlohmann::json found{{"mechanisms", all}};
  for (const LongReading& reading : report.readings) {
    found["reading"].push_back({{"attention", reading.written},
                                {"tokens", reading.tokens},
                                {"seconds", reading.seconds},
                                {"bytes", reading.bytes}});
  }
  for (std::size_t i = 0; i < report.writing.size(); ++i) {
    found["writing"].push_back({{"after", report.after[i]}, {"ms", report.writing[i]}});
  }
  for (const auto& all_of : {report.performer, report.nystrom}) {
    for (const Approximation& one : all_of) {
      for (std::size_t i = 0; i < kApproximatedHeads.size(); ++i) {
        found["approximations"].push_back({{"attention", one.written},
                                           {"head_width", kApproximatedHeads[i].width},
                                           {"deviation", kApproximatedHeads[i].deviation},
                                           {"error", one.errors[i]}});
      }
    }
  }
  fmt::print("{}\n", found.dump(2));
}

void print_approximations(const LongReport& report) {
  fmt::print(
      "\nMean absolute error of contexts to softmax attention; 512 tokens, values of deviation "
      "1\n");
  const auto print_row = [](const std::string& name, const char* form, const auto& numbers) {
    std::string row = fmt::format("  {:<38}", name);
    for (const double number : numbers) row += fmt::format(fmt::runtime(form), number);
    fmt::print("{}\n", row);
  };
  std::array<double, kApproximatedHeads.size()> widths{}, deviations{}, powers{};
  for (std::size_t i = 0; i < kApproximatedHeads.size(); ++i) {
    widths[i] = static_cast<double>(kApproximatedHeads[i].width);
    deviations[i] = kApproximatedHeads[i].deviation;
    std::vector<double> features(kFeatureCounts.begin(), kFeatureCounts.end()), errors;
    for (const Approximation& one : report.performer) errors.push_back(one.errors[i]);
    powers[i] = fitted_exponent(features, errors);
  }
  print_row("width of the head", "{:>9.0f}", widths);
  print_row("deviation of the scores", "{:>9.3g}", deviations);
  for (const Approximation& one : report.performer) print_row(one.written, "{:>9.4f}", one.errors);
  print_row("power of the number of features", "{:>9.2f}", powers);
  for (const Approximation& one : report.nystrom) print_row(one.written, "{:>9.4f}", one.errors);
}

void print_long(const LongFlags& flags, bool json) {
  const OutputFiles files;
  files.check(flags.time_svg);
  files.check(flags.memory_svg);
  const LongReport report = measured(flags);
  if (!flags.time_svg.empty()) files.write(flags.time_svg, picture(report.curves, Shown::time));
  if (!flags.memory_svg.empty()) {
    files.write(flags.memory_svg, picture(report.curves, Shown::memory));
  }
  if (json) return print_json(report, flags);
  print_costs(report.curves, flags);
  if (report.readings.empty()) return;
  fmt::print("\nA Transformer of 4 layers, 128 wide, reads a text\n");
  for (const LongReading& reading : report.readings) {
    fmt::print("  {:<26}{} tokens: {:.1f} s, {} at the peak\n", reading.written, reading.tokens,
               reading.seconds, human_bytes(static_cast<std::uint64_t>(reading.bytes)));
  }
  fmt::print("\nand writes a token by linear attention\n");
  for (std::size_t i = 0; i < report.writing.size(); ++i) {
    fmt::print("  after {:>6} tokens: {:.3f} ms\n", report.after[i], report.writing[i]);
  }
  print_approximations(report);
}

Benchmark long_range() {
  const auto flags = std::make_shared<LongFlags>();
  return {
      .name = "long",
      .summary = "attention over long texts: time, memory, exponents, approximations",
      .print = [flags](bool json) { print_long(*flags, json); },
      .declare =
          [flags](CommandLine& line) {
            line.add("--lengths", flags->lengths, "how long texts are, in tokens")
                .kind("N,...")
                .shows_default();
            line.add("--of", flags->of, "some of the mechanisms only, such as linear,windowed")
                .kind("NAME,...");
            line.add("--long-width", flags->width, "features of the layer")
                .range(4, 1024)
                .kind("N")
                .shows_default();
            line.add("--reading", flags->reading,
                     "tokens of the text that whole Transformers read; 0: only layers are "
                     "measured")
                .range(0, 1 << 22)
                .kind("N")
                .shows_default();
            line.add("--most-seconds", flags->seconds,
                     "a training step that would be longer is left out")
                .range(0, 100000)
                .shows_default();
            line.add("--long-seed", flags->seed, "of weights and inputs").kind("N");
            line.add("--time-svg", flags->time_svg, "write the picture of time").kind("FILE");
            line.add("--memory-svg", flags->memory_svg, "write the picture of memory").kind("FILE");
          }};
}

const ListedBenchmark kListed(long_range());

}  // namespace
}  // namespace heed::cli
