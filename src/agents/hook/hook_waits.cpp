// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/hook_waits.h"

#include <fcntl.h>
#include <openssl/sha.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/system/error_code.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <functional>
#include <optional>
#include <string_view>
#include <system_error>
#include <thread>

#include "base/core/hex.h"
#include "base/core/json_writer.h"
#include "base/core/private_files.h"
#include "base/core/result.h"

namespace parley::hook {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr std::string_view kPrefix = "w-";
constexpr std::size_t kNameBytes = 16;
constexpr std::size_t kMaxEntryBytes = 64U << 10U;
constexpr int kAttempts = 5;
constexpr std::chrono::milliseconds kPause{2};

std::string digest_of(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return core::hex_text({reinterpret_cast<const char*>(digest.data()), kNameBytes});
}

std::string name_of(const HookEvent& event) {
  const std::string all =
      json::serialize(json::array{facts_of(event.agent).word, event.session, event.agent_id,
                                  event.name, event.tool, event.input});
  return std::string(kPrefix) + digest_of(all);
}

// The content of a file of a wait.
struct Entry {
  pid_t pid = 0;
  std::string session;
  std::string agent_id;
  std::string tool;
  std::string input;
};

std::string entry_text(const HookEvent& event) {
  return core::json_object([&](core::JsonWriter& out) {
    out.key("session").string(event.session).key("agent_id").string(event.agent_id);
    out.key("tool").string(event.tool);
    out.key("input").string(digest_of(json::serialize(event.input)));
  });
}

struct flock whole_file(short type) {
  struct flock lock {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

bool try_lock(int fd) {
  struct flock lock = whole_file(F_WRLCK);
  return ::fcntl(fd, F_SETLK, &lock) == 0;
}

// The process that holds the lock, as the kernel knows it; 0: none, or one that cannot be seen
// here.
pid_t holder_of(int fd) {
  struct flock lock = whole_file(F_WRLCK);
  if (::fcntl(fd, F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return 0;
  return std::max<pid_t>(lock.l_pid, 0);
}

std::optional<Entry> read_entry(int fd) {
  std::string text(kMaxEntryBytes, '\0');
  const ssize_t got = ::pread(fd, text.data(), text.size(), 0);
  if (got <= 0) return std::nullopt;
  text.resize(static_cast<std::size_t>(got));
  boost::system::error_code failed;
  const json::value value = json::parse(text, failed);
  const json::object* object = failed.failed() ? nullptr : value.if_object();
  const pid_t pid = holder_of(fd);
  if (object == nullptr || pid <= 1) return std::nullopt;
  return Entry{pid, text_of(*object, "session"), text_of(*object, "agent_id"),
               text_of(*object, "tool"), text_of(*object, "input")};
}

core::FileDescriptor open_entry(const fs::path& file, int more) {
  return core::FileDescriptor(
      ::open(file.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | more, core::kPrivateFileMode));
}

// Calls `use` with the entry of each other process that waits, and deletes the files of those that
// have ended. Must not be called while this process waits: closing a file ends its lock.
void for_each_wait(const fs::path& folder, const std::function<void(const Entry&)>& use) {
  std::error_code failed;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, failed)) {
    if (!each.path().filename().string().starts_with(kPrefix)) continue;
    const core::FileDescriptor file = open_entry(each.path(), 0);
    if (!file) continue;
    if (try_lock(file.get())) {
      ::unlink(each.path().c_str());
    } else if (const auto entry = read_entry(file.get())) {
      use(*entry);
    }
  }
}

// The input of these tools may differ after the call: answers are added to it.
bool has_changing_input(std::string_view tool) {
  return tool == "AskUserQuestion" || tool == "ExitPlanMode";
}

bool is_ended_by(const Entry& entry, const HookEvent& event, const std::string& input) {
  if (event.session.empty() || entry.session != event.session) return false;
  if (event.name == "SessionEnd") return true;
  if (entry.agent_id != event.agent_id) return false;
  if (!event.name.starts_with("PostToolUse")) return true;
  return entry.tool == event.tool && (has_changing_input(event.tool) || entry.input == input);
}

}  // namespace

core::Result<HookWait> HookWait::begin(const fs::path& folder, const HookEvent& event) {
  PARLEY_TRY_VOID(core::make_private_folder(folder.string()));
  std::size_t all = 0;
  std::size_t of_session = 0;
  for_each_wait(folder, [&](const Entry& entry) {
    ++all;
    if (entry.session == event.session) ++of_session;
  });
  const fs::path path = folder / name_of(event);
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    core::FileDescriptor file = open_entry(path, O_CREAT);
    if (!file) return core::fail(core::system_error(errno, path.string()));
    if (!try_lock(file.get())) {
      std::this_thread::sleep_for(kPause);  // perhaps for_each_wait() looks at the file
      continue;
    }
    // A process that ended meanwhile may have deleted the file.
    struct stat status {};
    if (::fstat(file.get(), &status) != 0 || status.st_nlink == 0) continue;
    HookWait wait(path, std::move(file));
    if (all >= kMaxWaits || of_session >= kMaxWaitsOfSession) {
      return core::fail(core::Code::resource_exhausted, "too many questions wait");
    }
    const std::string text = entry_text(event);
    const ssize_t size = static_cast<ssize_t>(text.size());
    if (::ftruncate(wait.lock_.get(), 0) != 0 ||
        ::pwrite(wait.lock_.get(), text.data(), text.size(), 0) != size) {
      return core::fail(core::system_error(errno, path.string()));
    }
    return wait;
  }
  return core::fail(core::Code::already_exists, "another process asks about this call");
}

HookWait::~HookWait() {
  if (lock_) ::unlink(file_.c_str());
}

std::size_t end_waits(const fs::path& folder, const HookEvent& event) {
  const std::string input = digest_of(json::serialize(event.input));
  std::size_t ended = 0;
  for_each_wait(folder, [&](const Entry& entry) {
    if (!is_ended_by(entry, event, input)) return;
    // The process held the lock a moment ago, so that the number is its own.
    const int signal = event.name == "SessionEnd" ? SIGHUP : SIGTERM;
    if (::kill(entry.pid, signal) == 0) ++ended;
  });
  return ended;
}

}  // namespace parley::hook
