// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/server/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/core/visible_text.h"

namespace parley::app {

std::string format_complaint(const Complaint& complaint, bool colour) {
  const std::string_view red = colour ? "\x1b[31m" : "";
  const std::string_view dim = colour ? "\x1b[2m" : "";
  const std::string_view off = colour ? "\x1b[0m" : "";
  std::string out;
  out.append(red)
      .append("parley: ")
      .append(off)
      .append(core::visible_text(complaint.what))
      .append("\n");
  if (!complaint.why.empty()) {
    out.append(dim)
        .append("  why:  ")
        .append(off)
        .append(core::visible_text(complaint.why))
        .append("\n");
  }
  if (!complaint.next.empty()) {
    out.append(dim)
        .append("  next: ")
        .append(off)
        .append(core::visible_text(complaint.next))
        .append("\n");
  }
  return out;
}

void complain(const Complaint& complaint) {
  const std::string text = format_complaint(complaint, stderr_has_colour());
  std::fwrite(text.data(), 1, text.size(), stderr);
}

bool stderr_is_terminal() { return ::isatty(STDERR_FILENO) == 1; }

bool stderr_has_colour() {
  // Called only at the start and the end of the program.
  const char* none = std::getenv("NO_COLOR");  // NOLINT(concurrency-mt-unsafe)
  return stderr_is_terminal() && (none == nullptr || *none == '\0');
}

bool stdout_is_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

std::size_t terminal_columns(int fd) {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : kUsual;
}

std::string for_stdout(std::string_view data) {
  return stdout_is_terminal() ? core::visible_text(data) : std::string(data);
}

bool print(std::string_view text) { return print_coloured(for_stdout(text)); }

bool print_text(std::string_view text) { return print_coloured(core::visible_text(text)); }

bool print_coloured(std::string_view text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  out.resize(std::max(width, text.size()) + 2, ' ');
  return out;
}

}  // namespace parley::app
