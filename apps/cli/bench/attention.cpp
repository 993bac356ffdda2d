// SPDX-License-Identifier: Apache-2.0
// Attention of one shape, as the command line asks for it, or the table of the figures to show.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "cli/bench/attention_case.h"
#include "cli/bench/attention_table.h"
#include "cli/bench/harness.h"
#include "heed/base/error.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"

namespace heed::cli {
namespace {

struct AttentionFlags {
  std::string shape;
  std::string key_heads;
  std::string spec = "scaled_dot";
  std::string layout = "bhsd";
  std::string score_deviation = "1";
  std::string threads;
  std::string seconds = "2";
  std::string dump;
  bool backward = false;
};

double number_at_least(double least, const std::string& text, const std::string& what) {
  const double value = parse_number(text, what);
  if (value < least)
    throw UsageError("{} is \"{}\": it takes a number of {} or more", what, text, least);
  return value;
}

std::int64_t count(std::string_view text, std::string_view what) {
  const std::int64_t value = parse_integer(text, what);
  if (value < 1) throw UsageError("{} is \"{}\": it takes 1 or more", what, text);
  return value;
}

AttentionSetting setting_of(const AttentionFlags& flags) {
  const auto words = split(flags.shape, ',');
  if (words.size() != 5) {
    throw UsageError("--shape is \"{}\": it takes B,H,Q,K,D, as 1,8,1024,1024,64", flags.shape);
  }
  AttentionSetting setting{.spec = flags.spec, .backward = flags.backward};
  std::size_t place = 0;
  for (std::int64_t* size :
       {&setting.batch, &setting.heads, &setting.queries, &setting.keys, &setting.width}) {
    *size = count(words[place++], "--shape");
  }
  constexpr double kMost = 2147483648.0;
  const double others = static_cast<double>(setting.batch) * static_cast<double>(setting.heads) *
                        static_cast<double>(setting.width);
  for (const std::int64_t length : {setting.queries, setting.keys}) {
    if (others * static_cast<double>(length) > kMost) {
      throw UsageError("--shape is \"{}\": a tensor has at most 2147483648 numbers", flags.shape);
    }
  }
  if (!flags.key_heads.empty()) {
    setting.key_heads = count(flags.key_heads, "--key-heads");
    if (setting.heads % setting.key_heads != 0) {
      throw UsageError("--key-heads is {}: the {} heads of --shape are not a multiple of it",
                       setting.key_heads, setting.heads);
    }
  }
  const std::vector<std::string> layouts = {"bhsd", "bshd"};
  if (flags.layout != layouts[0] && flags.layout != layouts[1]) {
    throw UsageError("--layout is \"{}\"{}; it takes bhsd or bshd", flags.layout,
                     did_you_mean(flags.layout, layouts));
  }
  setting.heads_inside = flags.layout == "bshd";
  setting.score_deviation = number_at_least(0, flags.score_deviation, "--score-deviation");
  return setting;
}

BenchRow run_one(const AttentionFlags& flags, double seconds) {
  AttentionCase work(setting_of(flags));
  const AttentionSetting& setting = work.setting();
  const std::string name =
      fmt::format("attention_b{}_h{}_q{}_k{}_d{}{}", setting.batch, setting.heads, setting.queries,
                  setting.keys, setting.width, setting.backward ? "_backward" : "");
  const double flops = work.flops();
  const auto extra = work.extra_bytes();
  if (!flags.dump.empty()) work.write(flags.dump);
  BenchRow row = measure_paired(name, flops, work.timed(), seconds);
  row.extra_bytes = extra;
  return row;
}

std::vector<BenchRow> attention_rows(const AttentionFlags& flags) {
  const double seconds = number_at_least(0, flags.seconds, "--seconds");
  if (flags.shape.empty()) return attention_table(seconds);
  const std::int64_t asked = flags.threads.empty() ? threads() : count(flags.threads, "--threads");
  const ThreadScope scope(static_cast<int>(std::min<std::int64_t>(asked, 1 << 20)));
  return {run_one(flags, seconds)};
}

void declare(CommandLine& line, AttentionFlags& all) {
  Argument shape = line.add("--shape", all.shape, "sizes to run; without it, the table of figures")
                       .kind("B,H,Q,K,D");
  const std::array details = {
      line.add("--spec", all.spec, "scores + biases | pattern | normaliser")
          .kind("SPEC")
          .shows_default(),
      line.add("--key-heads", all.key_heads, "heads of keys and values, if fewer than H").kind("N"),
      line.add("--layout", all.layout, "order of the axes in memory, heads outside or inside")
          .kind("{bhsd,bshd}")
          .shows_default(),
      line.add("--score-deviation", all.score_deviation, "standard deviation of the scaled scores")
          .kind("NUMBER")
          .shows_default(),
      line.add_flag("--backward", all.backward,
                    "time the backward pass alone; extra memory of both"),
      line.add("--threads", all.threads, "threads to use").kind("N"),
      line.add("--dump", all.dump, "write inputs and results as safetensors").kind("FILE")};
  for (Argument option : details) option.needs(shape);
  line.add("--seconds", all.seconds, "time spent on each row").kind("NUMBER").shows_default();
}

Benchmark attention_benchmark() {
  const auto flags = std::make_shared<AttentionFlags>();
  return {.name = "attention",
          .summary = "whole mechanisms: one shape, or the table of figures",
          .run = [flags] { return attention_rows(*flags); },
          .declare = [flags](CommandLine& line) { declare(line, *flags); }};
}

const ListedBenchmark kListed(attention_benchmark());

}  // namespace
}  // namespace heed::cli
