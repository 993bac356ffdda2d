// SPDX-License-Identifier: Apache-2.0
// Which folders a request may name: those below the roots that the server was started with.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace heed::server {

// The roots as they are on the disk, links followed. UsageError for one that is no folder.
std::vector<std::filesystem::path> model_roots(std::span<const std::string> written);

// The folder that a request names, links followed: absolute, or below a root. HttpError 403 at
// "/folder" unless it is below one of them, whether it exists or not.
std::filesystem::path folder_below(std::span<const std::filesystem::path> roots,
                                   const std::string& written);

}  // namespace heed::server
