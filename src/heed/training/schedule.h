// SPDX-License-Identifier: Apache-2.0
// Schedules: the learning rate of every update, from a warm-up to a peak and down again.
//
// With t the update (from 1), w the warm-up and p the peak, the warm-up is p t / w; then
//   constant              p
//   inverse-square-root   p sqrt(w / t)                            (Vaswani 2017, 5.3)
//   cosine                low + (p - low) (1 + cos(pi s)) / 2      (Loshchilov 2017, eq. 5)
//                         s = (t - w) / (n - w), at most 1
//   step                  p factor^k after k periods of n updates
//   plateau               p factor^k after k times `patience` validations without a better one
// where low is the rate below which none but the warm-up goes, and n is decay_updates.
#pragma once  // public header

#include <cstdint>
#include <string>
#include <vector>

#pragma GCC visibility push(default)  // exported

namespace heed::training {

enum class Decay { constant, inverse_square_root, cosine, step, plateau };
// As options write them, in the order of the enumeration.
const std::vector<std::string>& decay_names();

struct ScheduleOptions {
  Decay decay = Decay::inverse_square_root;
  double peak = 1e-3;
  double low = 0;
  std::int64_t warm_up = 0;
  std::int64_t decay_updates = 0;  // n; cosine and step need it
  double factor = 0.5;
  std::int64_t patience = 2;
};

class Schedule {
 public:
  // UsageError for options out of range and for a cosine or step without decay_updates.
  explicit Schedule(const ScheduleOptions& options);

  // The rate of update t, from 1.
  double rate(std::int64_t t) const;

  // Plateau: how many validations in a row, the latest included, brought nothing better.
  void observe(std::int64_t stale);

  // The whole state: how often a plateau has cut the rate.
  std::int64_t cuts() const { return cuts_; }
  void restore(std::int64_t cuts) { cuts_ = cuts; }

 private:
  double decayed(std::int64_t t) const;

  ScheduleOptions options_;
  std::int64_t cuts_ = 0;
};

}  // namespace heed::training

#pragma GCC visibility pop
