// SPDX-License-Identifier: Apache-2.0
// Links and dots are followed before anything is compared.
#include "server/engine/model_roots.h"

#include <algorithm>
#include <system_error>

#include "heed/base/error.h"
#include "server/http/http_error.h"

namespace heed::server {
namespace {

// Whether it is a folder below the root, not the root itself.
bool is_below(const std::filesystem::path& root, const std::filesystem::path& folder) {
  const auto [mine, other] = std::mismatch(root.begin(), root.end(), folder.begin(), folder.end());
  return mine == root.end() && other != folder.end() && !other->empty();
}

}  // namespace

std::vector<std::filesystem::path> model_roots(std::span<const std::string> written) {
  std::vector<std::filesystem::path> roots;
  for (const std::string& one : written) {
    std::error_code error;
    roots.push_back(std::filesystem::canonical(one, error));
    if (error || !std::filesystem::is_directory(roots.back(), error)) {
      throw UsageError(
          "--model-root {}: there is no such folder; give one that holds model folders", one);
    }
  }
  return roots;
}

std::filesystem::path folder_below(std::span<const std::filesystem::path> roots,
                                   const std::string& written) {
  std::filesystem::path found;
  for (const std::filesystem::path& root : roots) {
    std::error_code error;
    // An absolute path replaces the root.
    std::filesystem::path folder = std::filesystem::weakly_canonical(root / written, error);
    if (!folder.has_filename()) folder = folder.parent_path();  // "tales/"
    if (error || !is_below(root, folder)) continue;
    if (std::filesystem::is_directory(folder, error)) return folder;
    if (found.empty()) found = folder;
  }
  if (!found.empty()) return found;
  throw HttpError({.status = 403, .where = "/folder"},
                  "models may be added from folders below a --model-root of this server only");
}

}  // namespace heed::server
