// SPDX-License-Identifier: Apache-2.0
// Glimpses and filters as ops.
#include "heed/autograd/glimpse.h"

#include "heed/autograd/ops.h"
#include "heed/base/error.h"
#include "heed/kernels/glimpse.h"

namespace heed {
namespace {

void check_glimpse(const Variable& images, const Variable& places, const GlimpseOptions& options) {
  if (images.rank() != 4 || places.shape() != Shape({images.size(0), 2})) {
    throw UsageError("glimpse: images {}, places {}; it takes [B,H,W,C] and [B,2]",
                     images.shape().text(), places.shape().text());
  }
  if (options.size < 1 || options.scales < 1 || options.scales > 8 || options.factor < 1) {
    throw UsageError(
        "glimpse: {} scales of {} cells, each {} times the last; it takes 1 to 8 "
        "scales, a size and a factor of 1 or more",
        options.scales, options.size, options.factor);
  }
}

std::size_t count(std::int64_t n) {
  return static_cast<std::size_t>(n);
}

}  // namespace

Variable glimpse(const Variable& images, const Variable& places, const GlimpseOptions& options) {
  check_glimpse(images, places, options);
  const Tensor x = images.value().packed(), l = places.value().packed();
  const kernels::GlimpseShape shape{.images = count(x.size(0)),
                                    .height = count(x.size(1)),
                                    .width = count(x.size(2)),
                                    .channels = count(x.size(3)),
                                    .size = count(options.size),
                                    .scales = count(options.scales),
                                    .factor = count(options.factor)};
  Tensor y({x.size(0), options.scales, options.size, options.size, x.size(3)});
  kernels::glimpse(x.data(), l.data(), shape, y.mutable_data());
  const Shape images_shape = x.shape();
  return record("glimpse", y, {images, places}, [=](const Tensor& dy, Needs needs) -> Gradients {
    Gradient dimages;
    if (needs[0]) {
      Tensor dx = Tensor::zeros(images_shape);
      kernels::glimpse_backward(dy.packed().data(), l.data(), shape, dx.mutable_data());
      dimages = dx;
    }
    return {dimages, Tensor::zeros(l.shape())};
  });
}

Variable gaussian_filters(const Variable& centre, const Variable& spacing,
                          const Variable& log_variance, const FilterSize& size) {
  if (centre.rank() != 1 || spacing.shape() != centre.shape() ||
      log_variance.shape() != centre.shape() || size.filters < 1 || size.pixels < 1) {
    throw UsageError(
        "gaussian_filters: centre {}, spacing {}, log variance {}, {} filters of {} "
        "pixels; it takes [B] thrice and 1 or more of both",
        centre.shape().text(), spacing.shape().text(), log_variance.shape().text(), size.filters,
        size.pixels);
  }
  const Tensor g = centre.value().packed(), delta = spacing.value().packed();
  const Tensor v = log_variance.value().packed();
  const kernels::GaussianFilters shape{
      .rows = count(g.size()), .filters = count(size.filters), .pixels = count(size.pixels)};
  Tensor y({g.size(), size.filters, size.pixels});
  kernels::gaussian_filters(g.data(), delta.data(), v.data(), shape, y.mutable_data());
  return record("gaussian_filters", y, {centre, spacing, log_variance},
                [=](const Tensor& gradient) -> Gradients {
                  const Tensor dy = gradient.packed();
                  Tensor dg(g.shape()), ddelta(g.shape()), dv(g.shape());
                  kernels::gaussian_filters_backward<Real>({.centre = g.data(),
                                                            .spacing = delta.data(),
                                                            .log_variance = v.data(),
                                                            .filters = y.data(),
                                                            .dfilters = dy.data(),
                                                            .dcentre = dg.mutable_data(),
                                                            .dspacing = ddelta.mutable_data(),
                                                            .dlog_variance = dv.mutable_data()},
                                                           shape);
                  return {dg, ddelta, dv};
                });
}

Variable draw_read(const Variable& images, const Variable& parameters, std::int64_t filters) {
  if (images.rank() != 4 || parameters.shape() != Shape({images.size(0), 5}) || filters < 2) {
    throw UsageError(
        "draw_read: images {}, parameters {}, {} filters; it takes [B,H,W,C], [B,5] "
        "and 2 filters or more",
        images.shape().text(), parameters.shape().text(), filters);
  }
  const std::int64_t height = images.size(1), width = images.size(2);
  const Variables part = unstack(parameters, 1);
  const auto centre = [](const Variable& share, std::int64_t length) {
    return (share + Real(1)) * (Real(length + 1) / 2);
  };
  const Variable spacing = exp(part[3]) * (Real(std::max(height, width) - 1) / Real(filters - 1));
  const auto spread = [&](const Variable& rows, std::int64_t pixels) {  // [B,1,filters,pixels]
    return reshape(rows, {images.size(0), 1, filters, pixels});
  };
  const Variable across =
      spread(gaussian_filters(centre(part[0], width), spacing, part[2], {filters, width}), width);
  const Variable down = spread(
      gaussian_filters(centre(part[1], height), spacing, part[2], {filters, height}), height);
  const Variable pixels = permute(images, {0, 3, 1, 2});
  const Variable read = matmul(matmul(down, pixels), transpose(across));
  return read * reshape(exp(part[4]), {images.size(0), 1, 1, 1});
}

}  // namespace heed
