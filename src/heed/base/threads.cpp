// SPDX-License-Identifier: Apache-2.0
// The thread count: from HEED_THREADS, else the physical cores this process may use.
#include "heed/base/threads.h"

#include <omp.h>
#include <sched.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "heed/base/error.h"

namespace heed {
namespace {

constexpr int kMostThreads = 1024;

int first_count() {
  int count = physical_cores();
  if (const char* asked = std::getenv("HEED_THREADS"); asked != nullptr) {
    try {
      count = parse_threads(asked);
    } catch (const UsageError& error) {
      fmt::print(stderr, "heed: {}; using {}\n", error.what(), count);
    }
  }
  return count;
}

std::atomic<int>& current() {
  static std::atomic<int> count = first_count();
  return count;
}

}  // namespace

int parse_threads(std::string_view text) {
  int count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count < 1 ||
      count > kMostThreads) {
    throw UsageError("HEED_THREADS is \"{}\": it takes a whole number from 1 to {}", text,
                     kMostThreads);
  }
  return count;
}

int physical_cores() {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  std::set<std::pair<int, int>> cores;  // (package, core): hyper-threads of one core coincide
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    const std::string topology = fmt::format("/sys/devices/system/cpu/cpu{}/topology/", cpu);
    int package = 0;
    int core = cpu;
    std::ifstream(topology + "physical_package_id") >> package;
    std::ifstream file(topology + "core_id");
    if (!(file >> core)) core = cpu;
    cores.emplace(package, core);
  }
  return cores.empty() ? 1 : static_cast<int>(cores.size());
}

int threads() noexcept {
  return current().load(std::memory_order_relaxed);
}

void set_threads(int count) {
  if (count < 1 || count > kMostThreads) {
    throw UsageError("threads: {} asked for; it takes a whole number from 1 to {}", count,
                     kMostThreads);
  }
  current().store(count, std::memory_order_relaxed);
}

void tell_openmp_threads() noexcept {
  if (omp_get_max_threads() != threads()) omp_set_num_threads(threads());
}

}  // namespace heed
