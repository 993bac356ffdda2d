// SPDX-License-Identifier: Apache-2.0
// Tests of files: reading, maps, and writes that meet a full disk, an exception or a kill.
#include "heed/base/file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/testing.h"

namespace heed {
namespace {

using test::get;
using test::message_of;
using test::put;
using test::TemporaryFolder;
namespace fs = std::filesystem;

std::size_t entries(const TemporaryFolder& folder) {
  return std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
}

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

// Runs work in a child process and gives its wait status.
template <typename Work>
int in_child(Work work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    _exit(99);  // work ends the child itself
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST(ReadFile, GivesEveryByte) {
  const TemporaryFolder folder;
  const std::string content("a\0b\r\n\xff", 6);
  put(folder / "f", content);
  EXPECT_EQ(read_file(folder / "f"), content);
  put(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "empty"), "");
}

TEST(ReadFile, ReadsFilesThatTellNoSize) {
  EXPECT_NE(read_file("/proc/self/status").find("Pid:"), std::string::npos);
}

TEST(ReadFile, NamesPathAndReasonWhenItCannot) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<DataError>([&] { read_file(folder / "none"); }),
            (folder / "none").string() + ": cannot be opened: No such file or directory");
  EXPECT_EQ(message_of<DataError>([&] { read_file(folder.path()); }),
            folder.path().string() + ": cannot be read: Is a directory");
}

TEST(MappedFile, ShowsTheBytesAndKeepsThemWhenMoved) {
  const TemporaryFolder folder;
  put(folder / "f", "heed");
  MappedFile first(folder / "f");
  const std::byte* address = first.bytes().data();
  MappedFile second(std::move(first));
  EXPECT_EQ(second.bytes().data(), address);
  EXPECT_EQ(second.bytes().size(), 4u);
  EXPECT_EQ(static_cast<char>(second.bytes()[3]), 'd');
  EXPECT_TRUE(first.bytes().empty());  // NOLINT(bugprone-use-after-move): moved-from is empty
  MappedFile third;
  third = std::move(second);
  EXPECT_EQ(third.bytes().data(), address);
  EXPECT_EQ(third.path(), folder / "f");
}

TEST(MappedFile, KeepsItsBytesWhileTheFileIsReplaced) {
  const TemporaryFolder folder;
  put(folder / "f", "old");
  const MappedFile map(folder / "f");
  write_atomically(folder / "f", "");
  EXPECT_EQ(static_cast<char>(map.bytes()[2]), 'd');
}

TEST(MappedFile, TakesAnEmptyFileAndRefusesWhatIsNotAFile) {
  const TemporaryFolder folder;
  put(folder / "empty", "");
  EXPECT_TRUE(MappedFile(folder / "empty").bytes().empty());
  EXPECT_EQ(message_of<DataError>([&] { MappedFile map(folder.path()); }),
            folder.path().string() + ": is a folder, and a regular file is needed");
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(
      message_of<DataError>([&] { MappedFile map(folder / "pipe"); }),
      (folder / "pipe").string() + ": is a device, pipe or socket, and a regular file is needed");
}

TEST(WriteAtomically, ReplacesTheContentAndLeavesNothingElse) {
  const TemporaryFolder folder;
  write_atomically(folder / "f", "one");
  EXPECT_EQ(get(folder / "f"), "one");
  write_atomically(folder / "f", [](AtomicFile& file) {
    file.write(std::string(100'000, 'x'));  // beyond the buffer
    file.write("end");
  });
  EXPECT_EQ(get(folder / "f"), std::string(100'000, 'x') + "end");
  EXPECT_EQ(entries(folder), 1u);
}

TEST(WriteAtomically, KeepsTheOrderOfSmallAndLargePieces) {
  const TemporaryFolder folder;
  std::string expected;
  write_atomically(folder / "f", [&](AtomicFile& file) {
    for (const std::size_t size : {1u, 65'535u, 65'536u, 3u, 0u, 200'000u, 7u}) {
      const std::string piece(size, static_cast<char>('a' + size % 26));
      file.write(piece);
      expected += piece;
    }
  });
  EXPECT_EQ(get(folder / "f"), expected);
}

TEST(WriteAtomically, WorksOnANameWithoutAFolderAndOnALongName) {
  const TemporaryFolder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  write_atomically("plain", "here");
  fs::current_path(before);
  EXPECT_EQ(get(folder / "plain"), "here");
  const std::string longest(255, 'n');
  write_atomically(folder / longest, "long");
  EXPECT_EQ(get(folder / longest), "long");
}

TEST(WriteAtomically, LeavesTheOldFileWhenTheWriterThrows) {
  const TemporaryFolder folder;
  put(folder / "f", "old");
  EXPECT_THROW(write_atomically(folder / "f",
                                [](AtomicFile& file) {
                                  file.write(std::string(100'000, 'x'));
                                  throw std::runtime_error("half way");
                                }),
               std::runtime_error);
  EXPECT_EQ(get(folder / "f"), "old");
  EXPECT_EQ(entries(folder), 1u);
}

TEST(WriteAtomically, LeavesTheOldFileOnAFullDisk) {
  const TemporaryFolder folder;
  put(folder / "f", "old");
  const int status = in_child([&] {
    // A limit on the file size stands in for a full disk: write() fails half way in the same way.
    const rlimit limit{150'000, 150'000};
    setrlimit(RLIMIT_FSIZE, &limit);
    signal(SIGXFSZ, SIG_IGN);
    const std::string message =
        message_of<DataError>([&] { write_atomically(folder / "f", std::string(1'000'000, 'x')); });
    _exit(message == (folder / "f").string() + ": cannot be written: File too large" ? 7 : 8);
  });
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
  EXPECT_EQ(get(folder / "f"), "old");
  EXPECT_EQ(entries(folder), 1u);
}

TEST(WriteAtomically, LeavesTheOldFileWhenKilledHalfWay) {
  const TemporaryFolder folder;
  put(folder / "f", "old");
  const int status = in_child([&] {
    AtomicFile file(folder / "f");
    file.write(std::string(500'000, 'x'));
    kill(getpid(), SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGKILL);
  EXPECT_EQ(get(folder / "f"), "old");
}

TEST(WriteAtomically, HoldsOneWholeContentWheneverItIsKilled) {
  const TemporaryFolder folder;
  const std::string one(300'000, '1');
  const std::string two(200'000, '2');
  put(folder / "f", one);
  for (int delay = 0; delay < 20; ++delay) {
    const pid_t child = fork();
    if (child == 0) {
      for (;;) {
        write_atomically(folder / "f", two);
        write_atomically(folder / "f", one);
      }
    }
    usleep(500 * delay);
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    const std::string now = get(folder / "f");
    ASSERT_TRUE(now == one || now == two) << "after a kill: " << now.size() << " bytes";
  }
}

TEST(WriteAtomically, KeepsTheModeOfAnExistingFileAndGivesNewOnesTheUmask) {
  const TemporaryFolder folder;
  const mode_t before = umask(027);
  write_atomically(folder / "new", "x");
  EXPECT_EQ(mode_of(folder / "new"), 0640u);
  fs::permissions(folder / "new", fs::perms(0606));
  write_atomically(folder / "new", "y");
  EXPECT_EQ(mode_of(folder / "new"), 0606u);
  umask(before);
}

TEST(WriteAtomically, ReplacesTheTargetOfALinkAndKeepsTheLink) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "deep");
  put(folder / "deep" / "target", "old");
  fs::create_symlink("deep/target", folder / "link");
  fs::create_symlink("link", folder / "link_to_link");
  write_atomically(folder / "link_to_link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(get(folder / "deep" / "target"), "new");
  fs::create_symlink("deep/later", folder / "dangling");
  write_atomically(folder / "dangling", "made");
  EXPECT_EQ(get(folder / "deep" / "later"), "made");
}

TEST(WriteAtomically, RefusesLoopsFoldersDevicesAndMissingFolders) {
  const TemporaryFolder folder;
  fs::create_symlink("b", folder / "a");
  fs::create_symlink("a", folder / "b");
  EXPECT_EQ(message_of<DataError>([&] { write_atomically(folder / "a", "x"); }),
            (folder / "a").string() + ": cannot be followed: Too many levels of symbolic links");
  EXPECT_THROW(write_atomically(folder.path(), "x"), DataError);
  EXPECT_THROW(write_atomically("/dev/null", "x"), DataError);
  EXPECT_EQ(message_of<DataError>([&] { write_atomically(folder / "none" / "f", "x"); }),
            (folder / "none" / "f").string() + ": cannot be written: No such file or directory");
}

TEST(MakeFolder, MakesAllThatIsMissingAndLeavesWhatIsThere) {
  const TemporaryFolder folder;
  make_folder(folder / "a" / "b");
  put(folder / "a" / "b" / "f", "x");
  make_folder(folder / "a" / "b");
  EXPECT_EQ(get(folder / "a" / "b" / "f"), "x");
}

TEST(MakeFolder, RefusesAFileABrokenLinkAndAPlaceWithoutFolders) {
  const TemporaryFolder folder;
  put(folder / "f", "x");
  fs::create_symlink("gone", folder / "link");
  EXPECT_EQ(message_of<DataError>([&] { make_folder(folder / "f"); }),
            (folder / "f").string() +
                ": is not a folder, and one is to be made there; name another place");
  EXPECT_THROW(make_folder(folder / "link"), DataError);
  EXPECT_THROW(make_folder(folder / "f" / "below"), DataError);
  EXPECT_THROW(make_folder("/proc/none"), DataError);
}

TEST(AtomicFile, ChangesNothingWithoutCommitAndTakesNothingAfterIt) {
  const TemporaryFolder folder;
  { AtomicFile(folder / "f").write("x"); }
  EXPECT_EQ(entries(folder), 0u);
  AtomicFile file(folder / "f");
  file.write("x");
  file.commit();
  EXPECT_THROW(file.write("y"), InternalError);
  EXPECT_THROW(file.commit(), InternalError);
  EXPECT_EQ(get(folder / "f"), "x");
}

}  // namespace
}  // namespace heed
