// SPDX-License-Identifier: Apache-2.0
// Generating or copying: the mixture of a vocabulary's distribution and of weights over a source.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "heed/autograd/kept_ids.h"
#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/base/threads.h"
#include "heed/kernels/softmax.h"

namespace heed {
namespace {

// What a place that holds a word gives it at least: a sparse mechanism that looks elsewhere makes
// the word costly, not impossible.
constexpr Real kLeastWeight = Real(1e-9);

constexpr std::size_t kRowsPerThread = 16;

// log(1 / (1 + e^-x))
Real log_sigmoid(Real x) {
  return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x));
}

Real log_sum(Real a, Real b) {
  const Real larger = std::max(a, b);
  return larger + std::log1p(std::exp(std::min(a, b) - larger));
}

// The places of one source that hold the same token.
struct Holders {
  std::int32_t token;
  std::vector<std::size_t> places;

  Real weight(const Real* weights) const {
    Real sum = kLeastWeight;
    for (const std::size_t place : places) sum += weights[place];
    return sum;
  }
};

// For each source its tokens, by their number.
std::vector<std::vector<Holders>> holders_of(const Ids& tokens) {
  const Ids packed = tokens.packed();
  const auto width = static_cast<std::size_t>(packed.size(1));
  std::vector<std::vector<Holders>> all(static_cast<std::size_t>(packed.size(0)));
  for (std::size_t row = 0; row < all.size(); ++row) {
    std::vector<Holders>& mine = all[row];
    for (std::size_t place = 0; place < width; ++place) {
      const std::int32_t token = packed.data()[row * width + place];
      if (token < 0) continue;
      const auto found = std::ranges::lower_bound(mine, token, {}, &Holders::token);
      if (found != mine.end() && found->token == token) {
        found->places.push_back(place);
      } else {
        mine.insert(found, {token, {place}});
      }
    }
  }
  return all;
}

struct Sizes {
  std::size_t rows, vocabulary, total, places;
};

Sizes checked(const Variable& logits, const Variable& gate, const Variable& weights,
              const CopiedTokens& copied) {
  const bool fits = logits.rank() == 2 && weights.rank() == 2 && copied.tokens.rank() == 2 &&
                    gate.shape() == Shape({logits.size(0)}) &&
                    weights.shape() == Shape({logits.size(0), copied.tokens.size(1)}) &&
                    copied.sources.shape() == gate.shape() && copied.total >= logits.size(1);
  if (!fits) {
    throw UsageError(
        "log_copy_mixture: logits {}, gate {}, weights {}, tokens {} of sources {}, {} in all; it "
        "takes [N,V], [N], [N,S], [B,S], [N], and V or more",
        logits.shape().text(), gate.shape().text(), weights.shape().text(),
        copied.tokens.shape().text(), copied.sources.shape().text(), copied.total);
  }
  check_ids(copied.sources, copied.tokens.size(0), "log_copy_mixture");
  check_ids(copied.tokens, copied.total, "log_copy_mixture", -1);
  return {static_cast<std::size_t>(logits.size(0)), static_cast<std::size_t>(logits.size(1)),
          static_cast<std::size_t>(copied.total), static_cast<std::size_t>(weights.size(1))};
}

}  // namespace

// With p = sigmoid(gate), P = softmax(logits), A_w the weights of the places that hold w:
//
//   y_w = log(p P_w + (1 - p) A_w)
//
// and with r_w = p P_w / (p P_w + (1 - p) A_w), the share of w that is generated:
//
//   d logits_w = dy_w r_w - P_w (sum over v of dy_v r_v)
//   d gate     = sum over w of dy_w (r_w - p)
//   d weight_s = dy_w (1 - r_w) / A_w, w the token at place s
Variable log_copy_mixture(const Variable& logits, const Variable& gate, const Variable& weights,
                          const CopiedTokens& copied) {
  const Sizes size = checked(logits, gate, weights, copied);
  const Tensor z = logits.value().packed();
  const Tensor g = gate.value().packed();
  const Tensor a = weights.value().packed();
  const Ids sources = kept_ids(copied.sources);
  const auto holders =
      std::make_shared<const std::vector<std::vector<Holders>>>(holders_of(copied.tokens));
  Tensor generated(z.shape());
  kernels::log_softmax(z.data(), generated.mutable_data(), size.rows, size.vocabulary);
  Tensor y({logits.size(0), copied.total});
  Real* const out = y.mutable_data();
  parallel_for(size.rows, kRowsPerThread, [&](std::size_t begin, std::size_t end) {
    for (std::size_t n = begin; n < end; ++n) {
      const Real log_p = log_sigmoid(g.data()[n]);
      const Real log_q = log_sigmoid(-g.data()[n]);
      Real* const row = out + n * size.total;
      std::transform(generated.data() + n * size.vocabulary,
                     generated.data() + (n + 1) * size.vocabulary, row,
                     [log_p](Real x) { return x + log_p; });
      std::fill(row + size.vocabulary, row + size.total, -std::numeric_limits<Real>::infinity());
      for (const Holders& held : (*holders)[static_cast<std::size_t>(sources.data()[n])]) {
        const Real copies = log_q + std::log(held.weight(a.data() + n * size.places));
        row[held.token] = log_sum(row[held.token], copies);
      }
    }
  });
  const auto backward = [=](const Tensor& gradient) -> Gradients {
    const Tensor dy = gradient.packed();
    Tensor dz(z.shape());
    Tensor dg(g.shape());
    Tensor da = Tensor::zeros(a.shape());
    kernels::softmax(z.data(), dz.mutable_data(), size.rows, size.vocabulary);
    Real* const dlogits = dz.mutable_data();
    Real* const dgate = dg.mutable_data();
    Real* const dweights = da.mutable_data();
    parallel_for(size.rows, kRowsPerThread, [&](std::size_t begin, std::size_t end) {
      for (std::size_t n = begin; n < end; ++n) {
        const Real p = std::exp(log_sigmoid(g.data()[n]));
        const Real q = std::exp(log_sigmoid(-g.data()[n]));
        const Real* const change = dy.data() + n * size.total;
        Real* const probabilities = dlogits + n * size.vocabulary;  // become their own gradient
        const auto& mine = (*holders)[static_cast<std::size_t>(sources.data()[n])];
        // First as if every word of the vocabulary were generated, r = 1, then those of the source.
        Real whole = 0;
        for (std::size_t w = 0; w < size.vocabulary; ++w) whole += change[w];
        Real from_gate = q * whole;
        std::vector<Real> shares;
        for (const Holders& held : mine) {
          const auto w = static_cast<std::size_t>(held.token);
          const bool known = w < size.vocabulary;
          const Real weight = held.weight(a.data() + n * size.places);
          const Real made = known ? p * probabilities[w] : Real{0};
          const Real share = made / (made + q * weight);
          shares.push_back(share);
          from_gate += change[w] * (share - p) - (known ? change[w] * q : Real{0});
          if (known) whole -= change[w] * (1 - share);
          for (const std::size_t place : held.places) {
            dweights[n * size.places + place] = change[w] * (1 - share) / weight;
          }
        }
        dgate[n] = from_gate;
        for (std::size_t w = 0; w < size.vocabulary; ++w) {
          probabilities[w] = change[w] - probabilities[w] * whole;
        }
        for (std::size_t i = 0; i < mine.size(); ++i) {
          const auto w = static_cast<std::size_t>(mine[i].token);
          if (w < size.vocabulary) probabilities[w] -= change[w] * (1 - shares[i]);
        }
      }
    });
    return {dz, dg, da};
  };
  return record("log_copy_mixture", y, {logits, gate, weights}, backward);
}

}  // namespace heed
