// SPDX-License-Identifier: Apache-2.0
// Chooses among one GEMM with the batch folded into its rows, a batched GEMM, and a loop over outer
// axes.
#include "heed/tensor/matmul.h"

#include "heed/base/error.h"
#include "heed/tensor/packed_weights.h"
#include "heed/tensor/strided.h"

namespace heed {
namespace {

// The last two axes of a tensor as GEMM wants them: dense rows, or the transpose of that.
struct Matrix {
  Tensor tensor;
  std::size_t leading = 0;
  bool transposed = false;
};

Matrix as_matrix(const Tensor& x) {
  const int r = x.rank() - 2;
  const int c = x.rank() - 1;
  const std::int64_t rows = x.shape()[r];
  const std::int64_t columns = x.shape()[c];
  if ((x.stride(c) == 1 || columns == 1) && (x.stride(r) >= columns || rows == 1)) {
    return {x, static_cast<std::size_t>(rows == 1 ? columns : x.stride(r)), false};
  }
  if ((x.stride(r) == 1 || rows == 1) && (x.stride(c) >= rows || columns == 1)) {
    return {x, static_cast<std::size_t>(columns == 1 ? rows : x.stride(c)), true};
  }
  return {x.packed(), static_cast<std::size_t>(columns), false};
}

// Whether the axes before the last two lie one after the other like more rows of one tall matrix.
bool folds(const Matrix& a) {
  if (a.transposed) return false;
  std::int64_t expected =
      static_cast<std::int64_t>(a.leading) * a.tensor.shape()[a.tensor.rank() - 2];
  for (int axis = a.tensor.rank() - 3; axis >= 0; --axis) {
    if (a.tensor.shape()[axis] != 1 && a.tensor.stride(axis) != expected) return false;
    expected *= a.tensor.shape()[axis];
  }
  return true;
}

void multiply_into(Tensor& y, const Tensor& a_tensor, const Tensor& b_tensor, Real beta,
                   const Tensor& bias, Activation activation) {
  Matrix a = as_matrix(a_tensor);
  const Matrix b = as_matrix(b_tensor);
  const int rank = y.rank();
  const bool shares_b = b.tensor.rank() == 2 && a.tensor.rank() == rank;
  if (rank > 2 && shares_b && !folds(a)) {
    // A copy of A costs less than a product per matrix, each of which would pack B again: a third
    // of a training step, for states [T,B,H] read as [B,T,H] against 10,000 words.
    a = {a.tensor.packed(), static_cast<std::size_t>(a.tensor.size(-1)), false};
  }
  kernels::GemmOptions<Real> gemm{
      .m = static_cast<std::size_t>(y.shape()[rank - 2]),
      .n = static_cast<std::size_t>(y.shape()[rank - 1]),
      .k = static_cast<std::size_t>(a_tensor.shape()[a_tensor.rank() - 1]),
      .transpose_a = a.transposed,
      .transpose_b = b.transposed,
      .lda = a.leading,
      .ldb = b.leading,
      .ldc = static_cast<std::size_t>(y.shape()[rank - 1]),
      .beta = beta,
      .bias = bias.data(),
      .activation = activation,
  };
  Real* out = y.mutable_data();
  if (rank == 2 || shares_b) {
    if (gemm.n == 0) return;
    gemm.m = static_cast<std::size_t>(y.size()) / gemm.n;
    kernels::gemm(a.tensor.data(), b.tensor.data(), out, gemm);
    return;
  }
  // The leading axes as planes of (rows, columns) of matrices; each row of matrices is one batched
  // GEMM.
  Shape batch;
  for (int axis = 0; axis < rank - 2; ++axis) batch = batch.then(y.shape()[axis]);
  const auto batch_strides = [&](const Tensor& x) {
    const Shape full = batch.then(x.shape()[x.rank() - 2]).then(x.shape()[x.rank() - 1]);
    return strides_at(x, full);
  };
  for_each_plane<3>(batch, {batch_strides(a.tensor), batch_strides(b.tensor), batch_strides(y)},
                    [&](const Plane& plane, const Offsets<3>& at) {
                      for (std::int64_t row = 0; row < plane.rows; ++row) {
                        kernels::batched_gemm(a.tensor.data() + at[0] + row * plane.row[0],
                                              b.tensor.data() + at[1] + row * plane.row[1],
                                              out + at[2] + row * plane.row[2], gemm,
                                              {.count = static_cast<std::size_t>(plane.columns),
                                               .a = static_cast<std::size_t>(plane.column[0]),
                                               .b = static_cast<std::size_t>(plane.column[1]),
                                               .c = static_cast<std::size_t>(plane.column[2])});
                      }
                    });
}

}  // namespace

Shape product_shape(const Shape& a, const Shape& b, const char* op) {
  if (a.rank() < 2 || b.rank() < 2) {
    throw UsageError("{}: shapes {} and {}; both need at least two axes", op, a.text(), b.text());
  }
  const std::int64_t k = a[a.rank() - 1];
  if (b[b.rank() - 2] != k) {
    throw UsageError(
        "{}: shapes {} and {} do not fit: the first has {} columns, so the second needs {} rows, "
        "not {}",
        op, a.text(), b.text(), k, k, b[b.rank() - 2]);
  }
  const Shape rows = a.without(a.rank() - 1);
  const Shape batch =
      broadcast(rows.without(rows.rank() - 1), b.without(b.rank() - 1).without(b.rank() - 2), op);
  return batch.then(a[a.rank() - 2]).then(b[b.rank() - 1]);
}

Tensor matmul(const Tensor& a, const Tensor& b) {
  Tensor y(product_shape(a.shape(), b.shape(), "matmul"));
  multiply_into(y, a, b, 0, {}, Activation::none);
  return y;
}

void add_product(Tensor& y, const Tensor& a, const Tensor& b) {
  if (!y.contiguous() || product_shape(a.shape(), b.shape(), "add_product") != y.shape()) {
    throw UsageError(
        "add_product: {} x {} does not add to {}; it takes a contiguous tensor of the product's "
        "shape",
        a.shape().text(), b.shape().text(), y.shape().text());
  }
  multiply_into(y, a, b, 1, {}, Activation::none);
}

Tensor linear(const Tensor& x, const Tensor& w, const Tensor& bias, Activation activation) {
  if (x.rank() < 1 || w.rank() != 2 || x.size(-1) != w.size(1) ||
      (bias.defined() && bias.shape() != Shape{w.size(0)})) {
    throw UsageError(
        "linear: input {}, weight {}, bias {}: it takes input [...,in], weight [out,in] and bias "
        "[out]",
        x.shape().text(), w.shape().text(), bias.defined() ? bias.shape().text() : "none");
  }
  if (x.rank() == 1) return linear(x.unsqueeze(0), w, bias, activation).squeeze(0);
  Tensor y(x.shape().with(x.rank() - 1, w.size(0)));
  PackedWeights* weights = PackedWeights::current();
  if (weights != nullptr && w.contiguous() && w.size() > 0) {
    weights->multiply(x.packed(), w, bias.packed(), activation, y);
    return y;
  }
  multiply_into(y, x, w.transpose(), 0, bias.packed(), activation);
  return y;
}

}  // namespace heed
