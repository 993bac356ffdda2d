// SPDX-License-Identifier: Apache-2.0
// PlainTrace: a traced example without tensors, for another thread to write as JSON. A tensor given
// back on a worker's thread would stay in that thread's free list, and there are hundreds of them.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "heed/insight/trace_document.h"
#include "server/requests.h"

namespace heed::server {

class PlainTrace {
 public:
  PlainTrace() = default;
  // With the layers and heads that are wished for. HttpError 422 for more weights than an answer
  // should carry.
  PlainTrace(const insight::TracedExample& example, const TraceWish& wish);

  // The form of a trace file, weights to four digits.
  nlohmann::ordered_json json(const std::string& model, const std::string& task) const;

 private:
  struct Head {
    int layer = 0;
    int head = 0;
    std::size_t columns = 0;
    std::vector<float> weights{};  // row by row; NaN: hidden
  };
  struct Set {
    std::string kind{}, queries{}, keys{};
    bool stepwise = false;
    std::vector<Head> heads{};
  };
  std::string title_{};
  std::vector<insight::TokenStrip> strips_{};
  std::vector<Set> sets_{};
};

}  // namespace heed::server
