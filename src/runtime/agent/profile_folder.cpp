// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/profile_folder.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/result.h"
#include "base/core/utf8.h"
#include "runtime/agent/profile_builtin.h"
#include "runtime/agent/profile_tree.h"

namespace parley::agent {
namespace {

namespace fs = std::filesystem;
using core::Code;

constexpr std::array<std::string_view, 4> kFormats = {"toml", "yaml", "yml", "md"};

core::Result<std::string> read_text(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) {
    return core::fail(Code::not_found, "It is not a regular file.");
  }
  std::ifstream in(file, std::ios::binary);
  std::string text(kMaxProfileBytes + 1, '\0');
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || !in.is_open()) return core::fail(Code::permission_denied, "It cannot be read.");
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (text.size() > kMaxProfileBytes) {
    return core::fail(Code::resource_exhausted,
                      "It has more than " + std::to_string(kMaxProfileBytes) + " bytes.");
  }
  return text;
}

bool is_within(const fs::path& folder, const fs::path& file) {
  const auto [end, unused] = std::mismatch(folder.begin(), folder.end(), file.begin(), file.end());
  return end == folder.end();
}

// Reads the role from a file in the profile's folder or below it.
core::Result<std::string> read_role(const fs::path& folder, const std::string& name) {
  const auto fault = [&name](const std::string& what) {
    return core::fail(Code::invalid_argument,
                      "The profile's key 'role.file': " + name + ": " + what, "role.file");
  };
  if (core::has_nul(name)) return fault("a path must not have a NUL character.");
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return fault("the folder of the profile no longer exists.");
  const fs::path file = fs::canonical(root / fs::path(name), error);
  if (error) return fault("there is no such file.");
  if (!is_within(root, file)) return fault("it is outside the folder of the profile.");
  core::Result<std::string> text = read_text(file);
  if (!text) return fault(text.error().message);
  if (!core::is_utf8(*text)) return fault("it is not UTF-8 text.");
  return text;
}

// --- reading folders -------------------------------------------------------------------------

class FolderReader {
 public:
  explicit FolderReader(const std::string& own_data) {
    std::error_code unused;
    if (!own_data.empty()) own_data_ = fs::weakly_canonical(own_data, unused);
  }

  FoundProfiles out;

  void builtins() {
    for (Profile& profile : builtin_profiles()) {
      FoundProfile one;
      one.draft.profile = std::move(profile);
      one.draft.has = {true, true, true, true};
      out.all.push_back(std::move(one));
    }
  }

  // `.loom/agents` below `base`.
  void folder(const std::string& base, std::string_view source) {
    if (base.empty()) return;
    std::error_code unused;
    base_ = fs::canonical(base, unused);
    const fs::path folder = fs::path(base) / ".loom" / "agents";
    std::error_code error;
    fs::directory_iterator it(folder, error);
    if (error) {
      if (error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory) {
        fault({}, folder.string(), source, error.message() + ".");
      }
      return;
    }
    std::set<std::string> files;
    for (; it != fs::directory_iterator(); it.increment(error)) {
      if (error) break;
      for (std::string& file : profile_files(it->path())) files.insert(std::move(file));
      if (files.size() > kMaxProfiles) {
        fault({}, folder.string(), source,
              "more than " + std::to_string(kMaxProfiles) + " profiles; the rest is left out");
        break;
      }
    }
    std::set<std::string> names;
    for (const std::string& file : files) read(file, source, names);
  }

 private:
  // Files of an entry that can be profiles: NAME.toml, or NAME/config.toml.
  static std::vector<std::string> profile_files(const fs::path& entry) {
    std::vector<std::string> files;
    std::error_code error;
    if (entry.filename().string().starts_with('.')) return files;
    if (fs::is_directory(entry, error)) {
      for (const std::string_view format : kFormats) {
        const fs::path file = entry / ("config." + std::string(format));
        if (fs::exists(file, error)) files.push_back(file.string());
      }
      return files;
    }
    const std::string extension = entry.extension().string();
    const bool fits = std::any_of(kFormats.begin(), kFormats.end(), [&](std::string_view format) {
      return extension == "." + std::string(format);
    });
    if (fits) files.push_back(entry.string());
    return files;
  }

  void read(const std::string& file, std::string_view source, std::set<std::string>& names) {
    const fs::path path(file);
    const bool own_folder = path.stem() == "config" && path.parent_path().filename() != "agents";
    const std::string name =
        own_folder ? path.parent_path().filename().string() : path.stem().string();
    core::Result<ProfileDraft> draft =
        leads_out(path, source)
            ? core::fail(Code::permission_denied, "It is outside the working folder.")
            : read_file(path, name);
    if (!draft) {
      fault(name, file, source, draft.error().message);
      out.problems.back().left_out = true;
      return;
    }
    for (const std::string& key : draft->unused) {
      fault(draft->profile.name, file, source, "the key '" + key + "' is not used");
    }
    if (!names.insert(draft->profile.name).second) {
      fault({}, file, source,
            "there is another profile '" + draft->profile.name +
                "' in this folder; this one is left out");
      return;
    }
    draft->profile.source = source;
    out.all.push_back({std::move(*draft), file});
  }

  // True if a file of a project lies outside its folder or in the program's own data: a checkout
  // could otherwise show the model such a file as a role.
  bool leads_out(const fs::path& file, std::string_view source) const {
    if (source != "project") return false;
    std::error_code error;
    const fs::path real = fs::canonical(file, error);
    const bool is_own_data = !own_data_.empty() && is_within(own_data_, real);
    return error || is_own_data || !is_within(base_, real);
  }

  void fault(std::string name, const std::string& file, std::string_view source, std::string what) {
    out.problems.push_back({std::move(name), file, std::move(what), std::string(source), false});
  }

  static core::Result<ProfileDraft> read_file(const fs::path& path, const std::string& name) {
    PARLEY_TRY(std::string text, read_text(path));
    PARLEY_TRY(ProfileTree tree, read_profile_tree(text, path.extension().string().substr(1)));
    core::Result<ProfileDraft> draft = read_draft(tree, name);
    if (!draft || draft->role_file.empty()) return draft;
    PARLEY_TRY(draft->profile.role, read_role(path.parent_path(), draft->role_file));
    draft->has.role = true;
    return draft;
  }

  fs::path own_data_;
  fs::path base_;  // base of the folder being read
};

// Resolves profiles that extend each other.
class Resolver {
 public:
  explicit Resolver(const std::vector<FoundProfile>& found) : found_(found) {}

  core::Result<Profile> resolve(std::size_t index) {
    const FoundProfile& one = found_[index];
    if (one.draft.extends.empty()) return one.draft.profile;
    if (std::find(path_.begin(), path_.end(), index) != path_.end()) return cycle(index);
    if (path_.size() >= kMaxProfileDepth) {
      return fault("more than " + std::to_string(kMaxProfileDepth) + " profiles extend each other");
    }
    const std::optional<std::size_t> base = base_of(index);
    if (!base) return fault("there is no profile '" + one.draft.extends + "'");
    path_.push_back(index);
    core::Result<Profile> resolved = resolve(*base);
    path_.pop_back();
    if (!resolved) return resolved;
    return completed(one.draft, *resolved);
  }

 private:
  static tl::unexpected<core::Error> fault(const std::string& what) {
    return core::fail(Code::invalid_argument, "The profile's key 'extends': " + what + ".",
                      "extends");
  }

  core::Result<Profile> cycle(std::size_t index) const {
    std::string names;
    for (const std::size_t step : path_) {
      names += found_[step].draft.profile.name;
      names += " -> ";
    }
    return fault("the profiles extend each other in a cycle: " + names +
                 found_[index].draft.profile.name);
  }

  // The last profile of the extended name; for its own name, the one that it hides.
  std::optional<std::size_t> base_of(std::size_t index) const {
    const FoundProfile& one = found_[index];
    const bool is_own = one.draft.extends == one.draft.profile.name;
    for (std::size_t i = is_own ? index : found_.size(); i-- > 0;) {
      if (found_[i].draft.profile.name != one.draft.extends) continue;
      if (!is_own || found_[i].draft.profile.source != one.draft.profile.source) return i;
    }
    return std::nullopt;
  }

  const std::vector<FoundProfile>& found_;
  std::vector<std::size_t> path_;
};

}  // namespace

FoundProfiles find_profiles(const std::string& working_folder, const std::string& home,
                            const std::string& own_data) {
  FolderReader reader(own_data);
  reader.builtins();
  reader.folder(home, "user");
  std::error_code error;
  const bool is_home = working_folder == home || fs::equivalent(working_folder, home, error);
  if (!is_home) reader.folder(working_folder, "project");
  return std::move(reader.out);
}

core::Result<Profile> resolve_profile(const std::vector<FoundProfile>& all, std::size_t index) {
  return Resolver(all).resolve(index);
}

}  // namespace parley::agent
