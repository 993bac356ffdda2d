// SPDX-License-Identifier: Apache-2.0
// Paths of assets: the viewer's own modules are at /heed/, those of the live page at /live/.
#include "server/api/assets.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
#include <vector>

#include "heed/base/error.h"
#include "server/api/live_files.h"
#include "server/http/http_error.h"

namespace heed::server {
namespace {

constexpr std::string_view kPage = "live.html";

std::string_view type_of(std::string_view name) {
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  return "text/html; charset=utf-8";
}

const std::map<std::string, Asset, std::less<>>& assets() {
  static const std::map<std::string, Asset, std::less<>> all = [] {
    std::map<std::string, Asset, std::less<>> made;
    const auto add = [&](const std::string& path, const insight::WebFile& file) {
      const auto place = made.emplace(path, Asset{{}, type_of(file.name), file.text}).first;
      place->second.path = place->first;
    };
    for (const insight::WebFile& file : live_files()) {
      add(file.name == kPage ? "/" : fmt::format("/live/{}", file.name), file);
    }
    for (const insight::WebFile& file : insight::web_files()) {
      if (!file.name.ends_with(".html")) add(fmt::format("/heed/{}", file.name), file);
    }
    return made;
  }();
  return all;
}

// Names of modules, as the viewer's own imports write them, to their paths.
std::string import_map() {
  std::string map;
  for (const auto& [path, asset] : assets()) {
    if (!path.ends_with(".js") || !path.starts_with("/heed/")) continue;
    map += fmt::format("{}\"{}\":\"{}\"", map.empty() ? "" : ",", path.substr(1), path);
  }
  return fmt::format("{{\"imports\":{{{}}}}}", map);
}

std::string replaced(std::string text, std::string_view mark, std::string_view value) {
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at + value.size())) {
    text.replace(at, mark.size(), value);
  }
  return text;
}

std::string nonce() {
  std::random_device random;
  std::string text;
  for (int i = 0; i < 4; ++i) text += fmt::format("{:08x}", random());
  return text;
}

}  // namespace

const Asset* find_asset(std::string_view path) {
  const auto found = assets().find(path);
  return found == assets().end() ? nullptr : &found->second;
}

HttpResponse asset_response(std::string_view path) {
  const Asset* asset = find_asset(path);
  if (asset == nullptr) {
    throw HttpError({.status = 404, .where = std::string(path)}, "there is nothing here");
  }
  HttpResponse response{.type = std::string(asset->type), .body = std::string(asset->text)};
  if (path != "/") return response;
  const std::string once = nonce();
  response.body = replaced(std::move(response.body), "@nonce@", once);
  response.body = replaced(std::move(response.body), "@modules@", import_map());
  response.headers.emplace_back(
      "Content-Security-Policy",
      fmt::format("default-src 'none'; script-src 'self' 'nonce-{}'; style-src 'self'; "
                  "connect-src 'self'; img-src data: blob:; base-uri 'none'; form-action 'none'; "
                  "frame-ancestors 'none'",
                  once));
  return response;
}

}  // namespace heed::server
