// SPDX-License-Identifier: Apache-2.0
// The files of web/live, as the build embeds them.
#pragma once

#include <span>

#include "heed/insight/page/web_files.h"

namespace heed::server {

// By name.
std::span<const insight::WebFile> live_files();

}  // namespace heed::server
