// SPDX-License-Identifier: Apache-2.0
// Exponential moving average of parameters (Polyak 1992): a calmer model than the latest one.
#pragma once  // public header

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::training {

class Ema {
 public:
  // Shares the parameters and begins at their values. UsageError unless 0 < decay < 1.
  Ema(nn::Parameters parameters, double decay);

  // After update t (from 1): average += (1 - d) (parameter - average), where d is `decay`, but
  // (1 + t) / (10 + t) while that is less, so that the beginning is soon forgotten.
  void update(std::int64_t t);

  // Exchanges averages and parameters, element by element; a second call restores both bit by bit.
  void swap();

  // What a checkpoint must keep, by the parameter's name.
  std::map<std::string, Tensor> state() const;
  // Throws DataError when names or shapes do not fit.
  void restore(const std::map<std::string, Tensor>& state);

 private:
  nn::Parameters parameters_;
  std::vector<Tensor> averages_;
  double decay_;
};

// The averages stand in for the parameters within this scope. No average (nullptr): nothing.
class EmaScope {
 public:
  explicit EmaScope(Ema* average) : average_(average) {
    if (average_ != nullptr) average_->swap();
  }
  ~EmaScope() {
    if (average_ != nullptr) average_->swap();
  }
  EmaScope(const EmaScope&) = delete;
  EmaScope& operator=(const EmaScope&) = delete;

 private:
  Ema* average_;
};

}  // namespace heed::training

#pragma GCC visibility pop
