// SPDX-License-Identifier: Apache-2.0
// Normaliser: turns the scores of one query over its allowed keys into weights. A new one is a
// plain struct in normalisers/ that lists itself:
//
//   struct Sparsemax {
//     static Card card();
//     void declare(Options&) {}
//     template <typename T>
//     void forward(const Row<T>& row, std::span<T> weights) const;
//     template <typename T>
//     void backward(const Row<T>& row, std::span<const T> weights, const RowUpstream<T>& upstream,
//                   const RowGradient<T>& gradient) const;
//   };
//   const ListedNormaliser<Sparsemax> kListed;
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "heed/attention/written/card.h"
#include "heed/attention/written/catalogue.h"
#include "heed/base/random.h"

namespace heed::attention {

// Random numbers of one row: a function of seed, row and key, so that masking a key changes no
// other key's draw, and backward draws the same again.
struct RowRandom {
  std::uint64_t seed = 0;
  std::uint64_t row = 0;  // unique per batch, head, query and call

  // [0, 1) with 53 bits.
  double uniform(std::int32_t key) const {
    const PhiloxBlock words = philox(seed, row, static_cast<std::uint64_t>(key));
    return uniform_double(words[0] | static_cast<std::uint64_t>(words[1]) << 32);
  }
};

// One query's scores over its n >= 1 allowed keys. Masked keys are absent; rows without an allowed
// key never reach a normaliser.
template <typename T>
struct Row {
  std::span<const T> scores;           // [n]
  std::span<const std::int32_t> keys;  // [n], ascending: which keys these are
  std::int64_t head = 0;
  std::span<const T> parameters = {};  // this head's learnable values, see parameter_names()
  std::span<const T> bounds = {};      // [n] upper bounds of the weights, where one was given
  RowRandom random = {};
};

// What arrives from above in backward. A normaliser that samples also has a log-probability and an
// entropy that a loss may use (REINFORCE); for the others these two are zero.
template <typename T>
struct RowUpstream {
  std::span<const T> weights;  // [n]
  T log_probability = 0;
  T entropy = 0;
};

// Where backward writes; d_scores is overwritten, the others are added to, and empty ones are not
// wanted.
template <typename T>
struct RowGradient {
  std::span<T> scores;           // [n]
  std::span<T> parameters = {};  // as Row::parameters
  std::span<T> bounds = {};      // as Row::bounds
};

// Rows one after the other.
template <typename T>
struct Matrix {
  const T* data = nullptr;  // [rows, columns]
  std::size_t rows = 0;
  std::size_t columns = 0;
};

// What a sampling normaliser says of its draw.
template <typename T>
struct RowDraw {
  T log_probability = 0;
  T entropy = 0;
};

// A normaliser that a fused kernel can stand in for.
struct FusedNormaliser {
  enum class Kind { softmax, entmax, topk_softmax };
  Kind kind = Kind::softmax;
  double temperature = 1;  // of softmax: divides the scores first
  double alpha = 0;        // of entmax
  double reach = 0;        // of a learnt alpha, which is 1 + reach sigmoid(parameter)
  std::int64_t k = 0;      // of topk_softmax
};

// The type-erased form. Methods are const: one normaliser serves all rows and threads.
class Normaliser {
 public:
  virtual ~Normaliser() = default;
  virtual const Card& card() const = 0;
  virtual void declare(Options& options) = 0;
  virtual std::unique_ptr<Normaliser> clone() const = 0;
  virtual std::string written() const = 0;  // with the options that differ from their defaults

  // Throws UsageError naming the part when options or bounds cannot work for rows of up to n keys.
  virtual void check(std::int64_t n) const = 0;
  // Learnable values per head, such as {"alpha"}, and where they start; empty for most.
  virtual std::vector<std::string> parameter_names() const = 0;
  virtual std::vector<double> first_parameters() const = 0;
  virtual bool takes_bounds() const = 0;
  virtual std::optional<FusedNormaliser> fused() const = 0;  // nullopt: rows only
  virtual bool draws() const = 0;

  virtual void forward(const Row<float>& row, std::span<float> weights) const = 0;
  virtual void forward(const Row<double>& row, std::span<double> weights) const = 0;
  virtual void backward(const Row<float>& row, std::span<const float> weights,
                        const RowUpstream<float>& upstream,
                        const RowGradient<float>& gradient) const = 0;
  virtual void backward(const Row<double>& row, std::span<const double> weights,
                        const RowUpstream<double>& upstream,
                        const RowGradient<double>& gradient) const = 0;
  // All rows of a contiguous matrix at once, every key allowed, no parameters, no bounds: true when
  // the part has a kernel for it as it is set, false (and nothing written) when rows go one by one.
  virtual bool forward_rows(const Matrix<float>& scores, float* weights) const = 0;
  virtual bool forward_rows(const Matrix<double>& scores, double* weights) const = 0;
  virtual bool backward_rows(const Matrix<float>& weights, const float* upstream,
                             float* gradient) const = 0;
  virtual bool backward_rows(const Matrix<double>& weights, const double* upstream,
                             double* gradient) const = 0;
  // The draw behind `weights`; zeros unless draws().
  virtual RowDraw<float> draw(const Row<float>& row, std::span<const float> weights) const = 0;
  virtual RowDraw<double> draw(const Row<double>& row, std::span<const double> weights) const = 0;

  // Omega(p), p on the simplex, and max_Omega(theta) = max_p <p, theta> - Omega(p); nullopt where
  // the map is no regularised argmax.
  virtual std::optional<double> regulariser(std::span<const double> p) const = 0;
  virtual std::optional<double> maximum(std::span<const double> theta) const = 0;
};

// Gives a plain struct the interface above. Members the struct leaves out get the obvious answer.
template <Part P>
class NormaliserPart final : public Normaliser {
 public:
  explicit NormaliserPart(P part = {}) : part_(std::move(part)) {}
  const Card& card() const override {
    static const Card card = P::card();
    return card;
  }
  void declare(Options& options) override { part_.declare(options); }
  std::string written() const override { return written_form(part_); }
  std::unique_ptr<Normaliser> clone() const override {
    return std::make_unique<NormaliserPart>(part_);
  }
  void check(std::int64_t n) const override {
    if constexpr (requires { part_.check(n); }) part_.check(n);
  }
  std::vector<std::string> parameter_names() const override {
    if constexpr (requires { part_.parameter_names(); }) return part_.parameter_names();
    return {};
  }
  std::vector<double> first_parameters() const override {
    if constexpr (requires { part_.first_parameters(); }) return part_.first_parameters();
    return {};
  }
  bool takes_bounds() const override {
    if constexpr (requires { P::kTakesBounds; }) return P::kTakesBounds;
    return false;
  }
  std::optional<FusedNormaliser> fused() const override {
    if constexpr (requires { part_.fused(); }) return part_.fused();
    return std::nullopt;
  }
  bool draws() const override {
    return requires(const Row<double>& row, std::span<const double> w) {
      part_.draw(row, w);
    };
  }
  void forward(const Row<float>& row, std::span<float> weights) const override {
    part_.forward(row, weights);
  }
  void forward(const Row<double>& row, std::span<double> weights) const override {
    part_.forward(row, weights);
  }
  void backward(const Row<float>& row, std::span<const float> weights,
                const RowUpstream<float>& upstream,
                const RowGradient<float>& gradient) const override {
    part_.backward(row, weights, upstream, gradient);
  }
  void backward(const Row<double>& row, std::span<const double> weights,
                const RowUpstream<double>& upstream,
                const RowGradient<double>& gradient) const override {
    part_.backward(row, weights, upstream, gradient);
  }
  bool forward_rows(const Matrix<float>& scores, float* weights) const override {
    return map_rows(scores, weights);
  }
  bool forward_rows(const Matrix<double>& scores, double* weights) const override {
    return map_rows(scores, weights);
  }
  bool backward_rows(const Matrix<float>& weights, const float* upstream,
                     float* gradient) const override {
    return map_rows(weights, upstream, gradient);
  }
  bool backward_rows(const Matrix<double>& weights, const double* upstream,
                     double* gradient) const override {
    return map_rows(weights, upstream, gradient);
  }
  RowDraw<float> draw(const Row<float>& row, std::span<const float> weights) const override {
    return drawn(row, weights);
  }
  RowDraw<double> draw(const Row<double>& row, std::span<const double> weights) const override {
    return drawn(row, weights);
  }
  std::optional<double> regulariser(std::span<const double> p) const override {
    if constexpr (requires { part_.regulariser(p); }) return part_.regulariser(p);
    return std::nullopt;
  }
  std::optional<double> maximum(std::span<const double> theta) const override {
    if constexpr (requires { part_.maximum(theta); }) return part_.maximum(theta);
    return std::nullopt;
  }

 private:
  template <typename T>
  bool map_rows(const Matrix<T>& scores, T* weights) const {
    if constexpr (requires { part_.forward_rows(scores, weights); }) {
      return part_.forward_rows(scores, weights);
    }
    return false;
  }
  template <typename T>
  bool map_rows(const Matrix<T>& weights, const T* upstream, T* gradient) const {
    if constexpr (requires { part_.backward_rows(weights, upstream, gradient); }) {
      return part_.backward_rows(weights, upstream, gradient);
    }
    return false;
  }
  template <typename T>
  RowDraw<T> drawn(const Row<T>& row, std::span<const T> weights) const {
    if constexpr (requires { part_.draw(row, weights); }) return part_.draw(row, weights);
    return {};
  }
  P part_;
};

template <Part P>
struct ListedNormaliser {
  ListedNormaliser() {
    Catalogue<Normaliser>::add({P::card(), [] { return std::make_unique<NormaliserPart<P>>(); }});
  }
};

}  // namespace heed::attention
