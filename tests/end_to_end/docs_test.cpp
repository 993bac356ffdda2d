// SPDX-License-Identifier: Apache-2.0
// The pages tell the truth: their code is compiled and run, their commands give the output shown,
// and what they name exists.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <set>

#include "documents.h"
#include "heed/pipeline/run_options.h"
#include "heed/training/trainer_options.h"
#include "installed.h"
#include "pages.h"

namespace heed::test {
namespace {

namespace fs = std::filesystem;

// A page's path as the name of a program: docs/files.md is docs-files.
std::string stem_of(std::string page) {
  std::ranges::replace(page, '/', '-');
  return fs::path(page).stem().string();
}

// The programs of all pages and the examples, built once against an installed Heed.
class Pages : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = std::make_unique<TemporaryFolder>();
    std::string project =
        "cmake_minimum_required(VERSION 3.25)\nproject(pages LANGUAGES CXX)\n"
        "set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})\n"
        "add_subdirectory(" HEED_SOURCE_DIR
        "/examples examples)\n"
        "find_package(heed REQUIRED)\nlink_libraries(heed::heed)\n";
    for (const auto& [path, page] : pages()) {
      const std::string program = program_of(path, blocks_of(page));
      if (program.empty()) continue;
      put(*folder_ / (stem_of(path) + ".cpp"), program);
      project += fmt::format("add_executable({0} {0}.cpp)\n", stem_of(path));
    }
    // It is about the inside, where headers are that nobody installs.
    project += "target_include_directories(CONTRIBUTING PRIVATE " HEED_SOURCE_DIR "/src)\n";
    put(*folder_ / "CMakeLists.txt", project);
    install_to(*folder_ / "prefix");
    build_against(*folder_ / "prefix", folder_->path(), *folder_ / "build");
  }
  static void TearDownTestSuite() { folder_.reset(); }

  static inline std::unique_ptr<TemporaryFolder> folder_;
};

// One thread: the work is small, and the machine may be busy with other tests. `programs` is where
// the examples were built.
ProgramSetting setting_in(const std::string& folder, const std::string& programs) {
  const std::string heed = fs::path(HEED_PROGRAM).parent_path().string();
  const std::string path = fmt::format("{}:{}:{}", heed, programs, getenv("PATH"));
  return {.environment = {{"PATH", path}, {"HEED_THREADS", "1"}}, .folder = folder};
}

void check_command(const std::string& page, const Block& block, const Command& command,
                   const ProgramSetting& setting) {
  const std::string where = fmt::format("{}:{}", page, block.line);
  const ProgramResult result =
      run_program({"/bin/bash", "-c", "{ " + command.line + "\n} 2>&1"}, setting);
  std::string shown = tidy(command.output);
  std::string printed = tidy(result.out);
  if (block.kind == "console loose") {
    shown = loosely(shown);
    printed = loosely(printed);
  }
  EXPECT_TRUE(matches(shown, printed)) << where << ": $ " << command.line << "\nprints\n"
                                       << printed << "\ninstead of\n"
                                       << shown;
  // An error shown begins with the name of the program.
  const bool fails =
      shown.starts_with("heed: ") || std::regex_search(shown, std::regex("^heed [a-z]+: "));
  EXPECT_EQ(result.exit_code != 0, fails) << where << ": $ " << command.line;
}

TEST_F(Pages, CodeAndCommandsGiveTheOutputShown) {
  for (const auto& [path, page] : pages()) {
    SCOPED_TRACE(path);
    const std::vector<Block> blocks = blocks_of(page);
    const std::string folder = (*folder_ / ("run-" + stem_of(path))).string();
    fs::create_directory(folder);
    const ProgramSetting setting = setting_in(folder, (*folder_ / "build").string());
    if (!program_of(path, blocks).empty()) {
      const ProgramResult result =
          run_program({(*folder_ / "build" / stem_of(path)).string()}, setting);
      EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
      std::string shown;
      for (const Block& block : blocks) {
        if (block.kind == "output") shown += block.text;
      }
      EXPECT_TRUE(matches(tidy(shown), tidy(result.out))) << "prints\n"
                                                          << result.out << "instead of\n"
                                                          << shown;
    }
    for (const Block& block : blocks) {
      if (!block.kind.starts_with("console")) continue;
      for (const Command& command : commands_of(block)) {
        check_command(path, block, command, setting);
      }
    }
  }
}

TEST(PagesText, EveryExampleIsRunByItsPageAndListed) {
  const std::string list = get(HEED_SOURCE_DIR "/examples/README.md");
  EXPECT_GE(examples().size(), 5u);
  for (const fs::path& folder : examples()) {
    const std::string name = folder.filename().string();
    EXPECT_NE(list.find(fmt::format("| [{0}]({0}/README.md) |", name)), std::string::npos) << name;
    bool run = false;
    for (const Block& block : blocks_of(get(folder / "README.md"))) {
      if (!block.kind.starts_with("console")) continue;
      for (const Command& command : commands_of(block)) {
        run |= command.line == name && !tidy(command.output).empty();
      }
    }
    EXPECT_TRUE(run) << name << "/README.md shows no run of " << name;
  }
}

TEST(PagesText, UsesOnlyBlocksThatAreChecked) {
  const std::set<std::string> kinds = {"cpp",  "output", "console", "console loose",
                                       "diff", "sh",     "cmake",   "toml"};
  std::size_t checked = 0;
  for (const auto& [path, page] : pages()) {
    for (const Block& block : blocks_of(page)) {
      EXPECT_TRUE(kinds.contains(block.kind)) << path << ":" << block.line << ": " << block.kind;
      checked += block.kind == "cpp" || block.kind.starts_with("console");
    }
  }
  EXPECT_GT(checked, 10u);
}

TEST(PagesText, WholeProgramsAreFilesOfExamples) {
  std::size_t programs = 0;
  for (const auto& [path, page] : pages()) {
    for (const Block& block : blocks_of(page)) {
      if (block.kind != "cpp" || !is_program(block)) continue;
      ++programs;
      bool found = false;
      for (const auto& entry : fs::recursive_directory_iterator(HEED_SOURCE_DIR "/examples")) {
        found |= entry.is_regular_file() && get(entry.path()).ends_with("\n" + block.text);
      }
      EXPECT_TRUE(found) << path << ":" << block.line << ": no file of examples/ ends like this";
    }
  }
  EXPECT_GT(programs, 0u);
}

TEST(PagesText, DiffsFitTheirFiles) {
  for (const auto& [path, page] : pages()) {
    for (const Block& block : blocks_of(page)) {
      if (block.kind != "diff") continue;
      std::string file;
      for (const std::string_view line : split(block.text, '\n')) {
        if (line.starts_with("+++ ")) {
          file = get(fs::path(HEED_SOURCE_DIR) / line.substr(4));
          EXPECT_FALSE(file.empty()) << path << ":" << block.line << ": " << line;
        } else if (line.starts_with(' ')) {
          EXPECT_NE(file.find(std::string(line.substr(1)) + "\n"), std::string::npos)
              << path << ":" << block.line << ": the file does not hold" << line;
        }
      }
    }
  }
}

TEST(PagesText, NameWhatExists) {
  const std::string makefile = get(HEED_SOURCE_DIR "/Makefile");
  const std::string verbs = run_heed({}).out;
  for (const auto& [path, page] : pages()) {
    const std::string prose = prose_of(page);
    const fs::path folder = (fs::path(HEED_SOURCE_DIR) / path).parent_path();
    for (const std::string& link : links_in(prose)) {
      EXPECT_TRUE(exists(folder / link)) << path << ": links to " << link;
    }
    for (const std::string& named : paths_in(prose)) {
      EXPECT_TRUE(exists(fs::path(HEED_SOURCE_DIR) / named)) << path << ": names " << named;
    }
    for (const std::string& target : make_targets_in(page)) {
      EXPECT_NE(makefile.find("\n" + target + ":"), std::string::npos)
          << path << ": make " << target;
    }
    for (const std::string& verb : verbs_in(page)) {
      EXPECT_NE(verbs.find("\n  " + verb + " "), std::string::npos) << path << ": heed " << verb;
    }
  }
}

// What docs/translation.md lists under "These may change when it does".
TEST(PagesText, ListTheOptionsThatMayChangeWhenATrainingResumes) {
  const std::string page = get(HEED_SOURCE_DIR "/docs/translation.md");
  const std::size_t begin = page.find("These may change when it does:");
  ASSERT_NE(begin, std::string::npos);
  const std::string table = page.substr(begin, page.find("Anything else that changed") - begin);
  std::vector<std::string> names = training::changeable_options();
  const std::vector<std::string>& more = pipeline::changeable_run_options();
  names.insert(names.end(), more.begin(), more.end());
  // These are no options of a single run.
  for (const char* of_the_start : {"reset", "dry-run", "seeds", "folds"}) {
    EXPECT_EQ(std::erase(names, of_the_start), 1u) << of_the_start;
  }
  for (const std::string& name : names) {
    EXPECT_NE(table.find(fmt::format("`--{}`", name)), std::string::npos) << name;
  }
  std::size_t listed = 0;
  for (std::size_t at = table.find("`--"); at != table.npos; at = table.find("`--", at + 1)) {
    ++listed;
  }
  EXPECT_EQ(listed, names.size()) << table;
}

TEST(Documents, TakesAPageApart) {
  const std::string page =
      "Text `src/a.h` and [b](docs/b.md#top), `make it`.\n```cpp\n#include <x>\nint i = 0;\n```\n"
      "```cpp\nnamespace n {}\n```\n```console\n$ heed go\nwent\n$ heed stop\n```\n";
  const std::vector<Block> blocks = blocks_of(page);
  ASSERT_EQ(blocks.size(), 3u);
  EXPECT_EQ(blocks[2].line, 10u);
  EXPECT_EQ(program_of("p", blocks),
            "#include <x>\n#line 7 \"p\"\nnamespace n {}\n\nint main() {\n#line 3 \"p\"\n\n"
            "int i = 0;\n\n}\n");
  const std::vector<Command> commands = commands_of(blocks[2]);
  ASSERT_EQ(commands.size(), 2u);
  EXPECT_EQ(commands[0].line, "heed go");
  EXPECT_EQ(commands[0].output, "went\n");
  EXPECT_EQ(links_in(prose_of(page)), (std::vector<std::string>{"docs/b.md"}));
  EXPECT_EQ(paths_in(prose_of(page)), (std::vector<std::string>{"src/a.h"}));
  EXPECT_EQ(make_targets_in(page), (std::vector<std::string>{"it"}));
  EXPECT_EQ(verbs_in(page), (std::vector<std::string>{"go", "stop"}));
}

TEST(Documents, ComparesOutputWithItsGaps) {
  EXPECT_TRUE(matches("a ... c\n...", "a b c\nd\ne"));
  EXPECT_FALSE(matches("a ... c", "a b d"));
  EXPECT_FALSE(matches("a", "a b"));
  EXPECT_EQ(loosely("took 1.5 s, ▁▂ error    12"), "took # s, ~ error #");
  EXPECT_EQ(loosely("2  .  .04 %  .70      0"), loosely("2       0 @  .91  .02"));
  EXPECT_EQ(tidy("a  \nb\n\n"), "a\nb");
}

}  // namespace
}  // namespace heed::test
