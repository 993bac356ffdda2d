// SPDX-License-Identifier: Apache-2.0
// A recurrent network whose states are orthogonal to the sum of those before (Mohankumar 2020,
// section 4.1), so that they do not all point one way and attention to one is not attention to all:
//
//   h'_t = cell(x_t, h_{t-1}),  m_t = sum over i < t of h_i,  h_t = h'_t - (h'_t m_t / m_t m_t) m_t
#pragma once

#include "heed/nn/recurrent.h"

namespace heed::models {

// x [T,B,I], lengths [B] -> as the network's own operator gives, from zeros. Each layer and
// direction has a sum of its own.
nn::RecurrentOutput orthogonal_states(const nn::RecurrentNetwork& network, const Variable& x,
                                      const Ids& lengths, nn::Noise noise);

}  // namespace heed::models
