// SPDX-License-Identifier: Apache-2.0
// A mark for kernels that other libraries call: their headers are internal, so all else in them is
// hidden, and the compiler does not give a function template the visibility of the lines around it.
#pragma once

#define HEED_EXPORTED [[gnu::visibility("default")]]
