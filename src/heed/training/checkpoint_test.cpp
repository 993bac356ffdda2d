// SPDX-License-Identifier: Apache-2.0
#include "heed/training/checkpoint.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include "heed/base/testing.h"

namespace heed::training {
namespace {

using heed::test::TemporaryFolder;

// A checkpoint that is told from others by its value.
Checkpoint made_of(Real value) {
  Checkpoint checkpoint;
  checkpoint.put("parameters", {{"x", Tensor::full({50, 3}, value)}, {"y", Tensor::scalar(value)}});
  checkpoint.put("optimiser", {{"x/mean", Tensor::of({2}, {value, -value})}});
  checkpoint.notes = {{"update", "7"}, {"position", "line 12\n\"quoted\""}};
  return checkpoint;
}

Real value_of(const Checkpoint& checkpoint) {
  return checkpoint.tensors.at("parameters/y").item();
}

std::vector<std::int64_t> updates_in(const std::filesystem::path& folder) {
  std::vector<std::int64_t> updates;
  for (const CheckpointFile& file : checkpoint_files(folder)) updates.push_back(file.update);
  return updates;
}

// Changes one byte, counted from the end.
void flip(const std::filesystem::path& path, std::size_t from_end) {
  std::string bytes = heed::test::get(path);
  bytes[bytes.size() - from_end] ^= 1;
  heed::test::put(path, bytes);
}

TEST(Checkpoint, ComesBackAsItWasWritten) {
  const TemporaryFolder folder;
  write_checkpoint(made_of(0.1F), folder / "c");
  const Checkpoint back = read_checkpoint(folder / "c");
  EXPECT_EQ(back.notes, made_of(0.1F).notes);
  EXPECT_EQ(back.note("update"), "7");
  EXPECT_THROW(back.note("absent"), DataError);
  ASSERT_EQ(back.tensors.size(), 3U);
  EXPECT_EQ(back.part("parameters").at("x").shape(), (Shape{50, 3}));
  EXPECT_EQ(back.part("optimiser").at("x/mean").values(), (std::vector<Real>{0.1F, -0.1F}));
  EXPECT_TRUE(back.part("ema").empty());
}

TEST(Checkpoint, GivesParametersTheirValuesBackOrChangesNone) {
  const nn::Parameters parameters = {{"x", Variable::leaf(Tensor::of({2}, {1, 2}))},
                                     {"y", Variable::leaf(Tensor::of({1}, {3}))}};
  const auto x = [&] { return parameters[0].variable.value().values(); };
  auto values = parameter_values(parameters);
  values["x"] = Tensor::of({2}, {5, 6});
  restore_parameters(parameters, values);
  EXPECT_EQ(x(), (std::vector<Real>{5, 6}));
  values["x"] = Tensor::of({2}, {7, 8});
  values["y"] = Tensor::zeros({2});
  EXPECT_EQ(heed::test::message_of<DataError>([&] { restore_parameters(parameters, values); }),
            "parameter y has shape [2]; the model takes [1]");
  values.erase("y");
  EXPECT_THROW(restore_parameters(parameters, values), DataError);
  values["y"] = Tensor::zeros({1});
  values["z"] = Tensor::zeros({1});
  EXPECT_THROW(restore_parameters(parameters, values), DataError);
  EXPECT_EQ(x(), (std::vector<Real>{5, 6}));
}

TEST(Checkpoint, NoticesEveryKindOfDamage) {
  const TemporaryFolder folder;
  const auto path = folder / "c";
  const auto damage = [&](auto&& change) {
    write_checkpoint(made_of(1), path);
    change();
    return heed::test::message_of<DataError>([&] { read_checkpoint(path); });
  };
  EXPECT_NE(damage([&] { flip(path, 3); }).find("is damaged: its checksum is"), std::string::npos);
  EXPECT_NE(damage([&] { flip(path, 500); }).find("is damaged"), std::string::npos);
  EXPECT_NE(damage([&] { std::filesystem::resize_file(path, 400); }).find("c: "),
            std::string::npos);
  EXPECT_NE(damage([&] { heed::test::put(path, ""); }).find("c: "), std::string::npos);
  EXPECT_NE(damage([&] {
              std::string bytes = heed::test::get(path);
              bytes.replace(bytes.find("line 12"), 7, "line 13");
              heed::test::put(path, bytes);
            }).find("is damaged"),
            std::string::npos);
  EXPECT_NE(damage([&] {
              std::string bytes = heed::test::get(path);
              bytes.replace(bytes.find("checkpoint 1"), 12, "checkpoint 9");
              heed::test::put(path, bytes);
            }).find("its format is \"heed checkpoint 9\"; a checkpoint's is \"heed checkpoint 1\""),
            std::string::npos);
}

TEST(CheckpointStore, FindsTheNewest) {
  const TemporaryFolder folder;
  CheckpointStore store(folder / "checkpoints");
  EXPECT_FALSE(store.newest().has_value());
  store.save(made_of(1), 5);
  store.save(made_of(2), 100'000'000'000);
  store.save(made_of(3), 20);
  const auto found = store.newest();
  EXPECT_EQ(value_of(found->checkpoint), 2);
  EXPECT_EQ(found->file.update, 100'000'000'000);
  EXPECT_TRUE(found->warnings.empty());
}

TEST(CheckpointStore, FallsBackFromADamagedOneAndSaysSo) {
  const TemporaryFolder folder;
  CheckpointStore store(folder.path());
  store.save(made_of(1), 10);
  store.save(made_of(2), 20);
  flip(store.save(made_of(3), 30), 1);
  const auto found = store.newest();
  EXPECT_EQ(value_of(found->checkpoint), 2);
  ASSERT_EQ(found->warnings.size(), 1U);
  EXPECT_NE(found->warnings[0].find("put aside as update-00000030.safetensors.damaged"),
            std::string::npos)
      << found->warnings[0];
  // The damaged one no longer counts among those to keep.
  store.save(made_of(4), 25);
  store.keep(1, 0);
  EXPECT_EQ(updates_in(folder.path()), (std::vector<std::int64_t>{25}));
}

TEST(CheckpointStore, GivesUpWhenNoneIsWhole) {
  const TemporaryFolder folder;
  CheckpointStore store(folder.path());
  flip(store.save(made_of(1), 10), 1);
  heed::test::put(folder / "update-00000020.safetensors", "");
  const std::string message = heed::test::message_of<DataError>([&] { store.newest(); });
  EXPECT_NE(message.find("none of its 2 checkpoints can be read; --reset starts over"),
            std::string::npos)
      << message;
  EXPECT_EQ(updates_in(folder.path()).size(), 2U);  // and nothing was renamed
}

TEST(CheckpointStore, KeepsTheLastOnesAndTheBest) {
  const TemporaryFolder folder;
  CheckpointStore store(folder.path());
  for (const std::int64_t update : {10, 20, 30, 40, 50}) store.save(made_of(1), update);
  heed::test::put(folder / "update-x.safetensors", "not ours");
  store.keep(2, 20);
  EXPECT_EQ(updates_in(folder.path()), (std::vector<std::int64_t>{20, 40, 50}));
  store.keep(0, 0);  // never none
  EXPECT_EQ(updates_in(folder.path()), (std::vector<std::int64_t>{50}));
  store.clear();
  EXPECT_TRUE(updates_in(folder.path()).empty());
  EXPECT_TRUE(std::filesystem::exists(folder / "update-x.safetensors"));
}

TEST(CheckpointStore, AFullDiskLeavesTheOldOnes) {
  const TemporaryFolder folder;
  CheckpointStore store(folder.path());
  store.save(made_of(1), 10);
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{.rlim_cur = 200, .rlim_max = before.rlim_max};
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const std::string twenty = heed::test::message_of<DataError>([&] { store.save(made_of(2), 20); });
  const std::string ten = heed::test::message_of<DataError>([&] { store.save(made_of(2), 10); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_NE(twenty.find("update-00000020.safetensors: cannot be"), std::string::npos) << twenty;
  EXPECT_NE(ten.find("update-00000010.safetensors: cannot be"), std::string::npos) << ten;
  EXPECT_EQ(updates_in(folder.path()), (std::vector<std::int64_t>{10}));
  EXPECT_EQ(value_of(store.newest()->checkpoint), 1);
}

TEST(CheckpointStore, LetsOneRunInAtATime) {
  const TemporaryFolder folder;
  {
    const CheckpointStore store(folder.path());
    EXPECT_NE(heed::test::message_of<UsageError>([&] {
                CheckpointStore second(folder.path());
              }).find("another run is training there"),
              std::string::npos);
  }
  const CheckpointStore again(folder.path());
  EXPECT_TRUE(updates_in(again.folder()).empty());
}

TEST(CheckpointStore, SweepsWhatAKilledRunLeftHalfWritten) {
  const TemporaryFolder folder;
  heed::test::put(folder / ".update-00000010.safetensors.tmp-123-0", "half");
  heed::test::put(folder / ".other.tmp-123-0", "not ours");
  const CheckpointStore store(folder.path());
  EXPECT_FALSE(std::filesystem::exists(folder / ".update-00000010.safetensors.tmp-123-0"));
  EXPECT_TRUE(std::filesystem::exists(folder / ".other.tmp-123-0"));
}

TEST(CheckpointStore, NoFolderHoldsNoCheckpoints) {
  const TemporaryFolder folder;
  EXPECT_TRUE(checkpoint_files(folder / "absent").empty());
}

}  // namespace
}  // namespace heed::training
