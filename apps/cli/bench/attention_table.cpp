// SPDX-License-Identifier: Apache-2.0
// Fractions of the FMA loop over shapes and patterns; ratios of mechanisms, lengths and threads;
// peak memory.
#include "cli/bench/attention_table.h"

#include <chrono>
#include <cstdint>
#include <string>

#include "cli/bench/attention_case.h"
#include "heed/base/threads.h"
#include "heed/kernels/measure.h"

namespace heed::cli {
namespace {

constexpr const char* kCausal = "scaled_dot | causal";
constexpr const char* kEntmax = "scaled_dot | full | entmax(alpha=1.5)";

AttentionSetting square(std::int64_t length) {
  return {.queries = length, .keys = length};
}

AttentionSetting square(std::int64_t length, const char* spec) {
  return {.queries = length, .keys = length, .spec = spec};
}

AttentionSetting square(std::int64_t batch, std::int64_t heads, std::int64_t length,
                        const char* spec = "scaled_dot") {
  return {.batch = batch, .heads = heads, .queries = length, .keys = length, .spec = spec};
}

AttentionSetting backward_of(AttentionSetting setting) {
  setting.backward = true;
  return setting;
}

AttentionSetting wide(AttentionSetting setting) {
  setting.width = 128;
  return setting;
}

AttentionSetting heads_inside(AttentionSetting setting) {
  setting.heads_inside = true;
  return setting;
}

AttentionSetting with_deviation(AttentionSetting setting, double deviation) {
  setting.score_deviation = deviation;
  return setting;
}

// A user's own change of the scores: each is scaled.
AttentionSetting with_own_scale(AttentionSetting setting) {
  constexpr Real kFactor = 1.25;
  const auto scale = [](Real* numbers, std::size_t stride, std::size_t rows, std::size_t columns) {
    for (std::size_t r = 0; r < rows; ++r) {
      Real* row = numbers + r * stride;
#pragma omp simd
      for (std::size_t c = 0; c < columns; ++c) row[c] *= kFactor;
    }
  };
  setting.changes = {attention::score_change(
      [scale](const attention::ScoreTile& tile) {
        scale(tile.data, tile.stride, tile.rows, tile.columns);
      },
      [scale](const attention::ScoreTileBefore& before, Real* gradient) {
        scale(gradient, before.stride, before.rows, before.columns);
      })};
  return setting;
}

struct Fraction {
  const char* name;
  AttentionSetting setting;
  double at_least;
};

std::vector<Fraction> fractions() {
  return {{"forward_n1024", square(1024), .78},
          {"forward_n4096", square(4096), .78},
          {"forward_d128_n1024", wide(square(1024)), .78},
          {"forward_d128_n4096", wide(square(4096)), .78},
          {"forward_bshd_n1024", heads_inside(square(1024)), .76},
          {"forward_bshd_n4096", heads_inside(square(4096)), .76},
          {"causal_n1024", square(1024, kCausal), .72},
          {"causal_n4096", square(4096, kCausal), .77},
          {"backward_n1024", backward_of(square(1024)), .76},
          {"backward_n4096", backward_of(square(4096)), .76},
          {"backward_causal_n1024", backward_of(square(1024, kCausal)), .72},
          {"backward_causal_n4096", backward_of(square(4096, kCausal)), .76},
          {"forward_n256", square(256), .75},
          {"forward_b8_n128", square(8, 8, 128), .68},
          {"forward_b32_h4_n32", square(32, 4, 32), .55},
          {"causal_b8_n128", square(8, 8, 128, kCausal), .50},
          {"causal_b32_h4_n32", square(32, 4, 32, kCausal), .30},
          {"backward_b8_n128", backward_of(square(8, 8, 128)), .58}};
}

BenchRow fraction_row(const Fraction& figure, double seconds) {
  AttentionCase work(figure.setting);
  BenchRow row = measure_paired(figure.name, work.flops(), work.timed(), seconds);
  row.goal = Goal{.value = figure.at_least};
  return row;
}

struct Ratio {
  const char* name;
  AttentionSetting setting;
  AttentionSetting over;
  double at_most;
};

std::vector<Ratio> ratios() {
  const auto entmax = [](double deviation) {
    return with_deviation(square(2048, kEntmax), deviation);
  };
  const auto softmax = [](double deviation) { return with_deviation(square(2048), deviation); };
  constexpr const char* kWindow = "scaled_dot | window(256)";
  return {
      {"entmax_over_softmax_s2", entmax(2), softmax(2), .75},
      {"entmax_over_softmax_s1", entmax(1), softmax(1), .90},
      {"entmax_over_softmax_s0.5", entmax(.5), softmax(.5), 1.1},
      {"entmax_over_softmax_backward_s2", backward_of(entmax(2)), backward_of(softmax(2)), .35},
      {"own_scale_over_none_n1024", with_own_scale(square(1024)), square(1024), 1.15},
      {"own_scale_over_none_backward_n1024", with_own_scale(backward_of(square(1024))),
       backward_of(square(1024)), 1.15},
      {"window_n65536_over_n8192", square(1, 1, 65536, kWindow), square(1, 1, 8192, kWindow), 8.8}};
}

BenchRow ratio_row(const Ratio& figure, double seconds) {
  AttentionCase work(figure.setting);
  AttentionCase other(figure.over);
  BenchRow row = measure_ratio(figure.name, work.timed(), other.timed(), seconds);
  row.goal = Goal{.at_least = false, .value = figure.at_most};
  return row;
}

BenchRow two_threads_row(const char* name, const AttentionSetting& setting, double seconds) {
  AttentionCase work(setting);
  const PreparedRun timed = work.timed();
  const auto on = [&timed](int count) {
    return PreparedRun{.run = timed.run, .prepare = [&timed, count] {
                         set_threads(count);
                         timed.prepare();
                       }};
  };
  const ThreadScope scope(2);
  BenchRow row = measure_ratio(name, on(1), on(2), seconds);
  row.goal = Goal{.value = 1.8};
  return row;
}

// One query against a cache whose keys and values are each read once: the share of a pass that does
// nothing but read them.
BenchRow decode_row(const char* name, std::int64_t key_heads, double seconds) {
  AttentionCase work({.heads = 8, .queries = 1, .keys = 4096, .key_heads = key_heads});
  const auto read = [](const Variable& x) {
    const auto* words = reinterpret_cast<const std::uint32_t*>(x.value().data());
    return kernels::read_pass(
        words, static_cast<std::size_t>(x.value().size()) * sizeof(Real) / sizeof(std::uint32_t));
  };
  volatile std::uint32_t keep = 0;
  BenchRow row =
      measure_ratio(name, work.timed(),
                    {.run = [&] { keep = read(work.keys()) ^ read(work.values()); }}, seconds);
  row.ratio = 1 / *row.ratio;
  row.goal = Goal{.value = .7};
  return row;
}

BenchRow memory_row(const char* name, const AttentionSetting& setting) {
  AttentionCase work(setting);
  const auto extra = work.extra_bytes();
  const PreparedRun timed = work.timed();
  timed.prepare();
  const auto begin = std::chrono::steady_clock::now();
  timed.run();
  const std::chrono::duration<double, std::milli> ms = std::chrono::steady_clock::now() - begin;
  return {.name = name,
          .threads = threads(),
          .ms = ms.count(),
          .extra_bytes = extra,
          .goal = Goal{.at_least = false, .value = 16.0 * 1024 * 1024}};
}

}  // namespace

std::vector<BenchRow> attention_table(double seconds) {
  const ThreadScope scope(1);
  std::vector<BenchRow> rows;
  for (const Fraction& figure : fractions()) rows.push_back(fraction_row(figure, seconds));
  for (const Ratio& figure : ratios()) rows.push_back(ratio_row(figure, seconds));
  rows.push_back(decode_row("decode_k4096_share_of_reading", 2, seconds));
  rows.push_back(decode_row("decode_k4096_ungrouped_share_of_reading", 8, seconds));
  rows.push_back(two_threads_row("two_threads_forward", square(1024), seconds));
  rows.push_back(two_threads_row("two_threads_causal", square(1024, kCausal), seconds));
  rows.push_back(two_threads_row("two_threads_backward", backward_of(square(1024)), seconds));
  rows.push_back(
      two_threads_row("two_threads_backward_causal", backward_of(square(1024, kCausal)), seconds));
  constexpr std::int64_t kLong = 16384;
  rows.push_back(memory_row("memory_n16384", backward_of(square(1, 1, kLong))));
  rows.push_back(memory_row("memory_n16384_entmax_equal_scores",
                            with_deviation(backward_of(square(1, 1, kLong, kEntmax)), 0)));
  // Composed, its tanh of every query with every key would be a gigabyte.
  rows.push_back(memory_row("memory_additive_n2048", backward_of(square(1, 1, 2048, "additive"))));
  return rows;
}

}  // namespace heed::cli
