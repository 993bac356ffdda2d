// SPDX-License-Identifier: Apache-2.0
// Every differentiable op. Each is one function: its value, then its gradient, returned.
#pragma once  // public header

#include <optional>
#include <span>

#include "heed/autograd/variable.h"
#include "heed/base/errors.h"
#include "heed/kernels/recurrent/rnn.h"
#include "heed/tensor/arithmetic.h"  // else a sum of two tensors would become a Variable
#include "heed/tensor/join.h"
#include "heed/tensor/matmul.h"
#include "heed/tensor/reduce.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

// ---- arithmetic.cpp: elementwise, shapes broadcast ----
Variable operator+(const Variable& a, const Variable& b);
Variable operator-(const Variable& a, const Variable& b);
Variable operator*(const Variable& a, const Variable& b);
Variable operator/(const Variable& a, const Variable& b);
Variable operator+(const Variable& a, Real b);
Variable operator*(const Variable& a, Real b);
inline Variable operator+(Real a, const Variable& b) {
  return b + a;
}
inline Variable operator*(Real a, const Variable& b) {
  return b * a;
}
inline Variable operator-(const Variable& a, Real b) {
  return a + -b;
}
inline Variable operator/(const Variable& a, Real b) {
  return a * (Real{1} / b);
}
Variable operator-(const Variable& a);
inline Variable operator-(Real a, const Variable& b) {
  return -b + a;
}
Variable power(const Variable& x, Real exponent);
Variable maximum(const Variable& a, const Variable& b);  // on a tie the gradient goes to a
Variable minimum(const Variable& a, const Variable& b);
// condition != 0 ? a : b
Variable where(const Tensor& condition, const Variable& a, const Variable& b);

// ---- activations.cpp: elementwise maps ----
Variable exp(const Variable& x);
Variable log(const Variable& x);
Variable sqrt(const Variable& x);
Variable square(const Variable& x);
Variable absolute(const Variable& x);
Variable tanh(const Variable& x);
Variable sigmoid(const Variable& x);
Variable erf(const Variable& x);
Variable relu(const Variable& x);
Variable gelu(const Variable& x);       // x Φ(x)
Variable gelu_tanh(const Variable& x);  // its tanh approximation
Variable swish(const Variable& x);      // x sigmoid(x)
Variable softplus(const Variable& x);   // log(1 + e^x)
Variable clamp(const Variable& x, Real low, Real high);
Variable activate(Activation activation, const Variable& x);

// ---- products.cpp ----
Variable matmul(const Variable& a,
                const Variable& b);  // [...,m,k] x [...,k,n], leading axes broadcast
// activation(x w^T + bias): x [...,in], w [out,in], bias [out] or not defined -> [...,out]
Variable linear(const Variable& x, const Variable& w, const Variable& bias,
                Activation activation = Activation::none);

// ---- reductions.cpp ----
Variable sum(const Variable& x);
Variable sum(const Variable& x, int axis);  // the axis is removed
Variable mean(const Variable& x);
Variable mean(const Variable& x, int axis);
Variable maximum(const Variable& x, int axis);  // on a tie the gradient goes to the lowest index
Variable cumulative_sum(const Variable& x, int axis, Running direction = Running::forward);

// ---- softmax.cpp ----
Variable softmax(const Variable& x, int axis = -1);
Variable log_softmax(const Variable& x, int axis = -1);

enum class Reduction { mean, sum, none };
struct CrossEntropyOptions {
  Real smoothing = 0;                     // share of the target spread evenly over all classes
  std::optional<std::int32_t> ignored{};  // rows with this target have no loss and do not count
  Reduction reduction = Reduction::mean;  // mean: over the rows that count
};
// logits [...,C], targets [...] -> a number, or [...] with Reduction::none
Variable cross_entropy(const Variable& logits, const Ids& targets,
                       const CrossEntropyOptions& options = {});

// ---- copying.cpp: a word is generated, or copied from a source (See 2017, Eq. 9) ----
struct CopiedTokens {
  Ids tokens;              // [B,S], what each place of a source holds, below total; -1: nothing
  Ids sources;             // [N], the source of each row
  std::int64_t total = 0;  // V and the tokens that only sources have
};
// logits [N,V], gate [N], weights [N,S] -> [N,total]: the logarithm of
//   sigmoid(gate) softmax(logits)_w + (1 - sigmoid(gate)) (weights of the places that hold w).
// A word that is neither in the vocabulary nor in the source gets -inf.
Variable log_copy_mixture(const Variable& logits, const Variable& gate, const Variable& weights,
                          const CopiedTokens& copied);

// ---- shapes.cpp: moving elements about ----
Variable reshape(const Variable& x, const Shape& shape);
Variable reshape(const Variable& x, std::initializer_list<std::int64_t> sizes);  // one may be -1
Variable transpose(const Variable& x, int first = -2, int second = -1);
Variable permute(const Variable& x, std::initializer_list<int> axes);
Variable slice(const Variable& x, int axis, std::int64_t begin, std::int64_t end,
               std::int64_t step = 1);
Variable select(const Variable& x, int axis, std::int64_t index);
Variable expand(const Variable& x, const Shape& shape);
Variable concat(std::span<const Variable> parts, int axis);
Variable concat(std::initializer_list<Variable> parts, int axis);
Variable stack(std::span<const Variable> parts, int axis);
// Pieces of the given sizes, which add up to the axis; their gradients meet once, in one tensor.
Variables split(const Variable& x, int axis, std::span<const std::int64_t> sizes);
Variables split(const Variable& x, int axis, std::initializer_list<std::int64_t> sizes);
Variables unstack(const Variable& x, int axis);  // x[0], x[1], ... along the axis
Variable pad(const Variable& x, int axis, Padding padding, Real value = 0);
Variable gather(const Variable& x, int axis, const Ids& ids);
// table [V,D], ids [...] -> [...,D]; the ignored id reads as zeros and gets no gradient.
Variable embedding(const Variable& table, const Ids& ids, std::int32_t ignored = -1);

// ---- norms.cpp: over the last axis; gain and bias [D] may be left undefined ----
Variable layer_norm(const Variable& x, const Variable& gain, const Variable& bias,
                    Real epsilon = Real(1e-5));
Variable rms_norm(const Variable& x, const Variable& gain, Real epsilon = Real(1e-5));

// ---- dropout.cpp ----
struct DropoutMask {
  Real probability = 0;      // of dropping an element
  std::uint64_t seed = 0;    // the mask is a function of seed, stream and position:
  std::uint64_t stream = 0;  // give every call a stream of its own
};
Variable dropout(const Variable& x, const DropoutMask& mask);
// x [T,B,D] (or [steps, rest...]): one mask for all steps (Gal 2016).
Variable locked_dropout(const Variable& x, const DropoutMask& mask);

// ---- convolution.cpp ----
struct Sliding {
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;
};
// x [B,C,L], w [O,C,K], bias [O] or not defined -> [B,O,L']
Variable convolution_1d(const Variable& x, const Variable& w, const Variable& bias,
                        const Sliding& sliding = {});
// x [B,C,H,W], w [O,C,KH,KW] -> [B,O,H',W']; one Sliding serves both axes unless a second is given.
Variable convolution_2d(const Variable& x, const Variable& w, const Variable& bias,
                        const Sliding& rows = {}, const std::optional<Sliding>& columns = {});
enum class Pooling { maximum, average };
// x [B,C,L] -> [B,C,L'], x [B,C,H,W] -> [B,C,H',W']; windows of `size` along each axis.
Variable pool_1d(Pooling kind, const Variable& x, std::int64_t size, const Sliding& sliding);
Variable pool_2d(Pooling kind, const Variable& x, std::int64_t size, const Sliding& sliding);

// ---- recurrent.cpp: a whole sequence at once; equations and gate order in kernels/rnn.h ----
struct RecurrentWeights {
  Variable w_x;             // [G*H, I]
  Variable w_h;             // [G*H, H]
  Variable bias;            // [G*H] or not defined
  Variable candidate_bias;  // [H], GRU's b_hn, or not defined
};
struct RecurrentOptions {
  Ids lengths{};         // [B] or not defined: all T
  bool reverse = false;  // from each sequence's own end
};
struct RecurrentState {
  Variable h;  // [B,H] or not defined: zero
  Variable c;  // [B,H], LSTM only
};
struct RecurrentResult {
  Variable outputs;  // [T,B,H], zero past each length
  RecurrentState final;
};
// x [T,B,I]
RecurrentResult recurrent(kernels::Cell cell, const Variable& x, const RecurrentWeights& weights,
                          const RecurrentState& initial = {}, const RecurrentOptions& options = {});

// ---- recurrent_step.cpp: one step of a cell, its products given ----
struct RecurrentGates {
  Variable from_input;      // [B, G*H], W_x x + b
  Variable from_state;      // [B, G*H], W_h h
  Variable candidate_bias;  // [H], GRU's b_hn, or not defined
};
RecurrentState recurrent_step(kernels::Cell cell, const RecurrentGates& gates,
                              const RecurrentState& before);

// ---- shared.cpp ----
// The same weight for the ops of many steps: the products that are its gradient are gathered and
// multiplied at once.
Variable shared(const Variable& weight);

// ---- gradient_flow.cpp ----
Variable stop_gradient(const Variable& x);
// The value of `hard`, the gradient of `soft` (Bengio 2013); equal shapes.
Variable straight_through(const Tensor& hard, const Variable& soft);

}  // namespace heed

#pragma GCC visibility pop
