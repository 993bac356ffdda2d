// SPDX-License-Identifier: Apache-2.0
// The program itself: its help, its version, its exit codes, and the nearest name for a slip.
#include <gtest/gtest.h>
#include <signal.h>

#include "heed/base/safetensors.h"
#include "run_program.h"

namespace heed {
namespace {

using test::ProgramResult;
using test::run_heed;
using test::run_program;
using test::TemporaryFolder;

TEST(HeedProgram, AloneListsItsVerbsWithAnExample) {
  const ProgramResult alone = run_heed({});
  EXPECT_EQ(alone.exit_code, 0);
  EXPECT_EQ(alone.err, "");
  EXPECT_NE(alone.out.find("Verbs:"), std::string::npos);
  EXPECT_NE(alone.out.find("  tensors"), std::string::npos);
  EXPECT_NE(alone.out.find("Examples:\n  heed "), std::string::npos);
  EXPECT_EQ(run_heed({"--help"}).out, alone.out);
  EXPECT_EQ(run_heed({"-h"}).out, alone.out);
}

TEST(HeedProgram, TellsItsVersion) {
  const ProgramResult result = run_heed({"--version"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out, "heed " HEED_VERSION "\n");
}

TEST(HeedProgram, ExplainsEveryVerbWithAnExample) {
  const ProgramResult result = run_heed({"tensors", "--help"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_NE(result.out.find("--json"), std::string::npos);
  EXPECT_NE(result.out.find("Examples:\n  heed tensors "), std::string::npos);
}

TEST(HeedProgram, CompletesItsCommandsInBash) {
  const TemporaryFolder folder;
  test::put(folder / "complete.sh", run_heed({"completion", "bash"}).out);
  const auto completed = [&](const std::string& words, int place) {
    return run_program({"/bin/bash", "-c",
                        "source " + (folder / "complete.sh").string() + "; COMP_WORDS=(" + words +
                            "); COMP_CWORD=" + std::to_string(place) +
                            "; _heed; echo \"${COMPREPLY[*]}\""})
        .out;
  };
  EXPECT_EQ(completed("heed tra", 1), "train translate\n");
  EXPECT_EQ(completed("heed train tran", 2), "translate\n");
  EXPECT_EQ(completed("heed tensors --js", 2), "--json\n");
  EXPECT_EQ(completed("heed train translate --hid", 3), "--hidden\n");
  EXPECT_NE(run_heed({"completion", "fish"}).out.find("complete -c heed"), std::string::npos);
  EXPECT_EQ(run_heed({"completion", "tcsh"}).exit_code, 2);
}

TEST(HeedProgram, NamesTheNearestVerb) {
  const ProgramResult result = run_heed({"tensosr"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(result.err,
            "heed: there is no verb \"tensosr\" (did you mean \"tensors\"?); `heed` alone lists "
            "them\n");
  const ProgramResult version = run_heed({"version"});
  EXPECT_EQ(version.exit_code, 2);
  EXPECT_NE(version.err.find("(did you mean \"--version\"?)"), std::string::npos) << version.err;
}

TEST(HeedProgram, NamesTheNearestFlag) {
  const ProgramResult result = run_heed({"tensors", "f", "--jsno"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "heed tensors: there is no option \"--jsno\" (did you mean \"--json\"?); see `heed "
            "tensors --help`\n");
  EXPECT_EQ(run_heed({"tensors", "f", "--jsno=1"}).err, result.err);
  const ProgramResult global = run_heed({"--verison"});
  EXPECT_EQ(global.exit_code, 2);
  EXPECT_EQ(global.err,
            "heed: there is no option \"--verison\" (did you mean \"--version\"?); `heed` alone "
            "lists the verbs\n");
}

TEST(HeedProgram, ReadsTheOptionsOfEveryVerbFromAFileAndWritesThemBack) {
  const TemporaryFolder folder;
  const std::string config = (folder / "c.toml").string();
  const auto dumped = [&](std::vector<std::string> words, const std::string& text) {
    test::put(config, text + "\n");
    words.insert(words.end(), {"--config", config, "--dump-config"});
    const ProgramResult result = run_heed(words);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out.find(text) != std::string::npos;
  };
  EXPECT_TRUE(dumped({"attend", "dot"}, "init = 7"));
  EXPECT_TRUE(dumped({"average"}, "last = 5"));
  EXPECT_TRUE(dumped({"info"}, "json = true"));
  EXPECT_TRUE(dumped({"mechanisms"}, "markdown = true"));
  EXPECT_TRUE(dumped({"tensors", "f"}, "json = true"));
  EXPECT_TRUE(dumped({"topics"}, "folder = \"there\""));
  EXPECT_EQ(run_heed({"average", "--out", "mean"}).err,
            "heed average: --model: say which model folder they belong to\n");
  EXPECT_EQ(run_heed({"mechanisms", "--json", "--markdown"}).err,
            "heed mechanisms: --plot, --json and --markdown are three forms: give one of them\n");
}

TEST(HeedProgram, RefusesMissingAndSpareArguments) {
  const ProgramResult missing = run_heed({"tensors"});
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_TRUE(missing.err.starts_with("heed tensors: ")) << missing.err;
  EXPECT_NE(missing.err.find("FILE"), std::string::npos) << missing.err;
  const ProgramResult spare = run_heed({"tensors", "one", "two"});
  EXPECT_EQ(spare.exit_code, 2);
  EXPECT_EQ(spare.err,
            "heed tensors: there is no use for the argument \"two\"; see `heed tensors --help`\n");
}

TEST(HeedProgram, RefusesAThreadCountThatIsNone) {
  const ProgramResult result =
      run_heed({"tensors", "f"}, {.environment = {{"HEED_THREADS", "two"}}});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err,
            "heed tensors: HEED_THREADS is \"two\": it takes a whole number from 1 to 1024\n");
}

TEST(HeedProgram, SaysWhenItsOutputCannotBeWritten) {
  const ProgramResult result = run_heed({"--help"}, {.output = "/dev/full"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.err, "heed: cannot write the output: No space left on device\n");
}

TEST(HeedProgram, SaysWhatNeedsLessMemory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitiser's own maps are larger than any limit that would do";
#endif
  const TemporaryFolder folder;
  test::put(folder / "text", "a b c d e f\n");
  const ProgramResult result =
      run_program({"/bin/bash", "-c",
                   "ulimit -v 600000; exec " HEED_PROGRAM " train language --train " +
                       (folder / "text").string() + " --out " + (folder / "model").string() +
                       " --tokeniser words --tracks 1 --hidden 8192 --max-updates 1 --threads 1"},
                  {.environment = {{"OMP_NUM_THREADS", "1"}}});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find("heed train language: out of memory; take a smaller --batch-tokens"),
            std::string::npos)
      << result.err;
}

TEST(HeedProgram, IsQuietWhenTheReaderOfItsOutputGoesAway) {
  const TemporaryFolder folder;
  SafetensorsWriter writer;
  const std::vector<float> one = {1};
  for (int i = 0; i < 5000; ++i) writer.add("tensor." + std::to_string(i), {1}, one);
  writer.write(folder / "f");
  // With the signal's usual action and with the signal ignored, as some parents leave it.
  for (const char* trap : {"", "trap '' PIPE; "}) {
    const ProgramResult result =
        run_program({"/bin/bash", "-c",
                     std::string(trap) + HEED_PROGRAM " tensors " + (folder / "f").string() +
                         " | head -1; exit ${PIPESTATUS[0]}"});
    EXPECT_EQ(result.exit_code, 128 + SIGPIPE);
    EXPECT_EQ(result.err, "");
  }
}

}  // namespace
}  // namespace heed
