// SPDX-License-Identifier: Apache-2.0
// Watched: data as a model reads them, run under observers: what looking into its heads and layers
// needs of any kind of model. A kind gives it by Model::watched.
//
//   const auto data = model->watched({.files = {"test.tsv"}});
//   insight::KeptStates kept;
//   const WatchedRun run = data->run(std::array<std::size_t, 2>{0, 1}, {.watch = &kept});
//
// Letters: B examples of a run.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/autograd/ops.h"
#include "heed/base/exported.h"
#include "heed/insight/trace/trace_document.h"
#include "heed/models/call.h"
#include "heed/nn/module.h"
#include "heed/pipeline/model.h"

namespace heed::pipeline {

// What is run: files as Model::measure takes them, or else texts, of which no right answer is known
// and the model's own stands for it.
struct WatchedData {
  std::vector<std::string> files{};
  std::vector<Input> inputs{};
  std::size_t most = 0;  // examples; 0: all
  // Tokens of a piece of running text, where the kind reads that.
  std::int64_t window = 128;
};

struct WatchedRun {
  Variable losses{};            // [B], of all that an example asks for: the sum of -log p
  std::vector<double> units{};  // [B], how much that is: labels, tokens
  std::vector<double> right{};  // [B], how much of it the model finds likeliest
};

class HEED_EXPORTED Watched {
 public:
  virtual ~Watched() = default;
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  virtual std::size_t size() const = 0;  // examples
  // "labels", "tokens": what units are.
  virtual std::string unit() const = 0;
  // The tokens that sites of attention name, ends included.
  virtual std::vector<insight::TokenStrip> strips(std::size_t example) const = 0;
  // Row b of every observed batch is examples[b].
  virtual WatchedRun run(std::span<const std::size_t> examples, const models::Call& call) const = 0;
  // Of the model, which gradients of a loss reach as well.
  virtual nn::Parameters parameters() const = 0;

  // All examples, or those given, in batches of about so many tokens, long ones first.
  std::vector<std::vector<std::size_t>> batches(std::size_t tokens = 2048) const;
  std::vector<std::vector<std::size_t>> batches(std::span<const std::size_t> examples,
                                                std::size_t tokens = 2048) const;

 protected:
  Watched() = default;
};

// losses [N], of which each row has its count, one after the other -> [B]
Variable summed_rows(const Variable& losses, std::span<const std::int64_t> counts);
// How many of these rows of logits [N,V] are largest at their target, likewise by row.
std::vector<double> right_rows(const Tensor& logits, const Ids& wanted,
                               std::span<const std::int64_t> counts);

}  // namespace heed::pipeline
