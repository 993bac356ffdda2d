// SPDX-License-Identifier: Apache-2.0
// `heed serve` as a running process on a free port of this machine, with small models of every
// task.
#pragma once

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "heed/base/testing.h"
#include "heed/pipeline/caption/caption_testing.h"
#include "heed/pipeline/classify/classify_options.h"
#include "heed/pipeline/classify/classify_testing.h"
#include "heed/pipeline/embed/embed_options.h"
#include "heed/pipeline/glimpse/glimpse_testing.h"
#include "heed/pipeline/language/language_options.h"
#include "heed/pipeline/language/language_testing.h"
#include "heed/pipeline/look/look_testing.h"
#include "heed/pipeline/masked/masked_options.h"
#include "heed/pipeline/memory/memory_options.h"
#include "heed/pipeline/memory/memory_testing.h"
#include "heed/pipeline/pointer/pointer_testing.h"
#include "heed/pipeline/testing.h"
#include "heed/pipeline/visual/visual_testing.h"

namespace heed::test {

// Folders of models that were trained for a moment, once for all tests.
inline const std::filesystem::path& served_models() {
  static const TemporaryFolder folder;
  static const bool made = [] {
    namespace fs = std::filesystem;
    const auto place = [&](const char* name) {
      fs::create_directory(folder / name);
      return folder / name;
    };
    pipeline::TranslationOptions translate;
    pipeline::testing::set_small(translate, place("translate"), "transformer");
    translate.trainer.max_updates = 15;
    train(translate, pipeline::testing::silent);
    pipeline::LanguageOptions language;
    pipeline::testing::set_small(language, place("language"));
    language.trainer.max_updates = 15;
    train(language, pipeline::testing::silent);
    pipeline::ClassifyOptions classify;
    pipeline::testing::set_small(classify, place("classify"));
    classify.trainer.max_updates = 15;
    train(classify, pipeline::testing::silent);
    pipeline::MaskedOptions masked;
    pipeline::testing::set_small(masked, place("masked"));
    masked.trainer.max_updates = 15;
    train(masked, pipeline::testing::silent);
    pipeline::MemoryOptions memory;
    pipeline::testing::set_small(memory, place("memory"));
    memory.linear_start = 0;
    memory.trainer.max_epochs = 1;
    train(memory, pipeline::testing::silent);
    pipeline::PointerOptions pointer;
    pipeline::testing::set_small(pointer, place("pointer"));
    pointer.task = "hull";
    pointer.points = 5;
    pointer.trainer.max_updates = 15;
    train(pointer, pipeline::testing::silent);
    pipeline::LookOptions look;
    pipeline::testing::put_digits(place("look"));
    pipeline::testing::set_small(look, place("look"));
    train(look, pipeline::testing::silent);
    pipeline::CaptionOptions caption;
    pipeline::testing::set_small(caption, place("caption"));
    train(caption, pipeline::testing::silent);
    pipeline::VisualOptions visual;
    pipeline::testing::set_small(visual, place("visual"));
    train(visual, pipeline::testing::silent);
    pipeline::EmbedOptions embed;
    embed.train = (place("embed") / "pairs.tsv").string();
    put(embed.train, "a cat\tone cat\na dog\tone dog\na cow\tone cow\na hen\tone hen\n");
    embed.encoder = models::TextEncoderKind::bag;
    embed.embedding = 8;
    embed.vocabulary.tokeniser = text::TokeniserKind::words;
    embed.batch_sentences = 4;
    embed.trainer.max_updates = 5;
    embed.out = (folder / "embed" / "vectors").string();
    train(embed, pipeline::testing::silent);
    pipeline::GlimpseTrainOptions glimpse;
    pipeline::testing::set_small(glimpse, place("glimpse"));
    train(glimpse, pipeline::testing::silent);
    return true;
  }();
  static const std::filesystem::path path = (static_cast<void>(made), folder.path());
  return path;
}

inline std::vector<std::string> all_models() {
  const std::string base = served_models().string();
  return {"letters=" + base + "/translate/model",    "lines=" + base + "/language/model",
          "opinions=" + base + "/classify/model",    "pairs=" + base + "/masked/words",
          "stories=" + base + "/memory/model",       "hulls=" + base + "/pointer/pointer",
          "digits=" + base + "/look/looker",         "scenes=" + base + "/caption/captioner",
          "questions=" + base + "/visual/questions", "places=" + base + "/glimpse/glimpses",
          "vectors=" + base + "/embed/vectors"};
}

class ServerProcess {
 public:
  explicit ServerProcess(std::vector<std::string> more = {},
                         std::vector<std::string> models = all_models()) {
    std::vector<std::string> words = {HEED_PROGRAM, "serve", "--port", "0", "--threads", "1"};
    words.insert(words.end(), models.begin(), models.end());
    words.insert(words.end(), more.begin(), more.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    int ends[2];
    if (::pipe(ends) != 0) return;
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(ends[1], 1);
      ::dup2(::open(log_file().c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
      ::close(ends[0]);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    std::string said;
    for (char letter = 0; ::read(ends[0], &letter, 1) == 1 && letter != '\n';) said += letter;
    ::close(ends[0]);
    port_ = std::atoi(said.c_str() + said.rfind(':') + 1);
  }
  ~ServerProcess() {
    if (child_ > 0) {
      ::kill(child_, SIGKILL);
      ::waitpid(child_, nullptr, 0);
    }
  }
  ServerProcess(const ServerProcess&) = delete;
  ServerProcess& operator=(const ServerProcess&) = delete;

  int port() const { return port_; }
  void signal(int number) const { ::kill(child_, number); }
  bool alive() const { return ::waitpid(child_, nullptr, WNOHANG) == 0; }

  // Waits for its end: the exit code, or 128 + the signal that ended it; -1 while it still runs.
  int wait(double seconds = 30) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < until) {
      int status = 0;
      if (::waitpid(child_, &status, WNOHANG) == child_) {
        child_ = -1;
        return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    return -1;
  }
  int stop() {
    signal(SIGTERM);
    return wait();
  }

  std::string log() const { return get(log_file()); }
  // Whether the log says so, by then.
  bool logs(const std::string& text, double seconds = 30) const {
    for (int i = 0; i < seconds * 100; ++i) {
      if (log().find(text) != std::string::npos) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
  }

 private:
  std::string log_file() const { return (folder_ / "log").string(); }

  TemporaryFolder folder_{};
  pid_t child_ = -1;
  int port_ = 0;
};

}  // namespace heed::test
