// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "base/shell/lookups.h"

#include <algorithm>
#include <array>

#include "base/shell/word_table.h"

namespace parley::shell {
namespace {

// Beginnings of names, which stand for families of variables.
constexpr std::array<std::string_view, 5> kFamilies = {"LD_", "DYLD_", "GIT_CONFIG", "BASH_FUNC_",
                                                       "npm_config_"};
constexpr std::string_view kNames =
    "PATH BASH_ENV ENV PROMPT_COMMAND PS0 PS4 SHELLOPTS ZDOTDIR FPATH GIT_SSH GIT_SSH_COMMAND "
    "GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS GIT_EXEC_PATH "
    "GIT_TEMPLATE_DIR NODE_OPTIONS NODE_PATH PERL5OPT PERL5LIB PERL5DB PYTHONPATH PYTHONSTARTUP "
    "PYTHONHOME PYTHONBREAKPOINT RUBYOPT RUBYLIB JAVA_TOOL_OPTIONS _JAVA_OPTIONS LESSOPEN "
    "LESSCLOSE RUSTC RUSTC_WRAPPER RSYNC_RSH MAKEFLAGS MAKESHELL SHELL BROWSER";
// Programs that show or edit texts; common values of them have no effect of their own.
constexpr std::string_view kViewers =
    "EDITOR VISUAL PAGER GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER MANPAGER";
constexpr std::string_view kPlainViewers = "cat true : more less vi vim nano /bin/cat /bin/true";

}  // namespace

void note_lookup(const Word& word, Notes& notes) {
  const std::string_view text(word.text);
  const std::string_view name = text.substr(0, text.find_first_of("=+["));
  const std::size_t sign = text.find('=');
  const std::string_view value = sign == std::string_view::npos ? "" : text.substr(sign + 1);
  const bool is_viewer =
      has_word(kViewers, name) && !value.empty() && !has_word(kPlainViewers, value);
  const bool is_family =
      std::any_of(kFamilies.begin(), kFamilies.end(),
                  [name](std::string_view each) { return name.starts_with(each); });
  if (is_viewer || is_family || has_word(kNames, name)) {
    notes.add(NoteKind::changes_lookup, text);
  }
}

}  // namespace parley::shell
