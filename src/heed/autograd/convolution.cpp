// SPDX-License-Identifier: Apache-2.0
// Convolution by transforms or by the direct kernel, or, where the window moves by more than one,
// as one GEMM per image over its columns (made again in backward, not kept); pooling.
#include "heed/kernels/convolution.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/kernels/direct_convolution.h"
#include "heed/kernels/winograd_convolution.h"
#include "heed/tensor/arithmetic.h"

namespace heed {
namespace {

std::size_t positive(const char* op, const char* what, std::int64_t value) {
  if (value < 1) throw UsageError("{}: {} {}; it must be at least 1", op, what, value);
  return static_cast<std::size_t>(value);
}

// The window of a [B,C,H,W] input; throws when it does not fit.
kernels::Window window_of(const char* op, const Shape& x, std::int64_t height, std::int64_t width,
                          const Sliding& rows, const Sliding& columns) {
  if (rows.padding < 0 || columns.padding < 0)
    throw UsageError("{}: padding must not be negative", op);
  kernels::Window window{
      .images = static_cast<std::size_t>(x[0]),
      .channels = static_cast<std::size_t>(x[1]),
      .height = static_cast<std::size_t>(x[2]),
      .width = static_cast<std::size_t>(x[3]),
      .kernel_height = positive(op, "window height", height),
      .kernel_width = positive(op, "window width", width),
      .stride_height = positive(op, "stride", rows.stride),
      .stride_width = positive(op, "stride", columns.stride),
      .padding_height = static_cast<std::size_t>(rows.padding),
      .padding_width = static_cast<std::size_t>(columns.padding),
      .dilation_height = positive(op, "dilation", rows.dilation),
      .dilation_width = positive(op, "dilation", columns.dilation),
  };
  if (window.out_height() == 0 || window.out_width() == 0) {
    throw UsageError(
        "{}: a window of {} x {} (dilation {} x {}) does not fit into {} with padding {} x {}", op,
        height, width, rows.dilation, columns.dilation, x.text(), rows.padding, columns.padding);
  }
  return window;
}

Shape pooled_shape(const Shape& x, const kernels::Window& window, std::int64_t channels) {
  return {x[0], channels, static_cast<std::int64_t>(window.out_height()),
          static_cast<std::int64_t>(window.out_width())};
}

// Windows along the last axis only: the one that 1-D ops use on [B,C,1,L].
constexpr Sliding kStill{};

Variable as_image(const char* op, const Variable& x) {
  if (x.rank() != 3) throw UsageError("{}: input {}; it takes [B,C,L]", op, x.shape().text());
  return reshape(x, x.shape().inserted(2, 1));
}

Variable pool(Pooling kind, const Variable& x, const kernels::Window& window) {
  const Tensor images = x.value().packed();
  Tensor y(pooled_shape(x.shape(), window, x.size(1)));
  if (kind == Pooling::average) {
    kernels::average_pool(images.data(), window, y.mutable_data());
    return record("average_pool", y, {x},
                  [window, shape = x.shape()](const Tensor& dy) -> Gradients {
                    Tensor dx = Tensor::zeros(shape);
                    kernels::average_pool_backward(dy.packed().data(), window, dx.mutable_data());
                    return {dx};
                  });
  }
  Ids largest(y.shape());
  kernels::max_pool(images.data(), window, y.mutable_data(), largest.mutable_data());
  return record(
      "max_pool", y, {x}, [window, largest, shape = x.shape()](const Tensor& dy) -> Gradients {
        Tensor dx = Tensor::zeros(shape);
        kernels::max_pool_backward(dy.packed().data(), largest.data(), window, dx.mutable_data());
        return {dx};
      });
}

// Images, weights and bias [O] or none, of one shape and window.
struct Convolved {
  kernels::Window window;
  Tensor pixels;   // [B,C,H,W]
  Tensor weights;  // [O,C,KH,KW]
  Variable x, w, bias;
};

// By transforms where they pay, else directly.
struct Kernels {
  explicit Kernels(const kernels::Window& window, std::size_t outputs) {
    if (!kernels::is_winograd(window, outputs)) return;
    forward = kernels::winograd_convolution<Real>;
    of_images = kernels::winograd_convolution_images<Real>;
    of_weights = kernels::winograd_convolution_weights<Real>;
  }
  decltype(&kernels::direct_convolution<Real>) forward = kernels::direct_convolution<Real>;
  decltype(&kernels::direct_convolution_images<Real>) of_images =
      kernels::direct_convolution_images<Real>;
  decltype(&kernels::direct_convolution_weights<Real>) of_weights =
      kernels::direct_convolution_weights<Real>;
};

Variable convolved_at_once(const Convolved& all) {
  const kernels::DirectConvolution<Real> call{
      .window = all.window,
      .outputs = static_cast<std::size_t>(all.weights.size(0)),
      .images = all.pixels.data(),
      .weights = all.weights.data()};
  Tensor y(pooled_shape(all.pixels.shape(), all.window, all.weights.size(0)));
  const Tensor shift = all.bias.defined() ? all.bias.value().packed() : Tensor();
  kernels::DirectConvolution<Real> with_bias = call;
  if (shift.defined()) with_bias.bias = shift.data();
  const Kernels by(call.window, call.outputs);
  by.forward(with_bias, y.mutable_data());
  return record(
      "convolution_2d", y, {all.x, all.w, all.bias},
      [by, call, pixels = all.pixels, weights = all.weights](const Tensor& dy,
                                                             Needs needs) -> Gradients {
        const Tensor straight = dy.packed();
        Tensor dx, dw;
        if (needs[0]) {
          dx = Tensor(pixels.shape());
          by.of_images(call, straight.data(), dx.mutable_data());
        }
        if (needs[1]) {
          dw = Tensor(weights.shape());
          by.of_weights(call, straight.data(), dw.mutable_data());
        }
        const Tensor by_output = straight.reshape({straight.size(0), weights.size(0), -1});
        return {dx, dw, needs[2] ? Gradient(sum(sum(by_output, 2), 0)) : Gradient()};
      });
}

}  // namespace

// With columns X [C*KH*KW, H'*W'] of an image: Y = W X + b, dW = sum of dY X^T, dX = W^T dY.
Variable convolution_2d(const Variable& x, const Variable& w, const Variable& bias,
                        const Sliding& rows, const std::optional<Sliding>& columns) {
  if (x.rank() != 4 || w.rank() != 4 || x.size(1) != w.size(1) ||
      (bias.defined() && bias.shape() != Shape{w.size(0)})) {
    throw UsageError(
        "convolution_2d: input {}, weight {}, bias {}; it takes [B,C,H,W], [O,C,KH,KW] and [O]",
        x.shape().text(), w.shape().text(), bias.defined() ? bias.shape().text() : "none");
  }
  const kernels::Window window =
      window_of("convolution_2d", x.shape(), w.size(2), w.size(3), rows, columns.value_or(rows));
  if (kernels::is_direct(window)) {
    return convolved_at_once({window, x.value().packed(), w.value().packed(), x, w, bias});
  }
  kernels::Window one = window;
  one.images = 1;
  const std::int64_t images = x.size(0);
  const Tensor pixels = x.value().packed();
  const Tensor kernel = w.value().reshape({w.size(0), -1});  // [O, C*KH*KW]
  Tensor y(pooled_shape(x.shape(), window, w.size(0)));
  const Shape patches{kernel.size(1), y.size(2) * y.size(3)};
  const auto columns_of = [one, patches](const Tensor& pixels, std::int64_t image) {
    Tensor cells(patches);
    kernels::im2col(pixels.select(0, image).data(), one, cells.mutable_data());
    return cells;
  };
  for (std::int64_t image = 0; image < images; ++image) {
    Tensor out = y.select(0, image);
    out.assign(matmul(kernel, columns_of(pixels, image)).reshape(out.shape()));
  }
  if (bias.defined()) add_to(y, bias.value().reshape({-1, 1, 1}));
  return record("convolution_2d", y, {x, w, bias},
                [=, wshape = w.shape()](const Tensor& dy, Needs needs) -> Gradients {
                  const Tensor straight = dy.packed().reshape({images, kernel.size(0), -1});
                  Tensor dx = needs[0] ? Tensor::zeros(pixels.shape()) : Tensor();
                  Tensor dw = needs[1] ? Tensor::zeros(kernel.shape()) : Tensor();
                  for (std::int64_t image = 0; image < images; ++image) {
                    const Tensor dout = straight.select(0, image);  // [O, H'*W']
                    if (needs[1]) add_product(dw, dout, columns_of(pixels, image).transpose());
                    if (needs[0]) {
                      const Tensor dcells = matmul(kernel.transpose(), dout);
                      kernels::col2im(dcells.data(), one, dx.select(0, image).mutable_data());
                    }
                  }
                  return {dx, needs[1] ? dw.reshape(wshape) : dw,
                          needs[2] ? Gradient(sum(sum(straight, 2), 0)) : Gradient()};
                });
}

Variable convolution_1d(const Variable& x, const Variable& w, const Variable& bias,
                        const Sliding& sliding) {
  const Variable image = as_image("convolution_1d", x);
  if (w.rank() != 3)
    throw UsageError("convolution_1d: weight {}; it takes [O,C,K]", w.shape().text());
  const Variable y =
      convolution_2d(image, reshape(w, w.shape().inserted(2, 1)), bias, kStill, sliding);
  return reshape(y, y.shape().without(2));
}

Variable pool_1d(Pooling kind, const Variable& x, std::int64_t size, const Sliding& sliding) {
  const Variable image = as_image("pool_1d", x);
  const Variable y =
      pool(kind, image, window_of("pool_1d", image.shape(), 1, size, kStill, sliding));
  return reshape(y, y.shape().without(2));
}

Variable pool_2d(Pooling kind, const Variable& x, std::int64_t size, const Sliding& sliding) {
  if (x.rank() != 4) throw UsageError("pool_2d: input {}; it takes [B,C,H,W]", x.shape().text());
  return pool(kind, x, window_of("pool_2d", x.shape(), size, size, sliding, sliding));
}

}  // namespace heed
