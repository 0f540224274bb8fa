// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/core/result.h"
#include "runtime/agent/profile.h"
#include "runtime/agent/profile_tree.h"

namespace parley::agent {

// A profile as its file states it, before it inherits from the profile that it extends. Members
// that the file does not name have the defaults of Profile; `has` records which ones it names.
struct ProfileDraft {
  Profile profile;
  std::string extends;
  std::string role_file;            // as written: relative to the profile's folder
  std::vector<std::string> unused;  // keys of other programs that are ignored here
  struct Has {
    bool kind = false;
    bool role = false;
    bool tools_allowed = false;
    bool tools_denied = false;
  } has;
};

// Reads the keys of a profile: name, description, kind, role {file | content} or text, role_file,
// model, extends, tools {builtin {enabled, disabled}, mcp} or a list, tools_allowed, tools_denied,
// mcp_servers, approvals, behavior {approval-policy, max-iterations, timeout, max_sub_agent_depth}
// or approval_policy, max_steps, timeout, max_depth at the top. Hyphens and underscores are
// equivalent. `name` is the default if the file names none. Errors: `invalid_argument`, field: the
// key at fault ("behavior.timeout").
core::Result<ProfileDraft> read_draft(const ProfileTree& tree, std::string_view name);

// The draft, with members that it does not name taken from `base`.
Profile completed(const ProfileDraft& draft, const Profile& base);

}  // namespace parley::agent
