// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/hook_log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>

#include "base/core/clock.h"
#include "base/core/durable_file.h"
#include "base/core/file_descriptor.h"
#include "base/core/private_files.h"
#include "base/core/time_text.h"
#include "base/core/visible_text.h"

namespace parley::hook {

void log_line(const std::filesystem::path& file, std::string_view line) {
  struct stat status {};
  if (::lstat(file.c_str(), &status) == 0 && status.st_size > static_cast<off_t>(kMaxLogBytes)) {
    core::rename_durably(file.string(), file.string() + ".1");
  }
  const core::FileDescriptor out(::open(file.c_str(),
                                        O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                                        core::kPrivateFileMode));
  if (!out) return;
  const core::SystemClock clock;
  const std::string text = core::time_text_ms(clock.wall()) + " " + std::to_string(::getpid()) +
                           " " + core::visible_line(line) + "\n";
  // One write a line: lines of several processes do not mix.
  [[maybe_unused]] const ssize_t written = ::write(out.get(), text.data(), text.size());
}

}  // namespace parley::hook
