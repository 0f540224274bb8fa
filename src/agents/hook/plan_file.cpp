// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/plan_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>
#include <system_error>

#include "agents/hook/request_text.h"
#include "agents/hook/session_notes.h"
#include "base/core/file_descriptor.h"
#include "base/core/private_files.h"
#include "base/core/result.h"

namespace parley::hook {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPlanFact = "plan";
constexpr const char* kPlansFolder = "plans";

// The name of a plan in `agent_folder`; empty for any other path. An agent may name its folder
// without the symbolic links above it.
std::string plan_name(const fs::path& agent_folder, const std::string& path) {
  std::error_code failed;
  const fs::path real = fs::canonical(agent_folder.parent_path(), failed) / agent_folder.filename();
  std::string front = (agent_folder / kPlansFolder).string() + "/";
  if (!failed && !path.starts_with(front)) front = (real / kPlansFolder).string() + "/";
  if (!path.starts_with(front)) return {};
  const std::string name = path.substr(front.size());
  if (name.find('/') != std::string::npos || name.find('\0') != std::string::npos) return {};
  return name.ends_with(".md") ? name : std::string();
}

// Opens `name` in `folder`, which must be of this user and no symbolic link.
core::Result<core::FileDescriptor> open_own(int folder, const char* name, int flags, mode_t type) {
  core::FileDescriptor file(
      ::openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags));
  if (!file) return core::fail(core::system_error(errno, "the plan cannot be opened"));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) {
    return core::fail(core::system_error(errno, "the plan cannot be read"));
  }
  if ((status.st_mode & S_IFMT) != type || status.st_uid != ::geteuid()) {
    return core::fail(core::Code::failed_precondition, "the plan is no file of this user");
  }
  return file;
}

core::Result<std::string> read_bounded(int fd) {
  std::string text(kMaxRequestBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(fd, text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return core::fail(core::system_error(errno, "the plan cannot be read"));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

}  // namespace

void watch_plan(const fs::path& notes, const fs::path& agent_folder, const HookEvent& event) {
  if (event.agent != Agent::claude) return;
  if (event.name == "SessionEnd") return drop_note(notes, event, kPlanFact);
  const bool writes = event.name == "PostToolUse" &&
                      (event.tool == "Write" || event.tool == "Edit" || event.tool == "MultiEdit");
  if (!writes) return;
  const std::string name = plan_name(agent_folder, text_of(event.input, "file_path"));
  if (!name.empty()) keep_note(notes, event, kPlanFact, name);
}

core::Result<std::string> read_plan(const fs::path& notes, const fs::path& agent_folder,
                                    const HookEvent& event) {
  const std::string name = note_of(notes, event, kPlanFact);
  if (name.empty() || name.find('/') != std::string::npos) {
    return core::fail(core::Code::not_found, "no plan of this session was seen");
  }
  PARLEY_TRY(const core::FileDescriptor folder,
             open_own(AT_FDCWD, agent_folder.c_str(), O_DIRECTORY, S_IFDIR));
  PARLEY_TRY(const core::FileDescriptor plans,
             open_own(folder.get(), kPlansFolder, O_DIRECTORY, S_IFDIR));
  PARLEY_TRY(const core::FileDescriptor file, open_own(plans.get(), name.c_str(), 0, S_IFREG));
  return read_bounded(file.get());
}

}  // namespace parley::hook
