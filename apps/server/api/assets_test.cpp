// SPDX-License-Identifier: Apache-2.0
#include "server/api/assets.h"

#include <gtest/gtest.h>

#include "server/http/http_error.h"

namespace heed::server {
namespace {

TEST(Assets, AreTheFilesOfThePageAndNoOthers) {
  EXPECT_NE(find_asset("/"), nullptr);
  EXPECT_NE(find_asset("/live/live.js"), nullptr);
  EXPECT_NE(find_asset("/heed/matrix.js"), nullptr);
  for (const char* path : {"", "/live", "/live/", "/live/../live.js", "/heed/page.html",
                           "/live/live.html", "/etc/passwd", "live.js"}) {
    EXPECT_EQ(find_asset(path), nullptr) << path;
    EXPECT_THROW(asset_response(path), HttpError) << path;
  }
}

TEST(Assets, GiveThePageANonceOfItsOwnEachTime) {
  const auto nonce_of = [](const HttpResponse& page) {
    const std::string& policy = page.headers.at(0).second;
    const std::size_t begin = policy.find("'nonce-") + 7;
    return policy.substr(begin, policy.find('\'', begin) - begin);
  };
  const HttpResponse page = asset_response("/");
  const std::string nonce = nonce_of(page);
  EXPECT_EQ(nonce.size(), 32u);
  EXPECT_NE(page.body.find("nonce=\"" + nonce + "\""), std::string::npos);
  EXPECT_EQ(page.body.find("@nonce@"), std::string::npos);
  EXPECT_NE(page.body.find("\"heed/matrix.js\":\"/heed/matrix.js\""), std::string::npos);
  EXPECT_NE(nonce_of(asset_response("/")), nonce);
}

}  // namespace
}  // namespace heed::server
