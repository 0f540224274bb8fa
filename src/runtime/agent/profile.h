// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/result.h"
#include "runtime/tool/toolbox.h"

namespace parley::agent {

// A named way to run an agent: what it is told to be, what it may use. Built in, of a project
// (.loom/agents/NAME.toml|yaml|yml|md, or NAME/config.*), or of the user (~/.loom/agents).
struct Profile {
  std::string name;
  std::string description;
  std::string source;                      // "builtin", "project", "user"
  std::string kind = "react";              // of agent
  std::string role;                        // put in front of the system prompt
  std::string model;                       // empty: the run's
  std::vector<std::string> tools_allowed;  // empty: all; a name may end in "*"
  std::vector<std::string> tools_denied;
  // Names of MCP servers whose tools are allowed beside `tools_allowed`; absent: no word of them,
  // so all are if `tools_allowed` is empty.
  std::optional<std::vector<std::string>> mcp_servers;
  std::map<std::string, tool::Approval> approvals;  // by tool; "*" for all others
  std::optional<std::size_t> max_steps;
  std::optional<std::int64_t> timeout_s;
  std::optional<std::size_t> max_depth;  // of sub-agents
};

// What an agent of this profile may use of `all`.
tool::Toolbox allowed_tools(const Profile& profile, const tool::Toolbox& all);

// What is wrong with a file of a profile.
struct ProfileProblem {
  std::string name;  // of the profile; empty: of none
  std::string file;
  std::string what;       // a sentence
  std::string source;     // as of a Profile
  bool left_out = false;  // there is no profile for it
};

// What the approvals of a working folder's own profiles may do. They come with whatever was checked
// out, so unless somebody trusts the folder they can only make approvals stricter: no `auto`, and
// nothing that is less strict than what they hide.
enum class FolderApprovals : std::uint8_t { tighten, trusted };

// The profiles of a working folder and a home. Later ones win: builtin, user, project. One that
// `extends` its own name extends the one that it hides.
class Profiles {
 public:
  // Reads what is there, in the folders `.loom/agents` of both; a file that cannot be read is left
  // out and told in problems(). So is one that a link takes from the program's own data. Blocks on
  // the disk.
  static Profiles load(const std::string& working_folder, const std::string& home,
                       FolderApprovals folder = FolderApprovals::tighten,
                       const std::string& own_data = {});

  // A profile, or one made of a kind's name ("react"). Errors, with `field` "agent": `not_found`,
  // naming what there is; `invalid_argument`, naming the file that cannot be read and why, also
  // where there is another one of the name that the file would hide.
  core::Result<Profile> find(std::string_view name) const;
  const std::vector<Profile>& all() const { return profiles_; }
  // Of every file, "FILE: what is wrong".
  std::vector<std::string> problems() const;
  // What whoever runs this agent should know: that a folder's profile stands in the place of
  // another one, and what of it does not count. Sentences.
  std::vector<std::string> notices(std::string_view name) const;
  // A sentence about the profiles that cannot be read; empty: all can.
  std::string left_out() const;

 private:
  void take(const std::string& file, Profile profile, FolderApprovals folder);
  void note(const std::string& name, std::string notice);

  std::vector<Profile> profiles_;
  std::vector<ProfileProblem> problems_;
  std::vector<std::pair<std::string, std::string>> notices_;  // by name
};

// Reads one profile. `format` is "toml", "yaml" (or "yml") or "md" (front matter, then the role).
// It may extend a builtin one, and no role file is read. Errors: `invalid_argument`, with the key
// at fault.
core::Result<Profile> read_profile(std::string_view text, std::string_view format,
                                   std::string_view name);

// Of one file, and of a role's file.
inline constexpr std::size_t kMaxProfileBytes = 256U << 10U;
// Of one folder; further ones are told and left out.
inline constexpr std::size_t kMaxProfiles = 200;
// Of profiles that extend each other.
inline constexpr std::size_t kMaxProfileDepth = 8;

}  // namespace parley::agent
