// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/profile.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <set>
#include <system_error>
#include <utility>

#include "core/utf8.h"
#include "runtime/agent/agent.h"
#include "runtime/agent/profile_builtin.h"
#include "runtime/agent/profile_draft.h"
#include "runtime/agent/profile_tree.h"

namespace parley::agent {
namespace {

namespace fs = std::filesystem;
using core::Code;

constexpr std::array<std::string_view, 4> kFormats = {"toml", "yaml", "yml", "md"};

core::Result<std::string> read_text(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return core::fail(Code::not_found, "It is no file.");
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

// The role in a file of the profile's folder or below it.
core::Result<std::string> read_role(const fs::path& folder, const std::string& name) {
  const auto fault = [&name](const std::string& what) {
    return core::fail(Code::invalid_argument,
                      "The profile's key 'role.file': " + name + ": " + what, "role.file");
  };
  std::error_code error;
  const fs::path root = fs::canonical(folder, error);
  if (error) return fault("the folder is gone.");
  const fs::path file = fs::canonical(root / fs::path(name), error);
  if (error) return fault("there is no such file.");
  if (!is_within(root, file)) return fault("it lies outside the profile's folder.");
  core::Result<std::string> text = read_text(file);
  if (!text) return fault(text.error().message);
  if (!core::is_utf8(*text)) return fault("it is not UTF-8 text.");
  return text;
}

// --- reading folders -------------------------------------------------------------------------

// A profile's file, before profiles that extend each other are put together.
struct Found {
  ProfileDraft draft;
  std::string file;  // empty: builtin
  int layer = 0;     // 0: builtin, 1: user, 2: project
};

class Reader {
 public:
  std::vector<Found> found;
  std::vector<std::string> problems;

  void builtins() {
    for (Profile& profile : builtin_profiles()) {
      Found one;
      one.draft.profile = std::move(profile);
      one.draft.has = {true, true, true, true};
      found.push_back(std::move(one));
    }
  }

  // `.loom/agents` below `base`.
  void folder(const std::string& base, int layer) {
    if (base.empty()) return;
    const fs::path folder = fs::path(base) / ".loom" / "agents";
    std::error_code error;
    fs::directory_iterator it(folder, error);
    if (error) {
      if (error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory) {
        problems.push_back(folder.string() + ": " + error.message());
      }
      return;
    }
    std::set<std::string> files;
    for (; it != fs::directory_iterator(); it.increment(error)) {
      if (error) break;
      for (std::string& file : profile_files(it->path())) files.insert(std::move(file));
      if (files.size() > kMaxProfiles) {
        problems.push_back(folder.string() + ": more than " + std::to_string(kMaxProfiles) +
                           " profiles; the rest is left out");
        break;
      }
    }
    std::set<std::string> names;
    for (const std::string& file : files) read(file, layer, names);
  }

 private:
  // What an entry of the folder has of profiles: NAME.toml, or NAME/config.toml.
  static std::vector<std::string> profile_files(const fs::path& entry) {
    std::vector<std::string> out;
    std::error_code error;
    if (entry.filename().string().starts_with('.')) return out;
    if (fs::is_directory(entry, error)) {
      for (const std::string_view format : kFormats) {
        const fs::path file = entry / ("config." + std::string(format));
        if (fs::exists(file, error)) out.push_back(file.string());
      }
      return out;
    }
    const std::string extension = entry.extension().string();
    const bool fits = std::any_of(kFormats.begin(), kFormats.end(), [&](std::string_view format) {
      return extension == "." + std::string(format);
    });
    if (fits) out.push_back(entry.string());
    return out;
  }

  void read(const std::string& file, int layer, std::set<std::string>& names) {
    const fs::path path(file);
    const bool own_folder = path.stem() == "config" && path.parent_path().filename() != "agents";
    const std::string name =
        own_folder ? path.parent_path().filename().string() : path.stem().string();
    core::Result<ProfileDraft> draft = read_file(path, name);
    if (!draft) {
      problems.push_back(file + ": " + draft.error().message);
      return;
    }
    for (const std::string& key : draft->unused) {
      std::string& problem = problems.emplace_back(file);
      problem.append(": the key '").append(key).append("' is not used");
    }
    if (!names.insert(draft->profile.name).second) {
      problems.push_back(file + ": there is another profile '" + draft->profile.name +
                         "' in this folder; this one is left out");
      return;
    }
    draft->profile.source = layer == 1 ? "user" : "project";
    found.push_back({std::move(*draft), file, layer});
  }

  static core::Result<ProfileDraft> read_file(const fs::path& path, const std::string& name) {
    core::Result<std::string> text = read_text(path);
    if (!text) return core::fail(std::move(text.error()));
    core::Result<ProfileTree> tree = read_profile_tree(*text, path.extension().string().substr(1));
    if (!tree) return core::fail(std::move(tree.error()));
    core::Result<ProfileDraft> draft = read_draft(*tree, name);
    if (!draft || draft->role_file.empty()) return draft;
    core::Result<std::string> role = read_role(path.parent_path(), draft->role_file);
    if (!role) return core::fail(std::move(role.error()));
    draft->profile.role = std::move(*role);
    draft->has.role = true;
    return draft;
  }
};

// Puts together the profiles that extend each other.
class Resolver {
 public:
  explicit Resolver(const std::vector<Found>& found) : found_(found) {}

  core::Result<Profile> resolve(std::size_t index) {
    const Found& one = found_[index];
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
    return fault("the profiles extend each other in a circle: " + names +
                 found_[index].draft.profile.name);
  }

  // The last of this name; of its own name, the one that it hides.
  std::optional<std::size_t> base_of(std::size_t index) const {
    const Found& one = found_[index];
    const bool is_own = one.draft.extends == one.draft.profile.name;
    for (std::size_t i = found_.size(); i-- > 0;) {
      if (found_[i].draft.profile.name != one.draft.extends) continue;
      if (!is_own || found_[i].layer < one.layer) return i;
    }
    return std::nullopt;
  }

  const std::vector<Found>& found_;
  std::vector<std::size_t> path_;
};

// A project cannot give itself what its person did not: true if an entry was taken away.
bool tighten(Profile& profile) {
  return std::erase_if(profile.approvals, [](const auto& entry) {
           return entry.second == tool::Approval::automatic;
         }) > 0;
}

}  // namespace

tool::Toolbox allowed_tools(const Profile& profile, const tool::Toolbox& all) {
  const tool::Toolbox named = all.restricted(profile.tools_allowed, profile.tools_denied);
  const tool::Toolbox not_denied = all.restricted({}, profile.tools_denied);
  constexpr std::string_view kMcp = "mcp:";
  tool::Toolbox out;
  for (const tool::ToolPtr& one : all.all()) {
    const std::string& name = one->spec().name;
    const std::string source = one->source();
    bool fits = named.find(name) != nullptr;
    if (profile.mcp_servers && source.starts_with(kMcp)) {
      const auto& servers = *profile.mcp_servers;
      const bool is_listed =
          std::find(servers.begin(), servers.end(), source.substr(kMcp.size())) != servers.end();
      const bool is_named = fits && !profile.tools_allowed.empty();
      fits = (is_listed && not_denied.find(name) != nullptr) || is_named;
    }
    if (fits) out.add(one);
  }
  return out;
}

Profiles Profiles::load(const std::string& working_folder, const std::string& home) {
  Reader reader;
  reader.builtins();
  reader.folder(home, 1);
  if (working_folder != home) reader.folder(working_folder, 2);
  Profiles out;
  out.problems_ = std::move(reader.problems);
  for (std::size_t i = 0; i < reader.found.size(); ++i) {
    core::Result<Profile> profile = Resolver(reader.found).resolve(i);
    const std::string& file = reader.found[i].file;
    if (!profile) {
      out.problems_.push_back(file + ": " + profile.error().message);
      continue;
    }
    if (reader.found[i].layer == 2 && tighten(*profile)) {
      out.problems_.push_back(file +
                              ": a project's profile may not approve tools by itself; `auto` is "
                              "left out (put it into ~/.loom/agents)");
    }
    const auto hidden =
        std::find_if(out.profiles_.begin(), out.profiles_.end(),
                     [&](const Profile& other) { return other.name == profile->name; });
    if (hidden != out.profiles_.end()) {
      *hidden = std::move(*profile);
    } else {
      out.profiles_.push_back(std::move(*profile));
    }
  }
  return out;
}

core::Result<Profile> Profiles::find(std::string_view name) const {
  for (const Profile& profile : profiles_) {
    if (profile.name == name) return profile;
  }
  if (kind_from_name(name)) {
    Profile profile;
    profile.name = name;
    profile.kind = name;
    profile.source = "builtin";
    return profile;
  }
  std::string known;
  for (const Kind kind : kKinds) known += std::string(kind_name(kind)) + ", ";
  for (const Profile& profile : profiles_) known += profile.name + ", ";
  if (known.size() >= 2) known.resize(known.size() - 2);
  return core::fail(Code::not_found,
                    "There is no agent '" + std::string(core::utf8_truncate(name, 100)) +
                        "'. There are: " + known + ".",
                    "agent");
}

core::Result<Profile> read_profile(std::string_view text, std::string_view format,
                                   std::string_view name) {
  core::Result<ProfileTree> tree = read_profile_tree(text, format);
  if (!tree) return core::fail(std::move(tree.error()));
  core::Result<ProfileDraft> draft = read_draft(*tree, name);
  if (!draft) return core::fail(std::move(draft.error()));
  if (!draft->role_file.empty()) {
    return core::fail(Code::invalid_argument,
                      "The profile's key 'role.file': there is no folder to read it from.",
                      "role.file");
  }
  if (draft->extends.empty()) return std::move(draft->profile);
  for (const Profile& base : builtin_profiles()) {
    if (base.name == draft->extends) return completed(*draft, base);
  }
  return core::fail(
      Code::invalid_argument,
      "The profile's key 'extends': there is no builtin profile '" + draft->extends + "'.",
      "extends");
}

}  // namespace parley::agent
