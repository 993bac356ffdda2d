// SPDX-License-Identifier: Apache-2.0
// Normaliser: turns scores over the allowed keys into weights, one query at a time, or all queries
// of a head at once (matrix normalisers). A new one is a plain struct in normalisers/ that lists
// itself:
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
//
// A matrix normaliser has forward and backward on a Table instead. One with learnable tensors is a
// module: it adds build(), visit() and parameters(). One whose promises hang on its options adds
// keeps(). One whose weights are the mean of a structure that can be drawn adds draw_from(),
// draw_value() and draw_backward(), as RowNormaliser has them; where weights are the chances of
// keys nothing is to be added.
#pragma once  // public header

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "heed/attention/written/card.h"
#include "heed/attention/written/catalogue.h"
#include "heed/autograd/variable.h"
#include "heed/base/random.h"
#include "heed/kernels/attention/sparse_attention.h"
#include "heed/nn/module.h"

#pragma GCC visibility push(default)  // exported

namespace heed::attention {

// Random numbers of one row: a function of seed, row and key, so that masking a key changes no
// other key's draw, and backward draws the same again.
struct RowRandom {
  std::uint64_t seed = 0;
  std::uint64_t row = 0;   // unique per batch, head, query and call
  bool likeliest = false;  // no noise: what would be drawn most often is taken instead

  // [0, 1) with 53 bits, the `draw`-th number of this key.
  double uniform(std::int32_t key, std::uint32_t draw = 0) const {
    const PhiloxBlock words =
        philox(seed, row, static_cast<std::uint64_t>(draw) << 32 | static_cast<std::uint32_t>(key));
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
  std::span<const T> parameters = {};  // this head's row of Normaliser::parameters()
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

// All queries of one head of one sequence over their allowed keys, row after row. Masked keys are
// absent, and a query without an allowed key has an empty row.
template <typename T>
struct Table {
  std::int64_t queries = 0;
  std::int64_t keys = 0;                  // of the memory, allowed or not
  std::span<const T> scores;              // [N]
  std::span<const std::int32_t> columns;  // [N]: which keys these are, ascending in each row
  std::span<const std::size_t> rows;      // [Q+1]: row q begins at rows[q] and ends at rows[q+1]
  std::int64_t head = 0;
  std::span<const T> parameters = {};  // this head's row of Normaliser::parameters()
};

// Which tables a matrix normaliser takes; rows and columns that a mask leaves empty do not count.
enum class TableShape {
  any,
  wide,    // no more queries than keys
  square,  // the queries are the keys
};

// Where backward on a table writes; the scores are overwritten, the parameters are added to.
template <typename T>
struct TableGradient {
  std::span<T> scores;           // [N]
  std::span<T> parameters = {};  // as Table::parameters; empty: not wanted
};

// What a sampling normaliser says of its draw.
template <typename T>
struct RowDraw {
  T log_probability = 0;
  T entropy = 0;
};

// What a row of weights is the mean of, for parts that put a draw in its place.
enum class DrawnAs {
  nothing,   // it cannot be drawn from
  one_key,   // the weights are the chances of the keys, of which one is drawn
  gates,     // a weight is the chance of its key, drawn apart from the others
  structure  // as the part says itself
};

// How likely a key is to have a weight above 0, and the slope of that along its score.
struct OpenChance {
  double value = 0;
  double slope = 0;
};

class RowStructure;  // normalisers/row_structure.h

// A normaliser that a fused kernel can stand in for: softmax, or one with exact zeros.
struct FusedNormaliser {
  double temperature = 1;                                // of softmax: divides the scores first
  std::optional<kernels::SparseNormaliser> sparse = {};  // not defined: softmax
  std::vector<double> slope = {};  // [H], of a learnt alpha along the parameter behind it
};

// One of the few structures that share the weights, of normalisers that solve SparseMAP.
struct Member {
  double share = 0;                // of all: above 0, and adding up to 1
  std::vector<std::int32_t> keys;  // of a row, those it has; of a table, each query's, -1 for none
};

struct NormaliserShape {
  std::int64_t heads = 1;
};

// The type-erased form, of rows or of matrices. Methods are const but for declare, build and visit:
// one normaliser serves all heads and threads.
class Normaliser {
 public:
  virtual ~Normaliser() = default;
  virtual const Card& card() const = 0;
  virtual void declare(Options& options) = 0;
  virtual std::unique_ptr<Normaliser> clone() const = 0;
  virtual std::string written() const = 0;  // with the options that differ from their defaults
  // Whether it promises this as it is set: as its card says, unless it hangs on its options.
  virtual bool keeps(Promise promise) const = 0;

  // Throws UsageError naming the part when options or bounds cannot work for up to n keys.
  virtual void check(std::int64_t n) const = 0;
  // Makes the learnable tensors; most have none.
  virtual void build(const NormaliserShape& shape, Random& random) = 0;
  virtual void visit(nn::ParameterVisitor& visitor) = 0;
  // [H,P]: what each head reads of the learnable tensors, made of them by recorded operations; not
  // defined: nothing.
  virtual Variable parameters() const = 0;
  virtual bool takes_bounds() const = 0;
  virtual std::optional<FusedNormaliser> fused() const = 0;  // nullopt: the composition only

  // Omega(p), p on the simplex, and max_Omega(theta) = max_p <p, theta> - Omega(p); nullopt where
  // the map is no regularised argmax. One whose weights do not add up to one has the maximum alone,
  // over all weights that it may give: of a structure, its log-partition.
  virtual std::optional<double> regulariser(std::span<const double> p) const = 0;
  virtual std::optional<double> maximum(std::span<const double> theta) const = 0;
};

// Weighs each query alone.
class RowNormaliser : public Normaliser {
 public:
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
  // What was made of `scores`, and what arrives from above, are matrices of the same shape.
  virtual bool backward_rows(const Matrix<float>& scores, const float* weights,
                             const float* upstream, float* gradient) const = 0;
  virtual bool backward_rows(const Matrix<double>& scores, const double* weights,
                             const double* upstream, double* gradient) const = 0;
  // The distribution over choices of keys whose expectation the weights are; nullptr: they are
  // none.
  virtual const RowStructure* structure() const = 0;
  // The structures that share the weights, the largest share first; empty where there are no such.
  virtual std::vector<Member> members(const Row<double>& row) const = 0;
  // The draw behind `weights`; zeros unless draws().
  virtual RowDraw<float> draw(const Row<float>& row, std::span<const float> weights) const = 0;
  virtual RowDraw<double> draw(const Row<double>& row, std::span<const double> weights) const = 0;

  // How to draw z of zeros and ones whose mean are the weights, for parts such as `sample`. Always
  // in double. What these do by themselves is right for one key, for gates and for a RowStructure;
  // another structure has its own.
  virtual DrawnAs drawn_as() const = 0;
  // Of a key with this score, where each is drawn apart from the others; nullopt: none is.
  virtual std::optional<OpenChance> open_chance(double score) const = 0;
  // z; the likeliest where row.random says so, the lowest keys of equals. NaN for weights of NaN.
  virtual void draw_from(const Row<double>& row, std::span<const double> weights,
                         std::span<double> z) const;
  // log p(z) and the entropy.
  virtual RowDraw<double> draw_value(const Row<double>& row, std::span<const double> weights,
                                     std::span<const double> z) const;
  // Adds upstream.log_probability d log p(z) + upstream.entropy dH to all that is wanted, the
  // scores included.
  virtual void draw_backward(const Row<double>& row, std::span<const double> weights,
                             std::span<const double> z, const RowDraw<double>& upstream,
                             const RowGradient<double>& gradient) const;
};

// Weighs all queries of a head together: the weights of one depend on the scores of the others. A
// query without an allowed key and a key that no query may see are absent, as if the table had been
// made without them; any other masked cell is forbidden. UsageError naming the part where that
// leaves nothing to weigh, and for a table it does not take.
class MatrixNormaliser : public Normaliser {
 public:
  virtual void forward(const Table<float>& table, std::span<float> weights) const = 0;
  virtual void forward(const Table<double>& table, std::span<double> weights) const = 0;
  virtual void backward(const Table<float>& table, std::span<const float> weights,
                        std::span<const float> upstream,
                        const TableGradient<float>& gradient) const = 0;
  virtual void backward(const Table<double>& table, std::span<const double> weights,
                        std::span<const double> upstream,
                        const TableGradient<double>& gradient) const = 0;
  virtual TableShape takes() const = 0;

  // The same on a table: max_Omega, whose slope along the scores are the weights, and Omega of
  // weights [N]; nullopt where there is none, or where Omega is not known of such weights. Of a
  // distribution over structures the maximum is log sum exp of their scores, and Omega, known of
  // one structure only, 0.
  virtual std::optional<double> table_maximum(const Table<double>& table) const = 0;
  virtual std::optional<double> table_regulariser(const Table<double>& table,
                                                  std::span<const double> weights) const = 0;
  // The structure with the highest score: the key of each query [Q], -1 for an absent one; of equal
  // ones that whose keys come first as a list. Empty where weights are no choice of keys.
  virtual std::vector<std::int32_t> best(const Table<double>& table) const = 0;
  // The structures that share the weights, as RowNormaliser has them.
  virtual std::vector<Member> members(const Table<double>& table) const = 0;
  // How far the table of weights is from what iterations would lead to: the largest error of a
  // column's sum. 0 where nothing is iterated.
  virtual double defect(const Table<double>& table) const = 0;

  // Whether the weights of a query depend on later ones. Where they do not, queries may come one
  // after another: continued() gives scores [B,H,Q,K] as they are after queries whose last one has
  // the weights past [B,H,K], all zeros where there was none.
  virtual bool looks_ahead() const = 0;
  virtual Variable continued(const Variable& scores, const Variable& past) const = 0;
};

// Whether it weighs all queries of a head together.
inline bool weighs_matrices(const Normaliser& normaliser) {
  return dynamic_cast<const MatrixNormaliser*>(&normaliser) != nullptr;
}

// Whether its weights of a query depend on later ones, which must then be there.
inline bool looks_ahead(const Normaliser& normaliser) {
  const auto* matrices = dynamic_cast<const MatrixNormaliser*>(&normaliser);
  return matrices != nullptr && matrices->looks_ahead();
}

// Gives a plain struct what both kinds share. Members the struct leaves out get the obvious answer.
template <Part P, typename Kind>
class NormaliserPart : public Kind {
 public:
  explicit NormaliserPart(P part = {}) : part_(std::move(part)) {}
  const Card& card() const override {
    static const Card card = P::card();
    return card;
  }
  void declare(Options& options) override { part_.declare(options); }
  std::string written() const override { return written_form(part_); }
  bool keeps(Promise promise) const override {
    if constexpr (requires { part_.keeps(promise); }) {
      if (const std::optional<bool> said = part_.keeps(promise)) return *said;
    }
    return std::ranges::find(card().promises, promise) != card().promises.end();
  }
  void check(std::int64_t n) const override {
    if constexpr (requires { part_.check(n); }) part_.check(n);
  }
  void build(const NormaliserShape& shape, Random& random) override {
    if constexpr (requires { part_.build(shape, random); }) part_.build(shape, random);
  }
  void visit(nn::ParameterVisitor& visitor) override {
    if constexpr (requires { part_.visit(visitor); }) part_.visit(visitor);
  }
  Variable parameters() const override {
    if constexpr (requires { part_.parameters(); }) return part_.parameters();
    return {};
  }
  bool takes_bounds() const override {
    if constexpr (requires { part_.takes_bounds(); }) return part_.takes_bounds();
    if constexpr (requires { P::kTakesBounds; }) return P::kTakesBounds;
    return false;
  }
  std::optional<FusedNormaliser> fused() const override {
    if constexpr (requires { part_.fused(); }) return part_.fused();
    return std::nullopt;
  }
  std::optional<double> regulariser(std::span<const double> p) const override {
    if constexpr (requires { part_.regulariser(p); }) return part_.regulariser(p);
    return std::nullopt;
  }
  std::optional<double> maximum(std::span<const double> theta) const override {
    if constexpr (requires { part_.maximum(theta); }) return part_.maximum(theta);
    return std::nullopt;
  }

 protected:
  P part_;
};

template <Part P>
class RowNormaliserPart final : public NormaliserPart<P, RowNormaliser> {
 public:
  using NormaliserPart<P, RowNormaliser>::NormaliserPart;
  std::unique_ptr<Normaliser> clone() const override {
    return std::make_unique<RowNormaliserPart>(part_);
  }
  bool draws() const override {
    if constexpr (requires { part_.draws(); }) return part_.draws();
    return requires(const P& part, const Row<double>& row, std::span<const double> w) {
      part.draw(row, w);
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
  bool backward_rows(const Matrix<float>& scores, const float* weights, const float* upstream,
                     float* gradient) const override {
    return map_rows(scores, weights, upstream, gradient);
  }
  bool backward_rows(const Matrix<double>& scores, const double* weights, const double* upstream,
                     double* gradient) const override {
    return map_rows(scores, weights, upstream, gradient);
  }
  const RowStructure* structure() const override {
    if constexpr (requires { part_.structure(); }) {
      return part_.structure();
    } else if constexpr (std::is_base_of_v<RowStructure, P>) {
      return &part_;
    } else {
      return nullptr;
    }
  }
  std::vector<Member> members(const Row<double>& row) const override {
    if constexpr (requires { part_.members(row); }) return part_.members(row);
    return {};
  }
  RowDraw<float> draw(const Row<float>& row, std::span<const float> weights) const override {
    return drawn(row, weights);
  }
  RowDraw<double> draw(const Row<double>& row, std::span<const double> weights) const override {
    return drawn(row, weights);
  }
  DrawnAs drawn_as() const override {
    if (kDrawsItself || structure() != nullptr) return DrawnAs::structure;
    if constexpr (requires { P::kDrawnAs; }) return P::kDrawnAs;
    const bool chances = this->keeps(Promise::sums_to_one) && !this->keeps(Promise::random) &&
                         !this->keeps(Promise::may_be_negative) &&
                         !this->keeps(Promise::surrogate_gradient);
    return chances ? DrawnAs::one_key : DrawnAs::nothing;
  }
  std::optional<OpenChance> open_chance(double score) const override {
    if constexpr (requires { part_.open_chance(score); }) return part_.open_chance(score);
    return std::nullopt;
  }
  void draw_from(const Row<double>& row, std::span<const double> weights,
                 std::span<double> z) const override {
    if constexpr (kDrawsItself) {
      part_.draw_from(row, weights, z);
    } else {
      RowNormaliser::draw_from(row, weights, z);
    }
  }
  RowDraw<double> draw_value(const Row<double>& row, std::span<const double> weights,
                             std::span<const double> z) const override {
    if constexpr (kDrawsItself) {
      return part_.draw_value(row, weights, z);
    } else {
      return RowNormaliser::draw_value(row, weights, z);
    }
  }
  void draw_backward(const Row<double>& row, std::span<const double> weights,
                     std::span<const double> z, const RowDraw<double>& upstream,
                     const RowGradient<double>& gradient) const override {
    if constexpr (kDrawsItself) {
      part_.draw_backward(row, weights, z, upstream, gradient);
    } else {
      RowNormaliser::draw_backward(row, weights, z, upstream, gradient);
    }
  }

 private:
  using NormaliserPart<P, RowNormaliser>::part_;
  static constexpr bool kDrawsItself =
      requires(const P& part, const Row<double>& row, std::span<double> z) {
    part.draw_from(row, z, z);
  };
  template <typename T>
  bool map_rows(const Matrix<T>& scores, T* weights) const {
    if constexpr (requires { part_.forward_rows(scores, weights); }) {
      return part_.forward_rows(scores, weights);
    }
    return false;
  }
  template <typename T>
  bool map_rows(const Matrix<T>& scores, const T* weights, const T* upstream, T* gradient) const {
    if constexpr (requires { part_.backward_rows(scores, weights, upstream, gradient); }) {
      return part_.backward_rows(scores, weights, upstream, gradient);
    }
    return false;
  }
  template <typename T>
  RowDraw<T> drawn(const Row<T>& row, std::span<const T> weights) const {
    if constexpr (requires { part_.draw(row, weights); }) return part_.draw(row, weights);
    return {};
  }
};

template <Part P>
class MatrixNormaliserPart final : public NormaliserPart<P, MatrixNormaliser> {
 public:
  using NormaliserPart<P, MatrixNormaliser>::NormaliserPart;
  std::unique_ptr<Normaliser> clone() const override {
    return std::make_unique<MatrixNormaliserPart>(part_);
  }
  void forward(const Table<float>& table, std::span<float> weights) const override {
    part_.forward(table, weights);
  }
  void forward(const Table<double>& table, std::span<double> weights) const override {
    part_.forward(table, weights);
  }
  void backward(const Table<float>& table, std::span<const float> weights,
                std::span<const float> upstream,
                const TableGradient<float>& gradient) const override {
    part_.backward(table, weights, upstream, gradient);
  }
  void backward(const Table<double>& table, std::span<const double> weights,
                std::span<const double> upstream,
                const TableGradient<double>& gradient) const override {
    part_.backward(table, weights, upstream, gradient);
  }
  TableShape takes() const override {
    if constexpr (requires { part_.takes(); }) return part_.takes();
    return TableShape::any;
  }
  std::optional<double> table_maximum(const Table<double>& table) const override {
    if constexpr (requires { part_.maximum(table); }) return part_.maximum(table);
    return std::nullopt;
  }
  std::optional<double> table_regulariser(const Table<double>& table,
                                          std::span<const double> weights) const override {
    if constexpr (requires { part_.regulariser(table, weights); }) {
      return part_.regulariser(table, weights);
    }
    return std::nullopt;
  }
  std::vector<std::int32_t> best(const Table<double>& table) const override {
    if constexpr (requires { part_.best(table); }) return part_.best(table);
    return {};
  }
  std::vector<Member> members(const Table<double>& table) const override {
    if constexpr (requires { part_.members(table); }) return part_.members(table);
    return {};
  }
  double defect(const Table<double>& table) const override {
    if constexpr (requires { part_.defect(table); }) return part_.defect(table);
    return 0;
  }
  bool looks_ahead() const override {
    if constexpr (requires { part_.looks_ahead(); }) return part_.looks_ahead();
    return true;
  }
  Variable continued(const Variable& scores, const Variable& past) const override {
    if constexpr (requires { part_.continued(scores, past); }) {
      return part_.continued(scores, past);
    }
    return scores;
  }

 private:
  using NormaliserPart<P, MatrixNormaliser>::part_;
};

template <typename P>
concept WeighsMatrices = requires(const P& part, const Table<double>& table, std::span<double> w) {
  part.forward(table, w);
};

template <Part P>
struct ListedNormaliser {
  ListedNormaliser() {
    Catalogue<Normaliser>::add({P::card(), []() -> std::unique_ptr<Normaliser> {
                                  if constexpr (WeighsMatrices<P>) {
                                    return std::make_unique<MatrixNormaliserPart<P>>();
                                  } else {
                                    return std::make_unique<RowNormaliserPart<P>>();
                                  }
                                }});
  }
};

}  // namespace heed::attention

#pragma GCC visibility pop
