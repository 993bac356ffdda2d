// SPDX-License-Identifier: Apache-2.0
#include "server/engine/model_keeper.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "server/http/http_error.h"
#include "server/testing.h"

namespace heed::server {
namespace {

namespace fs = std::filesystem;

// Two models below a root, of which the first is served.
class Keeping : public ::testing::Test {
 protected:
  Keeping() {
    for (const char* name : {"one", "two"}) {
      fs::copy(testing::trained_folder(), root_ / name, fs::copy_options::recursive);
    }
    const ModelPlace place{"one", root_ / "one"};
    ModelKeeper::Setting setting{.places = {place}, .roots = {fs::canonical(root_.path())}};
    setting.watch.note(place.folder);
    engine_ =
        std::make_unique<Engine>(load_models(std::span(&place, 1)), Engine::Setting{}, metrics_);
    keeper_ = std::make_unique<ModelKeeper>(std::move(setting), *engine_, metrics_, log_);
  }
  std::string names() const {
    std::string names;
    for (const ModelPointer& model : *engine_->models()) names += model->name + " ";
    return names;
  }
  static int status_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const HttpError& error) {
      return error.status();
    }
    return 200;
  }
  bool counts(const std::string& line) const {
    return metrics_.text({}).find(line + "\n") != std::string::npos;
  }
  void spoil(const char* name) { test::put(root_ / name / "model.safetensors", "nonsense"); }
  // As often as --watch would within a few seconds.
  void look() {
    for (int i = 0; i < 3; ++i) keeper_->look();
  }

  test::TemporaryFolder root_;
  Metrics metrics_;
  Log log_{{.form = LogForm::none}};
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<ModelKeeper> keeper_;
};

TEST_F(Keeping, AddsAndRemovesModels) {
  EXPECT_EQ(keeper_->add({"more", "two"}, false)->name, "more");
  EXPECT_EQ(names(), "one more ");
  EXPECT_EQ(status_of([&] { keeper_->add({"more", "one"}, false); }), 409);
  const ModelPointer before = engine_->models()->back();
  keeper_->add({"more", "one"}, true);
  EXPECT_EQ(names(), "one more ");
  EXPECT_NE(engine_->models()->back(), before);
  keeper_->remove("one");
  EXPECT_EQ(names(), "more ");
  EXPECT_EQ(status_of([&] { keeper_->remove("one"); }), 404);
  keeper_->remove("more");
  EXPECT_FALSE(engine_->ready());
  keeper_->reload();  // of nothing
  EXPECT_EQ(names(), "");
}

TEST_F(Keeping, AddsNothingFromElsewhereAndNothingBroken) {
  EXPECT_EQ(status_of([&] { keeper_->add({"x", testing::trained_folder()}, false); }), 403);
  EXPECT_EQ(status_of([&] { keeper_->add({"x", "../"}, false); }), 403);
  EXPECT_THROW(keeper_->add({"x", "three"}, false), DataError);
  spoil("two");
  EXPECT_THROW(keeper_->add({"x", "two"}, false), DataError);
  EXPECT_THROW(keeper_->add({"one", "two"}, true), DataError);
  EXPECT_EQ(names(), "one ");
  EXPECT_TRUE(counts("heed_reloads_total{model=\"one\",outcome=\"failed\"} 1"));
  EXPECT_EQ(metrics_.text({}).find("model=\"x\""), std::string::npos)
      << "names that were never served are no labels";
}

TEST_F(Keeping, LoadsEveryNameOfAFolderThatHasChanged) {
  keeper_->add({"again", "one"}, false);
  const ModelPointer one = engine_->models()->front();
  const ModelPointer again = engine_->models()->back();
  fs::last_write_time(root_ / "one/model.safetensors",
                      fs::file_time_type::clock::now() + std::chrono::seconds(5));
  look();
  EXPECT_NE(engine_->models()->front(), one);
  EXPECT_NE(engine_->models()->back(), again);
}

TEST_F(Keeping, SeesAChangeThatAFailedReloadDidNotLoad) {
  keeper_->add({"two", "two"}, false);
  const ModelPointer one = engine_->models()->front();
  fs::last_write_time(root_ / "one/model.safetensors",
                      fs::file_time_type::clock::now() + std::chrono::seconds(5));
  spoil("two");
  keeper_->reload();
  EXPECT_EQ(engine_->models()->front(), one);
  look();
  EXPECT_NE(engine_->models()->front(), one);
}

TEST_F(Keeping, LoadsAFolderThatHasChanged) {
  keeper_->add({"two", "two"}, false);
  const ModelPointer one = engine_->models()->front();
  const ModelPointer two = engine_->models()->back();
  look();
  EXPECT_EQ(engine_->models()->back(), two) << "nothing has changed";
  fs::last_write_time(root_ / "two/model.safetensors",
                      fs::file_time_type::clock::now() + std::chrono::seconds(5));
  look();
  EXPECT_EQ(engine_->models()->front(), one) << "only what has changed is loaded";
  EXPECT_NE(engine_->models()->back(), two);
  EXPECT_TRUE(counts("heed_reloads_total{model=\"two\",outcome=\"loaded\"} 2"));
}

TEST_F(Keeping, KeepsTheModelOfAFolderThatBroke) {
  const ModelPointer one = engine_->models()->front();
  spoil("one");
  look();
  EXPECT_EQ(engine_->models()->front(), one);
  EXPECT_TRUE(counts("heed_reloads_total{model=\"one\",outcome=\"failed\"} 1"))
      << "it is tried once, not at every look";
  fs::remove_all(root_ / "one");
  fs::copy(testing::trained_folder(), root_ / "one", fs::copy_options::recursive);
  look();
  EXPECT_NE(engine_->models()->front(), one);
  EXPECT_TRUE(counts("heed_reloads_total{model=\"one\",outcome=\"loaded\"} 1"));
}

TEST_F(Keeping, ReloadsAllOrNone) {
  keeper_->add({"two", "two"}, false);
  const std::shared_ptr<const ModelSet> before = engine_->models();
  spoil("two");
  keeper_->reload();
  EXPECT_EQ(engine_->models(), before);
  fs::remove_all(root_ / "two");
  fs::copy(testing::trained_folder(), root_ / "two", fs::copy_options::recursive);
  keeper_->reload();
  EXPECT_NE(engine_->models()->front(), before->front());
  EXPECT_NE(engine_->models()->back(), before->back());
}

TEST_F(Keeping, ServesSoManyModelsAndNoMore) {
  for (std::size_t i = 1; i < ModelKeeper::kMostModels; ++i) {
    keeper_->add({"copy-" + std::to_string(i), "two"}, false);
  }
  EXPECT_EQ(status_of([&] { keeper_->add({"last", "two"}, false); }), 422);
}

}  // namespace
}  // namespace heed::server
