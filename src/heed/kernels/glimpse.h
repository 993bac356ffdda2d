// SPDX-License-Identifier: Apache-2.0
// Glimpses of images: square patches of several scales around a place (Mnih 2014), and the Gaussian
// filters of a differentiable read (Gregor 2015).
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace heed::kernels {

// Images [N,H,W,C]. The patch of scale i has side size * factor^i; its top left corner is
// floor((l+1)/2 * H) - side/2, so that l = 1 is the outer edge. Beyond the image lie zeros. Each
// patch is averaged down to size x size.
struct GlimpseShape {
  std::size_t images = 1;
  std::size_t height = 1;
  std::size_t width = 1;
  std::size_t channels = 1;
  std::size_t size = 8;
  std::size_t scales = 1;
  std::size_t factor = 2;

  std::size_t image_size() const noexcept { return height * width * channels; }
  std::size_t patch_size() const noexcept { return size * size * channels; }
};

// images [N,H,W,C], places [N,2] (x across, y down, in [-1,1]) -> patches [N,scales,size,size,C].
template <typename T>
void glimpse(const T* images, const T* places, const GlimpseShape& shape, T* patches) noexcept;

// The transpose with respect to images: every cell of dpatches is added to the pixels it is the
// mean of. dimages is added to, not cleared.
template <typename T>
void glimpse_backward(const T* dpatches, const T* places, const GlimpseShape& shape,
                      T* dimages) noexcept;

// Where a patch begins along an axis of `length` pixels: before 0 where it hangs over the edge. Far
// beyond the image is as good as anywhere beyond it, NaN as good as the middle.
inline std::ptrdiff_t glimpse_corner(double place, std::size_t length, std::size_t side) noexcept {
  const double held = std::isnan(place) ? 0 : std::clamp(place, -3., 3.);
  return static_cast<std::ptrdiff_t>(std::floor((held + 1) / 2 * static_cast<double>(length))) -
         static_cast<std::ptrdiff_t>(side / 2);
}

// Rows of Gaussians over pixels 1 to A: mean_i = centre + (i - N/2 - 1/2) spacing for i = 1 to N,
// weight exp(-(a - mean_i)^2 / (2 sigma^2)), divided by its sum over a, or by 1e-8 where that is
// less: a filter that is off the image reads nothing.
struct GaussianFilters {
  std::size_t rows = 1;     // B
  std::size_t filters = 1;  // N
  std::size_t pixels = 1;   // A
};

// centre, spacing, log_variance [B] -> filters [B,N,A].
template <typename T>
void gaussian_filters(const T* centre, const T* spacing, const T* log_variance,
                      const GaussianFilters& shape, T* filters) noexcept;

template <typename T>
struct GaussianFiltersBackward {
  const T* centre = nullptr;
  const T* spacing = nullptr;
  const T* log_variance = nullptr;
  const T* filters = nullptr;  // as made
  const T* dfilters = nullptr;
  T* dcentre = nullptr;  // [B], written
  T* dspacing = nullptr;
  T* dlog_variance = nullptr;
};
template <typename T>
void gaussian_filters_backward(const GaussianFiltersBackward<T>& at,
                               const GaussianFilters& shape) noexcept;

}  // namespace heed::kernels
