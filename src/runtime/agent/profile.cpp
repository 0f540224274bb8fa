// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/profile.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/core/utf8.h"
#include "runtime/agent/agent.h"
#include "runtime/agent/profile_builtin.h"
#include "runtime/agent/profile_draft.h"
#include "runtime/agent/profile_folder.h"
#include "runtime/agent/profile_tree.h"

namespace parley::agent {
namespace {

using core::Code;
using tool::Approval;

constexpr std::string_view kProject = "project";

// The approval that a profile sets for a tool, if any.
std::optional<Approval> approval_in(const Profile& profile, const std::string& tool) {
  for (const std::string& name : {tool, std::string("*")}) {
    const auto found = profile.approvals.find(name);
    if (found != profile.approvals.end()) return found->second;
  }
  return std::nullopt;
}

// Makes approvals at least as strict as another profile's.
void tighten_to(Profile& profile, const Profile& other) {
  const std::map<std::string, Approval> own = profile.approvals;
  const auto raise = [&](const std::string& tool) {
    const std::optional<Approval> least = approval_in(other, tool);
    const std::optional<Approval> now = approval_in(profile, tool);
    if (!least || *least == Approval::automatic || (now && *now >= *least)) return;
    profile.approvals[tool] = *least;
  };
  for (const auto& [tool, approval] : own) raise(tool);
  for (const auto& [tool, approval] : other.approvals) raise(tool);
}

// Removes `auto` entries, which a project cannot grant itself; true if there was one.
bool drop_automatic(Profile& profile) {
  return std::erase_if(profile.approvals,
                       [](const auto& entry) { return entry.second == Approval::automatic; }) > 0;
}

int rank(std::string_view source) { return source == "builtin" ? 0 : source == "user" ? 1 : 2; }

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

Profiles Profiles::load(const std::string& working_folder, const std::string& home,
                        FolderApprovals folder, const std::string& own_data) {
  FoundProfiles found = find_profiles(working_folder, home, own_data);
  Profiles out;
  out.problems_ = std::move(found.problems);
  for (std::size_t i = 0; i < found.all.size(); ++i) {
    const FoundProfile& one = found.all[i];
    core::Result<Profile> profile = resolve_profile(found.all, i);
    if (profile) {
      out.take(one.file, std::move(*profile), folder);
    } else {
      const Profile& draft = one.draft.profile;
      out.problems_.push_back({draft.name, one.file, profile.error().message, draft.source, true});
    }
  }
  return out;
}

// Adds a profile; it replaces the one that it hides.
void Profiles::take(const std::string& file, Profile profile, FolderApprovals folder) {
  const auto hidden = std::find_if(profiles_.begin(), profiles_.end(), [&](const Profile& other) {
    return other.name == profile.name;
  });
  const bool is_hiding = hidden != profiles_.end();
  if (profile.source == kProject && folder == FolderApprovals::tighten) {
    if (drop_automatic(profile)) {
      problems_.push_back({profile.name, file,
                           "a folder's profile may not approve tools by itself: `auto` is left out "
                           "(move the profile to ~/.loom/agents, or set runs.folder_approvals)",
                           profile.source, false});
    }
    if (is_hiding) tighten_to(profile, *hidden);
    if (is_hiding || kind_from_name(profile.name)) {
      const bool is_own = is_hiding && hidden->source == "user";
      note(profile.name, "The agent '" + profile.name + "' is that of the working folder (" + file +
                             "), not " + (is_own ? "your own" : "the built-in one") + ".");
    }
  }
  if (is_hiding) {
    *hidden = std::move(profile);
  } else {
    profiles_.push_back(std::move(profile));
  }
}

void Profiles::note(const std::string& name, std::string notice) {
  notices_.emplace_back(name, std::move(notice));
}

std::vector<std::string> Profiles::problems() const {
  std::vector<std::string> out;
  for (const ProfileProblem& problem : problems_) out.push_back(problem.file + ": " + problem.what);
  for (const auto& [name, notice] : notices_) out.push_back(notice);
  return out;
}

std::vector<std::string> Profiles::notices(std::string_view name) const {
  std::vector<std::string> out;
  for (const auto& [of, notice] : notices_) {
    if (of == name) out.push_back(notice);
  }
  for (const ProfileProblem& problem : problems_) {
    if (problem.name == name && !problem.left_out)
      out.push_back(problem.file + ": " + problem.what);
  }
  return out;
}

std::string Profiles::left_out() const {
  const auto is_left_out = [](const ProfileProblem& problem) { return problem.left_out; };
  const auto first = std::find_if(problems_.begin(), problems_.end(), is_left_out);
  if (first == problems_.end()) return {};
  const auto count = std::count_if(first, problems_.end(), is_left_out);
  return (count == 1 ? std::string("A profile") : std::to_string(count) + " profiles") +
         " cannot be read" + (count == 1 ? ": " : ", the first of them ") + first->file + ": " +
         first->what;
}

core::Result<Profile> Profiles::find(std::string_view name) const {
  const auto found = std::find_if(profiles_.begin(), profiles_.end(),
                                  [name](const Profile& one) { return one.name == name; });
  for (const ProfileProblem& problem : problems_) {
    const bool would_hide = found == profiles_.end() || rank(found->source) < rank(problem.source);
    if (!problem.left_out || problem.name != name || !would_hide) continue;
    return core::fail(Code::invalid_argument,
                      "The agent '" + problem.name + "' cannot be read from " + problem.file +
                          ": " + problem.what,
                      "agent");
  }
  if (found != profiles_.end()) return *found;
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
    return core::fail(
        Code::invalid_argument,
        "The profile's key 'role.file': a profile that is not in a folder cannot have it.",
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
