// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/session_notes.h"

#include <fcntl.h>
#include <openssl/sha.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "base/core/file_descriptor.h"
#include "base/core/hex.h"
#include "base/core/private_files.h"

namespace parley::hook {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNotePrefix = "n-";
constexpr std::size_t kNoteNameBytes = 16;
// Limit (parley hook): a note about a session. Reached: not kept.
constexpr std::size_t kMaxNoteBytes = 8U << 10U;

fs::path note_file(const fs::path& folder, const HookEvent& event, std::string_view fact) {
  const std::string all = boost::json::serialize(
      boost::json::array{facts_of(event.agent).word, event.session, event.agent_id, fact});
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  SHA256(reinterpret_cast<const unsigned char*>(all.data()), all.size(), digest.data());
  return folder / (std::string(kNotePrefix) +
                   core::hex_text({reinterpret_cast<const char*>(digest.data()), kNoteNameBytes}));
}

void make_room(const fs::path& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> notes;
  std::error_code failed;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, failed)) {
    if (!each.path().filename().string().starts_with(kNotePrefix)) continue;
    notes.emplace_back(each.last_write_time(failed), each.path());
  }
  if (notes.size() < kMaxSessionNotes) return;
  std::sort(notes.begin(), notes.end());
  for (std::size_t i = 0; i + kMaxSessionNotes <= notes.size(); ++i) {
    fs::remove(notes[i].second, failed);
  }
}

}  // namespace

void keep_note(const fs::path& folder, const HookEvent& event, std::string_view fact,
               std::string_view text) {
  if (event.session.empty() || text.size() > kMaxNoteBytes) return;
  if (!core::make_private_folder(folder.string())) return;
  const fs::path file = note_file(folder, event, fact);
  std::error_code failed;
  if (!fs::exists(file, failed)) make_room(folder);
  (void)core::write_private_file(file.string(), text);
}

std::string note_of(const fs::path& folder, const HookEvent& event, std::string_view fact) {
  if (event.session.empty()) return {};
  const core::FileDescriptor file(
      ::open(note_file(folder, event, fact).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file) return {};
  std::string text(kMaxNoteBytes, '\0');
  const ssize_t got = ::read(file.get(), text.data(), text.size());
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  return text;
}

void drop_note(const fs::path& folder, const HookEvent& event, std::string_view fact) {
  if (event.session.empty()) return;
  ::unlink(note_file(folder, event, fact).c_str());
}

}  // namespace parley::hook
