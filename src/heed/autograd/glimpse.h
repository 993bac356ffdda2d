// SPDX-License-Identifier: Apache-2.0
// Ops that look at a part of an image: the hard glimpse of several scales (Mnih 2014), and the
// differentiable read by Gaussian filters (Gregor 2015).
//
// Letters: B images, H rows, W columns, C channels.
#pragma once  // public header

#include "heed/autograd/variable.h"

#pragma GCC visibility push(default)  // exported

namespace heed {

struct GlimpseOptions {
  std::int64_t size = 8;    // cells of a patch along each axis
  std::int64_t scales = 1;  // patches of side size, size * factor, size * factor^2, ...
  std::int64_t factor = 2;
};

// images [B,H,W,C], places [B,2] (x across, y down, in [-1,1]) -> [B,scales,size,size,C]. Places
// are rounded down to pixels, so that its value has steps in them: their gradient is exactly zero,
// and what moves them is REINFORCE.
Variable glimpse(const Variable& images, const Variable& places,
                 const GlimpseOptions& options = {});

// centre, spacing, log_variance [B] -> [B,filters,pixels]: Gaussians over pixels 1 to `pixels`,
// filter i = 1 to N around centre + (i - N/2 - 1/2) spacing, each of sum 1.
struct FilterSize {
  std::int64_t filters = 12;
  std::int64_t pixels = 28;
};
Variable gaussian_filters(const Variable& centre, const Variable& spacing,
                          const Variable& log_variance, const FilterSize& size);

// images [B,H,W,C], parameters [B,5] (g~x, g~y, log sigma^2, log delta~, log gamma) ->
// [B,C,filters,filters]: gamma F_Y x F_X', with g = (A+1)/2 (g~+1) and
// delta = (max(W,H)-1)/(filters-1) delta~.
Variable draw_read(const Variable& images, const Variable& parameters, std::int64_t filters);

}  // namespace heed

#pragma GCC visibility pop
