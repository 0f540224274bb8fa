// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/wrappers.h"

#include <algorithm>
#include <array>

#include "base/shell/options.h"
#include "base/shell/word_table.h"

namespace parley::shell {
namespace {

struct Wrapper {
  std::string_view name;
  OptionTable options = {};
  std::size_t operands = 0;         // in front of the program
  std::string_view folder = {};     // options whose value is the folder that the program runs in
  std::string_view text = {};       // whose value is a text that runs
  std::string_view itself = {};     // with which no other program runs
  std::string_view arguments = {};  // without which the words are one text that runs; empty: they
                                    // are always a program and its arguments
};
constexpr std::array<Wrapper, 34> kWrappers = {{
    {"sudo",
     {"u user g group h host p prompt C close-from D chdir r role t type T command-timeout R "
      "chroot "
      "U other-user",
      "A askpass b background B bell E preserve-env e edit H set-home i login K remove-timestamp k "
      "reset-timestamp l list n non-interactive N no-update P preserve-groups S stdin s shell v "
      "validate V version help",
      ""},
     0,
     "D chdir",
     "",
     "e edit"},
    {"doas", {"u C", "n s L", ""}},
    {"pkexec", {"user", "disable-internal-agent keep-cwd", ""}},
    {"env",
     {"u unset C chdir S split-string P",
      "i ignore-environment 0 null v debug block-signal default-signal ignore-signal "
      "list-signal-handling",
      ""},
     0,
     "C chdir",
     "S split-string"},
    {"nohup", {}},
    {"nice", {"n adjustment", "0 1 2 3 4 5 6 7 8 9", ""}},
    {"ionice", {"c class n classdata p pid P pgid u uid", "t ignore", ""}},
    {"time", {"f format o output", "a append p portability q quiet v verbose", ""}},
    {"timeout", {"k kill-after s signal", "v verbose f foreground p preserve-status", ""}, 1},
    {"stdbuf", {"i input o output e error", "", ""}},
    {"setsid", {"", "c ctty f fork w wait", ""}},
    {"command", {"", "p v V", ""}, 0, "", "", "v V"},
    {"builtin", {}},
    {"exec", {"a", "c l", ""}},
    {"xargs",
     {"a arg-file d delimiter E I J L n max-args P max-procs R s max-chars S process-slot-var",
      "0 null o open-tty p interactive r no-run-if-empty t verbose x exit show-limits eof replace "
      "max-lines",
      "e i l"}},
    {"parallel",
     {"j jobs P max-procs n max-args N max-replace-args L max-lines S sshlogin a arg-file I C "
      "colsep d delimiter joblog results retries delay timeout halt tmpdir workdir env load "
      "memfree "
      "nice tagstring basefile return",
      "0 null k keep-order q quote v verbose t m X xargs u ungroup bar eta progress dry-run tag "
      "line-buffer lb no-notice will-cite pipe group r no-run-if-empty resume citation",
      ""},
     0,
     "",
     "",
     "",
     "q quote"},
    {"watch",
     {"n interval q equexit s shotsdir",
      "b beep c color C no-color d differences e errexit g chgexit p precise r no-rerun t no-title "
      "w no-wrap x exec",
      ""},
     0,
     "",
     "",
     "",
     "x exec"},
    {"busybox", {}},
    {"toybox", {}},
    {"caffeinate", {"t w", "d i m s u", ""}},
    {"flock",
     {"w wait timeout E conflict-exit-code",
      "s shared x exclusive e u unlock n nb nonblock o close F no-fork v verbose", ""},
     1},
    {"chroot", {"userspec groups", "skip-chdir", ""}, 1},
    {"strace",
     {"a b e E I o O p P s S u U X", "c C d D f F h i k n N q r t T v w x y z Z follow-forks", ""}},
    {"ltrace", {"a A D e F l n o p s u w x X", "b c C f h i L r S t T", ""}},
    {"taskset", {"", "a all-tasks c cpu-list p pid", ""}, 1, "", "", "p pid"},
    {"unshare",
     {"S setuid G setgid R root w wd map-user map-group",
      "m mount u uts i ipc n net p pid U user C cgroup T time f fork r map-root-user c "
      "map-current-user mount-proc kill-child keep-caps",
      ""},
     0,
     "w wd"},
    {"nsenter",
     {"t target S setuid G setgid",
      "a all m mount u uts i ipc n net p pid C cgroup U user T time r root w wd F no-fork Z "
      "preserve-credentials",
      ""}},
    {"chrt", {"T P D", "b f i o r d a R v p", ""}, 1, "", "", "p"},
    {"proxychains4", {"f", "q", ""}},
    {"torsocks", {}},
    {"eatmydata", {}},
    {"unbuffer", {"", "p", ""}},
    {"fakeroot", {"l lib faked i s b", "u unknown-is-real", ""}},
    {"systemd-run",
     {"p property u unit M machine H host E setenv slice uid gid nice working-directory "
      "description service-type on-active on-boot on-calendar",
      "t pty P pipe q quiet G collect d same-dir S shell user system scope wait no-block "
      "remain-after-exit",
      ""},
     0,
     "working-directory"},
}};
// Folders whose programs are those that the tables of this room know by their names.
constexpr std::array<std::string_view, 12> kSystemFolders = {"/bin",
                                                             "/sbin",
                                                             "/usr/bin",
                                                             "/usr/sbin",
                                                             "/usr/local/bin",
                                                             "/usr/local/sbin",
                                                             "/usr/libexec",
                                                             "/opt/homebrew/bin",
                                                             "/opt/local/bin",
                                                             "/snap/bin",
                                                             "/run/current-system/sw/bin",
                                                             "/etc/alternatives"};

bool sets_variable(std::string_view text) {
  return !text.starts_with('-') && text.find('=') != std::string_view::npos;
}

class CallReader {
 public:
  CallReader(const Command& command, std::span<const Word> words) : words_(words) {
    call_.command = &command;
  }

  std::optional<Call> read() {
    for (int i = 0; at_ < words_.size() && words_[at_].is_fixed; ++i) {
      name_program();
      const auto* const wrapper =
          std::find_if(kWrappers.begin(), kWrappers.end(),
                       [this](const Wrapper& row) { return row.name == call_.name; });
      if (wrapper == kWrappers.end()) break;
      if (i == kMaxWrappers) {
        call_.problem = "Too many programs start each other: " + line_of(words_);
        break;
      }
      if (!pass(*wrapper)) break;
    }
    if (at_ >= words_.size()) return std::nullopt;
    if (!words_[at_].is_fixed) {
      call_.name.clear();
      call_.title = words_[at_].text;
    }
    call_.arguments = words_.subspan(at_ + 1);
    return std::move(call_);
  }

 private:
  void name_program() {
    const std::string& text = words_[at_].text;
    const std::size_t slash = text.find_last_of("/\\");
    call_.name = text.substr(slash + 1);  // npos + 1 is 0
    if (call_.name.ends_with(".exe")) call_.name.resize(call_.name.size() - 4);
    const bool is_own = slash != std::string::npos &&
                        !is_in(kSystemFolders, std::string_view(text).substr(0, slash));
    call_.title = is_own ? text : call_.name;
    if (is_own) call_.own_files.push_back(text);
  }

  // Goes on to the program behind a wrapper. False: the wrapper is the program, or runs a text.
  bool pass(const Wrapper& wrapper) {
    std::size_t next = at_ + 1;
    bool runs_itself = false;
    std::vector<Word> texts;
    const auto read_front = [&] {
      const Options read = read_options(words_, next, wrapper.options);
      if (!read.unknown.empty() && call_.problem.empty()) {
        call_.problem = "An option is not understood: " + call_.name + " " + read.unknown;
      }
      next = read.end;
      for (const Word& folder : read.values_of(wrapper.folder)) call_.moves.push_back(folder);
      for (const Word& text : read.values_of(wrapper.text)) texts.push_back(text);
      runs_itself = runs_itself || read.has(wrapper.itself);
      return read.has(wrapper.arguments);
    };
    const bool has_arguments = read_front();
    if (wrapper.name == "env" || wrapper.name == "sudo") pass_assignments(next, read_front);
    if (runs_itself) return false;
    next += wrapper.operands;
    if (next < words_.size() && wrapper.name == "flock") take_flock_text(next, texts);
    if (!texts.empty()) {
      const bool is_env = call_.name == "env" && call_.problem.empty();
      if (is_env && texts.front().text.find_first_of("\\\n") != std::string::npos) {
        call_.problem = "A text of \"env\" is not understood: " + texts.front().text;
      }
      if (next < words_.size()) texts.push_back(quoted(words_.subspan(next)));
      call_.scripts.push_back(joined(texts));
      return false;
    }
    call_.takes_more = call_.takes_more || call_.name == "xargs" || call_.name == "parallel";
    if (next >= words_.size()) {
      call_.runs_added = call_.takes_more && call_.name != "xargs";
      return false;
    }
    if (!wrapper.arguments.empty() && !has_arguments) {
      take_words_as_text(words_.subspan(next));
      return false;
    }
    call_.wrappers.push_back(call_.name);
    at_ = next;
    return true;
  }

  void pass_assignments(std::size_t& next, const auto& read_front) {
    while (next < words_.size()) {
      if (sets_variable(words_[next].text)) {
        call_.assignments.push_back(&words_[next++]);
      } else if (words_[next].text == "-") {
        ++next;
      } else if (words_[next].text.starts_with('-') && !words_[next - 1].text.starts_with("--")) {
        read_front();
      } else {
        return;
      }
    }
  }

  // "parallel COMMAND ::: ARGUMENTS"; without a command, the arguments are commands.
  void take_words_as_text(std::span<const Word> words) {
    const auto sign = std::find_if(words.begin(), words.end(), [this](const Word& word) {
      return call_.takes_more && word.text.starts_with(":::");
    });
    const auto front = static_cast<std::size_t>(sign - words.begin());
    const bool has_command = front > 0;
    Word text = joined(has_command ? words.first(front) : words.subspan(1));
    if (has_command && call_.takes_more) text.text += " \"$@\"";
    call_.scripts.push_back(std::move(text));
  }

  // "flock FILE -c TEXT"
  void take_flock_text(std::size_t& next, std::vector<Word>& texts) {
    if (words_[next].text != "-c" && words_[next].text != "--command") return;
    if (++next < words_.size()) texts.push_back(words_[next]);
    next = words_.size();
  }

  // The words as a text whose words they are.
  static Word quoted(std::span<const Word> words) {
    std::vector<Word> out(words.begin(), words.end());
    for (Word& word : out) {
      if (!word.is_fixed) continue;
      std::string text = "'";
      for (const char c : word.text) c == '\'' ? text.append("'\\''") : text.append(1, c);
      word.text = text + "'";
    }
    return joined(out);
  }

  std::span<const Word> words_;
  std::size_t at_ = 0;
  Call call_;
};

}  // namespace

std::optional<Call> call_of(const Command& command, std::span<const Word> words) {
  return CallReader(command, words).read();
}

}  // namespace parley::shell
