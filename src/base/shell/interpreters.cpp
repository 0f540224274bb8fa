// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/interpreters.h"

#include <algorithm>
#include <array>

#include "base/shell/options.h"
#include "base/shell/word_table.h"

namespace parley::shell {
namespace {

enum class Code : std::uint8_t {
  option,         // the value of an option
  first_operand,  // the first operand, if there is an option for it
  always,         // the first operand
};
struct Interpreter {
  std::string_view names;
  OptionTable options = {};
  std::string_view code = {};   // options with a text that runs
  std::string_view files = {};  // options with a file that runs
  std::string_view ends = {};   // options with which the input is not run
  Code place = Code::option;
  bool is_shell = false;
};
constexpr std::array<Interpreter, 15> kInterpreters = {{
    {"sh bash zsh dash ksh ash csh tcsh rbash mksh lksh pdksh yash posh",
     {"o O rcfile init-file", "", ""},
     "c",
     "rcfile init-file",
     "version help",
     Code::first_operand,
     true},
    {"fish", {"c command C init-command", "", ""}, "c command C init-command", "", "v version"},
    {"python pypy", {"c m W X Q check-hash-based-pycs", "", ""}, "c", "", "m V version h help"},
    {"perl", {"e E I", "", "i M m l 0 F C D d x"}, "e E", "", "v V h version help"},
    {"ruby jruby", {"e I r C E", "", "i F K W T x 0"}, "e", "", "version h help"},
    {"node nodejs bun tsx ts-node",
     {"e eval p print r require C conditions import loader experimental-loader env-file input-type "
      "title",
      "", ""},
     "e eval p print",
     "",
     "v version h help"},
    {"php", {"r B R E F f d c z t S", "", ""}, "r B R E", "f F", "v i version h help"},
    {"lua luajit texlua", {"e l", "", ""}, "e", "", ""},
    {"pwsh powershell", {"c C e E f F", "", ""}, "c C e E", "f F", ""},
    {"osascript", {"e l s", "", ""}, "e", "", ""},
    {"awk gawk mawk nawk",
     {"F v f file e source i include", "", ""},
     "e source",
     "f file",
     "",
     Code::always},
    {"tclsh wish expect", {"c f", "", ""}, "c", "f", ""},
    {"Rscript julia groovy elixir", {"e E eval", "", ""}, "e E eval", "", "version help"},
    {"deno", {}, "", "", "version help"},
    {"swift scala ghci runghc jshell", {"e", "", ""}, "e", "", "version help"},
}};

// "python3.11" without "3.11".
std::string_view without_version(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789.-");
  return name.substr(0, last + 1);  // npos + 1 is 0
}

}  // namespace

std::optional<Reading> reading_of(const Call& call) {
  const std::string_view plain = without_version(call.name);
  const auto* const row =
      std::find_if(kInterpreters.begin(), kInterpreters.end(),
                   [plain](const Interpreter& each) { return has_word(each.names, plain); });
  if (row == kInterpreters.end() || plain.empty()) return std::nullopt;
  const Options read = read_options(call.arguments, 0, row->options);
  std::span<const Word> operands = call.arguments.subspan(read.end);
  Reading found;
  found.is_shell = row->is_shell;
  found.texts = read.values_of(row->code);
  found.files = read.values_of(row->files);
  const bool has_code = row->place == Code::always
                            ? found.files.empty() && found.texts.empty()
                            : row->place == Code::first_operand && read.has(row->code);
  // "bash - FILE"
  if (row->is_shell && operands.size() > 1 && operands.front().text == "-") {
    operands = operands.subspan(1);
  }
  if (plain == "deno" && !operands.empty()) {  // "deno run FILE", "deno eval CODE"
    const bool is_code = operands.front().text == "eval";
    operands = operands.subspan(1);
    if (is_code && !operands.empty()) {
      found.texts.push_back(operands.front());
      return found;
    }
  }
  if (has_code) {
    if (!operands.empty()) found.texts.push_back(operands.front());
    found.reads_input = operands.empty() && call.takes_more;
    return found;
  }
  if (row->place == Code::always || !found.texts.empty() || read.has(row->ends)) return found;
  const bool has_file = !operands.empty() && !(row->is_shell && read.has("s"));
  if (has_file && !is_input_file(operands.front().text) && operands.front().text != "-") {
    found.files.push_back(operands.front());
    found.reads_input = read.is_unsure && !call.command->feed.empty();
  } else {
    // The files of a shell's options run in front of its input.
    found.reads_input = row->is_shell || found.files.empty();
  }
  return found;
}

}  // namespace parley::shell
