// SPDX-License-Identifier: Apache-2.0
// Largest flows by Dinic's algorithm: levels by breadth first, then paths down the levels until
// none is left, again until the sink has no level.
#include "heed/explain/attention_flow.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "heed/base/error.h"
#include "heed/insight/trace/rollout.h"

namespace heed::explain {
namespace {

constexpr double kNothing = 1e-12;  // of a pipe that is full but for rounding

class Pipes {
 public:
  explicit Pipes(std::span<const Tensor> capacities)
      : layers_(capacities.size()), tokens_(static_cast<std::size_t>(capacities.front().size(0))) {
    for (const Tensor& layer : capacities) {
      for (const Real one : layer.packed().values()) capacity_.push_back(one);
    }
    level_.resize((layers_ + 1) * tokens_);
    next_.resize(level_.size());
  }

  double largest(std::size_t top, std::size_t bottom) {
    flow_.assign(capacity_.size(), 0);
    const std::size_t source = node(layers_, top);
    sink_ = node(0, bottom);
    double sum = 0;
    while (find_levels(source)) {
      std::ranges::fill(next_, 0);
      sum += push(source, std::numeric_limits<double>::infinity());
    }
    return sum;
  }

 private:
  std::size_t node(std::size_t height, std::size_t token) const { return height * tokens_ + token; }
  // The pipe of layer `layer`, from `token` above it to `below`.
  std::size_t pipe(std::size_t layer, std::size_t token, std::size_t below) const {
    return (layer * tokens_ + token) * tokens_ + below;
  }

  // Calls for each neighbour from `first` on with what can still go there: neighbours below, by
  // what a pipe has left, then those above, by what can be taken back. Stops when told to.
  template <class Visit>
  void neighbours(std::size_t from, std::size_t first, Visit visit) const {
    const std::size_t height = from / tokens_, token = from % tokens_;
    for (std::size_t k = first; k < 2 * tokens_; ++k) {
      const bool down = k < tokens_;
      const std::size_t other = down ? k : k - tokens_;
      if (down ? height == 0 : height == layers_) continue;
      const std::size_t at = down ? pipe(height - 1, token, other) : pipe(height, other, token);
      const double room = down ? capacity_[at] - flow_[at] : flow_[at];
      if (room <= kNothing) continue;
      if (!visit(k, node(down ? height - 1 : height + 1, other), at, room)) return;
    }
  }

  bool find_levels(std::size_t source) {
    std::ranges::fill(level_, 0);
    level_[source] = 1;
    queue_.assign(1, source);
    for (std::size_t i = 0; i < queue_.size() && level_[sink_] == 0; ++i) {
      const std::size_t from = queue_[i];
      neighbours(from, 0, [&](std::size_t, std::size_t to, std::size_t, double) {
        // At the bottom only the sink leads anywhere.
        if (level_[to] == 0 && (to >= tokens_ || to == sink_)) {
          level_[to] = level_[from] + 1;
          queue_.push_back(to);
        }
        return true;
      });
    }
    return level_[sink_] != 0;
  }

  // Sends at most `most` on from a node; a neighbour that takes no more is not asked again.
  double push(std::size_t from, double most) {
    if (from == sink_) return most;
    double sent = 0;
    neighbours(from, next_[from], [&](std::size_t k, std::size_t to, std::size_t at, double room) {
      next_[from] = k;
      if (level_[to] != level_[from] + 1) return true;
      const double more = push(to, std::min(most - sent, room));
      flow_[at] += k < tokens_ ? more : -more;
      sent += more;
      return most - sent > kNothing;
    });
    if (most - sent > kNothing) next_[from] = 2 * tokens_;
    return sent;
  }

  std::size_t layers_, tokens_;
  std::size_t sink_ = 0;
  std::vector<double> capacity_, flow_;  // [layers][T][T]
  std::vector<std::size_t> level_, next_, queue_;
};

// The largest flow from a token at the top to each at the bottom, scaled to sum 1.
std::vector<double> row_from(Pipes& pipes, std::size_t top, std::size_t tokens) {
  std::vector<double> row;
  double sum = 0;
  for (std::size_t j = 0; j < tokens; ++j) sum += row.emplace_back(pipes.largest(top, j));
  for (double& one : row) one = sum > 0 ? one / sum : 0;
  return row;
}

void check(std::span<const Tensor> layers, int rank, const char* wants) {
  if (layers.empty()) throw UsageError("attention flow: no layers");
  for (const Tensor& layer : layers) {
    const Shape& shape = layer.shape();
    const bool square =
        shape.rank() == rank && shape[rank - 2] == shape[rank - 1] && shape[rank - 1] > 0;
    if (!square || shape[rank - 1] != layers.front().shape()[rank - 1]) {
      throw UsageError("attention flow: weights {}; it takes {}, as many tokens in each layer",
                       shape.text(), wants);
    }
  }
}

}  // namespace

std::vector<double> flow_from(std::span<const Tensor> capacities, std::int64_t top) {
  check(capacities, 2, "[tokens, tokens]");
  const auto tokens = static_cast<std::size_t>(capacities.front().size(0));
  if (top < 0 || static_cast<std::size_t>(top) >= tokens) {
    throw UsageError("attention flow: from token {} of {}; they are numbered from 0", top, tokens);
  }
  Pipes pipes(capacities);
  return row_from(pipes, static_cast<std::size_t>(top), tokens);
}

Tensor flow_through(std::span<const Tensor> capacities) {
  check(capacities, 2, "[tokens, tokens]");
  const auto tokens = static_cast<std::size_t>(capacities.front().size(0));
  Pipes pipes(capacities);
  Tensor found(capacities.front().shape());
  for (std::size_t t = 0; t < tokens; ++t) {
    std::ranges::transform(row_from(pipes, t, tokens), found.mutable_data() + t * tokens,
                           [](double one) { return static_cast<Real>(one); });
  }
  return found;
}

Tensor attention_flow(std::span<const Tensor> layers) {
  check(layers, 3, "[heads, tokens, tokens]");
  std::vector<Tensor> capacities;
  for (const Tensor& layer : layers) capacities.push_back(insight::layer_with_residual(layer));
  return flow_through(capacities);
}

}  // namespace heed::explain
