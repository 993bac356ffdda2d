// SPDX-License-Identifier: Apache-2.0
// Real: the scalar type of everything from tensor/ upwards, float unless the build says double.
#pragma once  // public header

#ifndef HEED_REAL
#define HEED_REAL float
#endif

namespace heed {

using Real = HEED_REAL;

}  // namespace heed
