// SPDX-License-Identifier: Apache-2.0
// Folders whose files belong together, and those where one was exchanged.
#include "heed/pipeline/folder_seal.h"

#include <gtest/gtest.h>

#include "heed/base/error.h"
#include "heed/base/file.h"
#include "heed/base/testing.h"
#include "heed/base/warning.h"
#include "heed/nn/linear.h"
#include "heed/pipeline/train.h"

namespace heed::pipeline {
namespace {

// A classifier's folder, as far as a seal looks at it.
class FolderSeal : public ::testing::Test {
 protected:
  FolderSeal() {
    const auto options = find_kind("classify")->options();
    options->list.read_toml_text("hidden = 64\nmax-updates = 5\n", "test");
    config_ = options->list.to_toml();
    write_atomically(folder_.config(), config_);
    write_atomically(folder_.file("tokeniser"), "the words\n");
    write_atomically(folder_.file("labels.tsv"), "the labels\n");
    Random random(1);
    nn::Linear weights(2, 2, random);
    folder_.save_weights(nn::parameters(weights), "classify", 17);
  }
  std::string problem() const {
    return test::message_of<DataError>([&] { folder_.check("classify"); });
  }
  // The config with one of its lines changed.
  std::string with(const std::string& before, const std::string& after) const {
    const std::size_t at = config_.find(before);
    EXPECT_NE(at, std::string::npos) << config_;
    return config_.substr(0, at) + after + config_.substr(at + before.size());
  }

  test::TemporaryFolder place_;
  ModelFolder folder_{place_.path()};
  std::string config_;
};

TEST_F(FolderSeal, HoldsWhatWasSavedTogetherAndTheLongestText) {
  EXPECT_NO_THROW(folder_.check("classify"));
  EXPECT_EQ(folder_.longest(), 17);
}

TEST_F(FolderSeal, LetsChangeWhatOnlyTrainingReads) {
  write_atomically(folder_.config(), with("max-updates = 5\n", "max-updates = 500\n"));
  EXPECT_NO_THROW(folder_.check("classify"));
}

TEST_F(FolderSeal, NamesAFileThatIsNotItsOwn) {
  write_atomically(folder_.file("tokeniser"), "words the\n");  // as many bytes, another order
  const std::string said = problem();
  EXPECT_TRUE(said.starts_with(folder_.file("tokeniser").string() +
                               ": is not the file these weights were trained with"))
      << said;
  EXPECT_NE(said.find("put back the file of that training"), std::string::npos) << said;
}

TEST_F(FolderSeal, NamesTheOptionsOfAConfigThatIsNotItsOwn) {
  write_atomically(folder_.config(), with("hidden = 64\n", "hidden = 65\n"));
  const std::string said = problem();
  EXPECT_TRUE(said.starts_with(folder_.config().string() +
                               ": is not the config these weights were trained with"))
      << said;
  EXPECT_NE(said.find("hidden: was 64, is 65"), std::string::npos) << said;
  write_atomically(folder_.config(), with("hidden = 64\n", ""));
  EXPECT_NE(problem().find("hidden: was 64, is not there"), std::string::npos) << problem();
}

TEST_F(FolderSeal, BlamesTheWeightsWhenNothingElseIsTheirs) {
  write_atomically(folder_.config(), with("hidden = 64\n", "hidden = 65\n"));
  write_atomically(folder_.file("tokeniser"), "others\n");
  write_atomically(folder_.file("labels.tsv"), "others\n");
  EXPECT_TRUE(problem().starts_with(folder_.weights().string() +
                                    ": does not belong to this folder: neither tokeniser nor "
                                    "labels.tsv nor config.toml"))
      << problem();
}

TEST_F(FolderSeal, WarnsOfAnOlderFolderAndReadsIt) {
  nn::save({}, folder_.weights().string(), {{"format", "1"}, {"task", "classify"}});
  std::string heard;
  const WarningSink before = set_warning_sink([&](std::string_view text) { heard += text; });
  EXPECT_NO_THROW(folder_.check("classify"));
  set_warning_sink(before);
  EXPECT_TRUE(heard.starts_with(place_.path().string() + ": was written by an older heed"))
      << heard;
  EXPECT_EQ(folder_.longest(), 0);
}

TEST_F(FolderSeal, TellsWeightsOfAnotherKindFromAMissingFile) {
  std::filesystem::remove(folder_.file("tokeniser"));
  EXPECT_NE(problem().find("tokeniser is missing"), std::string::npos) << problem();
  write_atomically(folder_.file("source.tokeniser"), "a translator's\n");
  EXPECT_NE(problem().find("the weights of a classifier, and the other files of the folder are "
                           "those of a translator"),
            std::string::npos)
      << problem();
}

TEST_F(FolderSeal, TellsAConfigOfAnotherKindFromADamagedOne) {
  write_atomically(folder_.config(), find_kind("masked")->options()->list.to_toml());
  EXPECT_NE(problem().find("the weights of a classifier, and config.toml is of a model of masked"),
            std::string::npos)
      << problem();
  write_atomically(folder_.config(), "hidden = ");
  EXPECT_TRUE(problem().starts_with(folder_.config().string() + ":1:")) << problem();
}

TEST_F(FolderSeal, TrustsNoNumber) {
  for (const char* longest : {"x", "-3", "0", "3 ", "99999999999999999999"}) {
    nn::save({}, folder_.weights().string(), {{"longest", longest}});
    EXPECT_THROW(folder_.longest(), DataError) << longest;
  }
}

}  // namespace
}  // namespace heed::pipeline
