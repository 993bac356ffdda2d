// SPDX-License-Identifier: Apache-2.0
// Threads: OpenMP, the runtime oneDNN uses; as many as physical cores unless HEED_THREADS or
// set_threads says otherwise.
#pragma once  // public header

#include <cstddef>
#include <string_view>

#include "heed/base/first_exception.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

// The number of threads a parallel region uses. First use reads HEED_THREADS; a value parse_threads
// refuses is reported on stderr and passed over, because kernels ask here and never throw. The
// program `heed` refuses it at its start.
int threads() noexcept;

// Changes it for the whole process, oneDNN included; may be called while other threads compute,
// whose next parallel region follows it. Throws UsageError outside 1..1024.
void set_threads(int count);

// Tells the OpenMP runtime, which counts for each calling thread apart, before a library is called
// that asks it (oneDNN). Heed's own regions name their number themselves.
void tell_openmp_threads() noexcept;

// What HEED_THREADS=text asks for; throws UsageError that names the variable and the allowed range.
int parse_threads(std::string_view text);

// Physical cores this process may run on (hyper-threads of one core count once, the affinity mask
// is respected).
int physical_cores();

// Sets the thread count and puts the old one back at the end of the scope. The count is the
// process's: scopes on several threads at once would put back each other's.
class ThreadScope {
 public:
  explicit ThreadScope(int count) : before_(threads()) { set_threads(count); }
  // NOLINTNEXTLINE(bugprone-exception-escape): what was the count before is allowed
  ~ThreadScope() { set_threads(before_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

// Calls body(begin, end) over contiguous, equal parts of [0, count), one per thread, in a fixed
// division that depends only on count, grain and threads(): same bits for the same thread count.
// No thread gets fewer than grain items, so small work stays on the calling thread and pays
// nothing. Boundaries are multiples of 16 items when count allows it, so that no two threads share
// a cache line of floats. When body throws, the parts that have begun end, and the first exception
// is thrown again here.
template <typename Body>
inline void parallel_for(std::size_t count, std::size_t grain, Body&& body) {
  const std::size_t most = grain == 0 ? count : count / grain;
  if (most < 2 || threads() == 1) {
    if (count > 0) body(std::size_t{0}, count);
    return;
  }
  const std::size_t parts = most < static_cast<std::size_t>(threads()) ? most : threads();
  const std::size_t unit = count >= 64 * parts ? 16 : 1;
  const std::size_t units = (count + unit - 1) / unit;
  FirstException failure;
#pragma omp parallel for num_threads(static_cast <int>(parts)) schedule(static, 1)
  for (std::size_t part = 0; part < parts; ++part) {
    const std::size_t begin = units * part / parts * unit;
    const std::size_t end = units * (part + 1) / parts * unit;
    failure.guard([&] { body(begin, end < count ? end : count); });
  }
  failure.rethrow();
}

}  // namespace heed

#pragma GCC visibility pop
