// SPDX-License-Identifier: Apache-2.0
// `heed info`: what this build is, and what this machine can do.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cli/verb.h"
#include "heed/base/text.h"
#include "heed/base/threads.h"
#include "heed/kernels/measure.h"
#include "heed/kernels/targets.h"
#include "heed/tensor/real.h"

namespace heed::cli {
namespace {

struct InfoVerb {
  bool json = false;

  Options list;

  InfoVerb() { list.add("json", json, "print one JSON object"); }
};

void run(const InfoVerb& verb) {
  const double fma = kernels::fma_gflops(0.3);
  const double stream = kernels::stream_gbs(0.5);
  const char* real = sizeof(Real) == 4 ? "float" : "double";
  if (verb.json) {
    fmt::print("{}\n", nlohmann::json{{"version", HEED_VERSION},
                                      {"real", real},
                                      {"target", kernels::current_target()},
                                      {"targets", kernels::supported_targets()},
                                      {"threads", threads()},
                                      {"cores", physical_cores()},
                                      {"fma_gflops", fma},
                                      {"stream_gbs", stream}}
                           .dump(2));
    return;
  }
  fmt::print("heed        {}, Real = {}\n", HEED_VERSION, real);
  fmt::print("CPU target  {} (can run {})\n", kernels::current_target(),
             join(kernels::supported_targets(), ", "));
  fmt::print("threads     {} of {} physical cores (HEED_THREADS changes it)\n", threads(),
             physical_cores());
  fmt::print("FMA loop    {:.1f} GFLOP/s per core, float\n", fma);
  fmt::print("stream      {:.1f} GB/s read + written, {} threads\n", stream, threads());
}

Action set_up(CommandLine& line) {
  auto verb = std::make_shared<InfoVerb>();
  return line.with_options(verb->list, [verb] { run(*verb); });
}

const ListedVerb kListed({.name = "info",
                          .summary = "Version, CPU target, threads and the machine's yardsticks",
                          .description = "",
                          .example = "heed info\nheed info --json",
                          .setup = set_up});

}  // namespace
}  // namespace heed::cli
