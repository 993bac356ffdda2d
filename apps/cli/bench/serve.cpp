// SPDX-License-Identifier: Apache-2.0
// A running `heed serve` under load: how many requests it answers, how soon, and at what memory.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/bench/harness.h"
#include "cli/bench/load.h"
#include "heed/base/text.h"
#include "heed/corpora/corpus.h"

namespace heed::cli {
namespace {

struct LoadFlags {
  int port = 8080;
  std::size_t clients = 64;
  double seconds = 10;
  double rate = 0;
  std::int64_t beam = 1;
};

// Sentences of the built-in corpus, each as a request of its own.
std::vector<std::string> bodies(const LoadFlags& flags) {
  std::vector<std::string> made;
  for (const corpora::Example& pair :
       corpora::make_corpus("phrases", {.seed = 7, .size = 2000}).train) {
    made.push_back(nlohmann::json({{"text", pair.source}, {"beam", flags.beam}}).dump());
  }
  return made;
}

// The server's own count of its memory.
double resident_mib(int port) {
  const std::string metrics = fetched(port, "/metrics");
  const std::string name = "\nheed_resident_bytes ";
  const std::size_t place = metrics.find(name);
  if (place == metrics.npos) return 0;
  return std::strtod(metrics.c_str() + place + name.size(), nullptr) / (1 << 20);
}

void print(const LoadFlags& flags, bool json) {
  const std::vector<std::string> all = bodies(flags);
  const auto run = [&](double seconds) {
    return load({.port = flags.port,
                 .clients = flags.clients,
                 .seconds = seconds,
                 .rate = flags.rate,
                 .body = [&](std::size_t n) { return all[n % all.size()]; }});
  };
  run(std::min(2.0, flags.seconds));  // until every thread and block of memory is there
  const double before = resident_mib(flags.port);
  const LoadOutcome outcome = run(flags.seconds);
  const double after = resident_mib(flags.port);
  const double p50 = quantile(outcome.served_ms, .5);
  const double p99 = quantile(outcome.served_ms, .99);
  const double rate = static_cast<double>(outcome.served()) / outcome.seconds;
  if (json) {
    nlohmann::ordered_json row = {{"clients", flags.clients},
                                  {"seconds", outcome.seconds},
                                  {"served", outcome.served()},
                                  {"refused", outcome.refused_ms.size()},
                                  {"errors", outcome.errors()},
                                  {"requests_per_second", rate},
                                  {"p50_ms", p50},
                                  {"p99_ms", p99},
                                  {"slowest_ms", quantile(outcome.served_ms, 1)},
                                  {"refused_p99_ms", quantile(outcome.refused_ms, .99)},
                                  {"refused_slowest_ms", quantile(outcome.refused_ms, 1)},
                                  {"resident_mib_before", before},
                                  {"resident_mib_after", after}};
    fmt::print("{}\n", row.dump(2));
    return;
  }
  fmt::print("{} clients, {:.1f} s: {} served ({:.1f} per second), {} refused, {} errors\n",
             flags.clients, outcome.seconds, outcome.served(), rate, outcome.refused_ms.size(),
             outcome.errors());
  fmt::print("served in ms: p50 {:.1f}, p99 {:.1f} ({:.1f} times p50), slowest {:.1f}\n", p50, p99,
             p50 > 0 ? p99 / p50 : 0, quantile(outcome.served_ms, 1));
  if (!outcome.refused_ms.empty()) {
    fmt::print("refused in ms: p50 {:.1f}, p99 {:.1f}, slowest {:.1f}\n",
               quantile(outcome.refused_ms, .5), quantile(outcome.refused_ms, .99),
               quantile(outcome.refused_ms, 1));
  }
  fmt::print("memory of the server: {:.1f} MiB before, {:.1f} MiB after\n", before, after);
}

Benchmark serve() {
  const auto flags = std::make_shared<LoadFlags>();
  return {.name = "serve",
          .summary = "a running `heed serve` of this machine under many clients",
          .print = [flags](bool json) { print(*flags, json); },
          .declare =
              [flags](CommandLine& line) {
                line.add("--port", flags->port, "where the server listens")
                    .range(1, 65535)
                    .kind("N")
                    .shows_default();
                line.add("--clients", flags->clients, "at once")
                    .range(1, 2000)
                    .kind("N")
                    .shows_default();
                line.add("--load-seconds", flags->seconds, "how long")
                    .range(.1, 600.0)
                    .kind("NUMBER")
                    .shows_default();
                line.add("--rate", flags->rate,
                         "requests a second of all together; 0: as many as they can")
                    .range(0.0, 1e6)
                    .kind("NUMBER")
                    .shows_default();
                line.add("--beam", flags->beam, "of each request")
                    .range(1, 1000)
                    .kind("N")
                    .shows_default();
              }};
}

const ListedBenchmark kListed(serve());

}  // namespace
}  // namespace heed::cli
