// SPDX-License-Identifier: Apache-2.0
#include "server/engine/model_roots.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/testing.h"
#include "server/http/http_error.h"

namespace heed::server {
namespace {

namespace fs = std::filesystem;

TEST(ModelRoots, LetNothingOutsideOfThemBeNamed) {
  const test::TemporaryFolder folder;
  for (const char* name : {"models", "models/tales", "models-private", "other"}) {
    fs::create_directory(folder / name);
  }
  fs::create_directory_symlink(folder / "other", folder / "models/out");
  fs::create_directory_symlink(folder / "models/tales", folder / "in");
  const std::vector<std::string> written = {(folder / "models").string() + "/"};
  const std::vector<fs::path> roots = model_roots(written);
  const fs::path tales = fs::canonical(folder / "models/tales");
  EXPECT_EQ(folder_below(roots, "tales"), tales);
  EXPECT_EQ(folder_below(roots, "./tales/"), tales);
  EXPECT_EQ(folder_below(roots, tales.string()), tales);
  EXPECT_EQ(folder_below(roots, (folder / "in").string()), tales);
  EXPECT_EQ(folder_below(roots, "not-yet"), tales.parent_path() / "not-yet");
  for (const std::string& outside :
       {std::string(), std::string("."), std::string("tales/.."), std::string("../other"),
        std::string("out"), std::string("/etc"), (folder / "models-private").string(),
        (folder / "models").string(), std::string("../models-private"),
        std::string("no/such/../../../other")}) {
    try {
      const fs::path found = folder_below(roots, outside);
      ADD_FAILURE() << outside << " -> " << found;
    } catch (const HttpError& error) {
      EXPECT_EQ(error.status(), 403) << outside;
      EXPECT_EQ(error.where(), "/folder");
    }
  }
  EXPECT_THROW(folder_below({}, tales.string()), HttpError);
}

TEST(ModelRoots, MustBeThere) {
  const std::vector<std::string> written = {"no/such/folder"};
  EXPECT_EQ(test::message_of<UsageError>([&] { model_roots(written); }),
            "--model-root no/such/folder: there is no such folder; give one that holds model "
            "folders");
}

}  // namespace
}  // namespace heed::server
