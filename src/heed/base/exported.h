// SPDX-License-Identifier: Apache-2.0
// A mark for what internal headers declare and another library or a program calls: all else in them
// is hidden. Kernels have it, too, for the compiler does not give a function template the
// visibility of the lines around it.
#pragma once

#define HEED_EXPORTED [[gnu::visibility("default")]]
