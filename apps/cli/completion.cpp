// SPDX-License-Identifier: Apache-2.0
// The verb `completion`: a script that completes verbs and options in bash, zsh or fish.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "cli/verb.h"
#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed::cli {
namespace {

struct Completed {
  std::string name;
  std::string help;
};

std::vector<Completed> options_of(const Verb& verb) {
  CommandLine line(HelpPage{.name = verb.name});
  verb.setup(line);
  std::vector<Completed> options;
  for (const Argument& option : line.arguments()) {
    const auto names = option.long_names();
    if (names.empty()) continue;
    options.push_back({fmt::format("--{}", names.front()), option.help()});
  }
  return options;
}

std::string names_of(const std::vector<Completed>& options) {
  std::vector<std::string> names;
  std::ranges::transform(options, std::back_inserter(names), &Completed::name);
  return join(names, " ");
}

// Single quotes of a shell word.
std::string quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return fmt::format("'{}'", safe);
}

std::string first_words() {
  std::vector<std::string> words;
  for (const Verb& verb : verbs()) {
    const std::string word(split(verb.name, ' ').front());
    if (words.empty() || words.back() != word) words.push_back(word);
  }
  return join(words, " ");
}

std::string bash_script() {
  std::string cases;
  // The first pattern that fits counts: "train translate" before "train".
  for (auto verb = verbs().rbegin(); verb != verbs().rend(); ++verb) {
    cases +=
        fmt::format("    \"{}\"*) words={} ;;\n", verb->name, quoted(names_of(options_of(*verb))));
  }
  std::map<std::string, std::string> second;  // words after a first one
  for (const Verb& verb : verbs()) {
    const auto parts = split(verb.name, ' ');
    if (parts.size() == 2) second[std::string(parts[0])] += fmt::format(" {}", parts[1]);
  }
  std::string tasks;
  for (const auto& [first, words] : second) {
    tasks += fmt::format("    {}) words=\"$words{}\" ;;\n", first, words);
  }
  return fmt::format(R"sh(# heed completion for bash: eval "$(heed completion bash)"
_heed() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words=
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{} --help --version' -- "$current"))
    return
  fi
  case "${{COMP_WORDS[*]:1}}" in
{}  esac
  if [ "$COMP_CWORD" -eq 2 ]; then
    case "${{COMP_WORDS[1]}}" in
{}    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$current"))
  [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- "$current"))
}}
complete -o filenames -F _heed heed
)sh",
                     first_words(), cases, tasks);
}

std::string fish_script() {
  std::string text = "# heed completion for fish: heed completion fish | source\n";
  for (const Verb& verb : verbs()) {
    const auto parts = split(verb.name, ' ');
    text += fmt::format("complete -c heed -n __fish_use_subcommand -a {} -d {}\n", parts[0],
                        quoted(verb.summary));
    if (parts.size() == 2) {
      text += fmt::format("complete -c heed -n '__fish_seen_subcommand_from {}' -a {}\n", parts[0],
                          parts[1]);
    }
    for (const Completed& option : options_of(verb)) {
      text += fmt::format("complete -c heed -n '__fish_seen_subcommand_from {}' -l {} -d {}\n",
                          parts[0], option.name.substr(2), quoted(option.help));
    }
  }
  return text;
}

Action set_up(CommandLine& line) {
  auto shell = std::make_shared<std::string>();
  line.add("SHELL", *shell, "bash, zsh or fish").required();
  return [shell] {
    if (*shell == "bash") {
      fmt::print("{}", bash_script());
    } else if (*shell == "zsh") {
      // zsh reads bash's form through its own bridge.
      fmt::print("autoload -U +X bashcompinit && bashcompinit\n{}", bash_script());
    } else if (*shell == "fish") {
      fmt::print("{}", fish_script());
    } else {
      throw UsageError("there is no completion for \"{}\"; it takes bash, zsh or fish", *shell);
    }
  };
}

const ListedVerb kListed({.name = "completion",
                          .summary = "Print a script that completes heed's commands in a shell",
                          .description = "",
                          .example = "eval \"$(heed completion bash)\"",
                          .setup = set_up});

}  // namespace
}  // namespace heed::cli
