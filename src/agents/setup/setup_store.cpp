// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/setup/setup_store.h"

#include <fcntl.h>
#include <openssl/sha.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/system/error_code.hpp>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/core/hex.h"
#include "base/core/json_member.h"
#include "base/core/json_parts.h"
#include "base/core/private_files.h"
#include "base/core/result.h"
#include "base/core/time_text.h"
#include "base/core/utf8.h"

namespace parley::setup {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr core::Millis kLockPause{50};

std::vector<std::string> texts_in(const json::array* array) {
  std::vector<std::string> texts;
  if (array == nullptr) return texts;
  for (const json::value& one : *array) {
    if (one.is_string()) texts.emplace_back(one.get_string());
  }
  return texts;
}

json::array array_of(const std::vector<std::string>& texts) {
  return json::array(texts.begin(), texts.end());
}

SetupNote note_from(const json::object& object) {
  SetupNote note;
  note.made_file = core::bool_member(object, "made_file");
  for (std::string& folder : texts_in(core::array_member(object, "made_folders"))) {
    note.made_folders.emplace_back(std::move(folder));
  }
  if (const json::array* created = core::array_member(object, "made")) {
    for (const json::value& path : *created) note.created.push_back(texts_in(path.if_array()));
  }
  if (object.contains("before")) note.before = std::string(core::text_member(object, "before"));
  note.after = core::text_member(object, "after");
  return note;
}

json::object object_of(const SetupNote& note) {
  json::array created;
  for (const JsonPath& path : note.created) created.push_back(array_of(path));
  json::array folders;
  for (const fs::path& folder : note.made_folders) folders.emplace_back(folder.string());
  json::object object{{"made_file", note.made_file},
                      {"made_folders", std::move(folders)},
                      {"made", std::move(created)},
                      {"after", note.after}};
  if (note.before && core::is_utf8(*note.before)) object["before"] = *note.before;
  return object;
}

// "20261126T152338.007Z": sorts by time, and every file system takes it.
std::string stamp(core::WallTime at) {
  std::string text = core::time_text_ms(at);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

void drop_old_backups(const fs::path& folder, const std::string& suffix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().ends_with(suffix)) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  for (std::size_t i = 0; i + kMaxBackups < found.size(); ++i) fs::remove(found[i], error);
}

}  // namespace

std::string digest_of(std::string_view text) {
  std::array<unsigned char, SHA256_DIGEST_LENGTH> digest{};
  ::SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
  return core::hex_of_digest(digest, digest.size());
}

core::Result<SetupStore> SetupStore::open(const fs::path& data) {
  PARLEY_TRY_VOID(core::make_private_folder(data.string()));
  SetupStore store;
  store.data_ = data;
  const std::string file = (data / "setup.lock").string();
  store.lock_.reset(
      ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, core::kPrivateFileMode));
  if (!store.lock_) return core::fail(core::system_error(errno, "Cannot open " + file));
  for (core::Millis waited{}; ::flock(store.lock_.get(), LOCK_EX | LOCK_NB) != 0;
       waited += kLockPause) {
    if (errno != EWOULDBLOCK && errno != EINTR) {
      return core::fail(core::system_error(errno, "Cannot lock " + file));
    }
    if (waited >= kLockWait) {
      return core::fail(core::Code::unavailable, "Another `parley setup` is running.");
    }
    ::poll(nullptr, 0, static_cast<int>(kLockPause.count()));
  }
  PARLEY_TRY_VOID(store.load());
  return store;
}

SetupStore SetupStore::look(const fs::path& data) {
  SetupStore store;
  store.data_ = data;
  if (!store.load()) store.notes_.clear();
  return store;
}

core::Result<void> SetupStore::load() {
  PARLEY_TRY(const ConfigFile file, read_config_file(data_ / "setup-notes.json", {}));
  if (!file.exists) return {};
  boost::system::error_code failed;
  json::value value = json::parse(file.text, failed);
  if (failed.failed() || !value.is_object()) {
    return core::fail(core::Code::invalid_argument, file.path.string() + " is not valid");
  }
  notes_ = std::move(value.get_object());
  return {};
}

core::Result<void> SetupStore::save() const {
  return core::write_private_file((data_ / "setup-notes.json").string(),
                                  pretty_json_value(notes_, "", "  ", "\n") + "\n");
}

SetupNote SetupStore::note(const fs::path& file) const {
  const json::object* found = core::object_member(notes_, file.string());
  return found == nullptr ? SetupNote() : note_from(*found);
}

core::Result<void> SetupStore::set_note(const fs::path& file, const SetupNote& note) {
  notes_[file.string()] = object_of(note);
  return save();
}

core::Result<void> SetupStore::drop_note(const fs::path& file) {
  if (notes_.erase(file.string()) == 0) return {};
  return save();
}

core::Result<fs::path> SetupStore::back_up(const ConfigFile& file, std::string_view agent,
                                           core::WallTime now) const {
  const fs::path folder = data_ / "setup-backups";
  PARLEY_TRY_VOID(core::make_private_folder(folder.string()));
  const std::string suffix = "-" + std::string(agent) + "-" + file.path.filename().string();
  const fs::path copy = folder / (stamp(now) + suffix);
  PARLEY_TRY_VOID(core::write_private_file(copy.string(), file.text));
  drop_old_backups(folder, suffix);
  return copy;
}

}  // namespace parley::setup
