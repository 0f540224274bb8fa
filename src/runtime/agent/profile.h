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

#include "base/core/result.h"
#include "runtime/tool/toolbox.h"

namespace parley::agent {

// A named configuration of an agent: its role, model, tools and limits. Built in, of a project
// (.loom/agents/NAME.toml|yaml|yml|md, or NAME/config.*), or of the user (~/.loom/agents).
struct Profile {
  std::string name;
  std::string description;
  std::string source;                      // "builtin", "project", "user"
  std::string kind = "react";              // kind of agent
  std::string role;                        // text in front of the system prompt
  std::string model;                       // empty: the model of the run
  std::vector<std::string> tools_allowed;  // empty: all; a name may end in "*"
  std::vector<std::string> tools_denied;
  // Names of MCP servers whose tools are allowed in addition to `tools_allowed`. Absent: not
  // configured; all are allowed if `tools_allowed` is empty.
  std::optional<std::vector<std::string>> mcp_servers;
  std::map<std::string, tool::Approval> approvals;  // by tool; "*" for all other tools
  std::optional<std::size_t> max_steps;
  std::optional<std::int64_t> timeout_s;
  std::optional<std::size_t> max_depth;  // nesting of sub-agents
};

// The tools of `all` that an agent of this profile may use.
tool::Toolbox allowed_tools(const Profile& profile, const tool::Toolbox& all);

// Fault of a profile's file.
struct ProfileProblem {
  std::string name;  // of the profile; empty: the file has none
  std::string file;
  std::string what;       // the fault, as a sentence
  std::string source;     // as in Profile
  bool left_out = false;  // true: the profile is skipped
};

// Effect of approvals in the profiles of a working folder. These files may come from other people,
// with a checkout, so without trust they can only make approvals stricter: no `auto`, and no
// approval less strict than that of the hidden profile.
enum class FolderApprovals : std::uint8_t { tighten, trusted };

// The profiles of a working folder and a home. In the order builtin, user, project a profile hides
// earlier ones of its name. A profile that `extends` its own name extends the one that it hides.
class Profiles {
 public:
  // Reads the folders `.loom/agents` of both. A file that cannot be read is skipped and listed in
  // problems(), and so is one of the working folder that a symlink takes from outside it, or from
  // the program's own data. Blocks on the disk.
  static Profiles load(const std::string& working_folder, const std::string& home,
                       FolderApprovals folder = FolderApprovals::tighten,
                       const std::string& own_data = {});

  // Finds a profile, or makes one from the name of a kind ("react"). Errors, with `field` "agent":
  // `not_found`, naming the available profiles; `invalid_argument`, naming the unreadable file and
  // the reason, also if the file would hide a readable profile of that name.
  core::Result<Profile> find(std::string_view name) const;
  const std::vector<Profile>& all() const { return profiles_; }
  // All faults, each as "FILE: fault", then all notices.
  std::vector<std::string> problems() const;
  // Sentences for users of this agent: a profile of the folder hides another one, and which of its
  // settings are ignored.
  std::vector<std::string> notices(std::string_view name) const;
  // A sentence about the unreadable profiles; empty if there are none.
  std::string left_out() const;

 private:
  void take(const std::string& file, Profile profile, FolderApprovals folder);
  void note(const std::string& name, std::string notice);

  std::vector<Profile> profiles_;
  std::vector<ProfileProblem> problems_;
  std::vector<std::pair<std::string, std::string>> notices_;  // by name
};

// Reads one profile. `format` is "toml", "yaml" (or "yml") or "md" (front matter, then the role).
// The profile may extend a builtin one; a role file is not read. Errors: `invalid_argument`, with
// the key at fault.
core::Result<Profile> read_profile(std::string_view text, std::string_view format,
                                   std::string_view name);

// Limit of one profile file, and of one role file, in bytes.
// Limit (Runs): a profile. Reached: reported.
inline constexpr std::size_t kMaxProfileBytes = 256U << 10U;
// Limit of the profiles of one folder; further ones are reported and skipped.
// Limit (Runs): profiles of a folder. Reached: reported.
inline constexpr std::size_t kMaxProfiles = 200;
// Limit of a chain of profiles that extend each other.
// Limit (Runs): levels of `extends`. Reached: reported.
inline constexpr std::size_t kMaxProfileDepth = 8;

}  // namespace parley::agent
