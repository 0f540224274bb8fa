// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/profile_draft.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <charconv>
#include <cstdint>
#include <initializer_list>
#include <utility>

#include "runtime/agent/agent.h"

namespace parley::agent {
namespace {

namespace json = boost::json;
using tool::Approval;

constexpr std::size_t kMaxList = 500;
constexpr std::size_t kMaxShortText = 2'000;
constexpr std::int64_t kMaxSteps = 10'000;
constexpr std::int64_t kMaxTimeoutS = std::int64_t{7} * 24 * 3'600;
constexpr std::int64_t kMaxSubAgents = 10;

// Tools with effects outside the conversation, by all names in use.
constexpr std::array<std::string_view, 12> kChanging = {
    "write_file", "edit",        "multiedit",  "apply_patch", "move",  "move_file",
    "delete",     "delete_file", "create_dir", "bash",        "shell", "powershell"};
constexpr std::array<std::string_view, 5> kDestructive = {"delete", "delete_file", "bash", "shell",
                                                          "powershell"};

// Exception within this file.
struct Fault {
  std::string key;
  std::string message;
};

[[noreturn]] void fault(const std::string& key, std::string message) {
  throw Fault{key, std::move(message)};
}

std::string spelled(std::string_view key) {
  std::string out(key);
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

const std::string& text_value(const std::string& key, const json::value& value, std::string& out,
                              std::size_t limit = kMaxShortText) {
  const json::string* text = value.if_string();
  if (text == nullptr) fault(key, "must be a string");
  if (text->size() > limit) fault(key, "longer than " + std::to_string(limit) + " bytes");
  out.assign(text->data(), text->size());
  return out;
}

std::string text_value(const std::string& key, const json::value& value) {
  std::string out;
  return text_value(key, value, out);
}

// A list of texts; a single text is a list of one.
std::vector<std::string> list_of(const std::string& key, const json::value& value) {
  std::vector<std::string> out;
  if (value.is_string()) return {text_value(key, value)};
  const json::array* array = value.if_array();
  if (array == nullptr) fault(key, "must be a list of names");
  if (array->size() > kMaxList) fault(key, "more than " + std::to_string(kMaxList) + " entries");
  for (std::size_t i = 0; i < array->size(); ++i) {
    const std::string at = key + "[" + std::to_string(i) + "]";
    std::string name = text_value(at, (*array)[i]);
    if (name.empty()) fault(at, "the name is empty");
    const std::size_t star = name.find('*');
    if (star != std::string::npos && star + 1 != name.size()) {
      fault(at, "a * is allowed only as the last character");
    }
    out.push_back(std::move(name));
  }
  return out;
}

std::int64_t number_of(const std::string& key, const json::value& value, std::int64_t low,
                       std::int64_t high) {
  const std::int64_t* number = value.if_int64();
  if (number == nullptr) fault(key, "must be a whole number");
  if (*number < low || *number > high) {
    fault(key, "must be from " + std::to_string(low) + " to " + std::to_string(high));
  }
  return *number;
}

// Seconds, from a number or "90s", "15m", "2h".
std::int64_t seconds_of(const std::string& key, const json::value& value) {
  if (!value.is_string()) return number_of(key, value, 1, kMaxTimeoutS);
  const std::string text = text_value(key, value);
  std::int64_t amount = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, amount);
  const std::string_view unit(rest, static_cast<std::size_t>(end - rest));
  const std::int64_t factor = unit == "h" ? 3'600 : unit == "m" ? 60 : 1;
  const bool is_known = unit.empty() || unit == "s" || unit == "m" || unit == "h";
  if (error != std::errc() || !is_known || amount < 1 || amount > kMaxTimeoutS / factor) {
    fault(key,
          "must be a number of seconds, or a time such as \"90s\", \"15m\", \"2h\", of at most 7 "
          "days");
  }
  return amount * factor;
}

const json::object& object_of(const std::string& key, const json::value& value) {
  const json::object* object = value.if_object();
  if (object == nullptr) fault(key, "must be a table of keys and values");
  return *object;
}

class DraftReader {
 public:
  explicit DraftReader(ProfileDraft& draft) : draft_(draft), profile_(draft.profile) {}

  void read(const json::object& keys) {
    for (const auto& member : keys) top(std::string(member.key()), member.value());
    if (!draft_.role_file.empty() && draft_.has.role) {
      fault("role", "must have a text or a file, not both");
    }
  }

  void body(const std::string& text) {
    if (text.empty()) return;
    if (draft_.has.role || !draft_.role_file.empty()) {
      fault("role", "is given twice: as a key and as the text below the front matter");
    }
    profile_.role = text;
    draft_.has.role = true;
  }

 private:
  void top(const std::string& key, const json::value& value) {
    const std::string known = spelled(key);
    if (value.is_null()) return;
    if (known == "name") {
      profile_.name = text_value(key, value);
    } else if (known == "description") {
      profile_.description = text_value(key, value);
    } else if (known == "kind" || known == "agent") {
      kind(key, value);
    } else if (known == "model") {
      profile_.model = text_value(key, value);
    } else if (known == "extends") {
      draft_.extends = text_value(key, value);
    } else if (known == "role") {
      role(key, value);
    } else if (known == "role_file") {
      role_file(key, value);
    } else if (known == "behavior") {
      for (const auto& member : object_of(key, value)) {
        if (!behavior(key + "." + std::string(member.key()), spelled(member.key()),
                      member.value())) {
          unknown(key + "." + std::string(member.key()));
        }
      }
    } else if (known == "environment" || known == "skills") {
      draft_.unused.push_back(key);
    } else if (!tool_key(key, known, value) && !behavior(key, known, value)) {
      unknown(key);
    }
  }

  [[noreturn]] static void unknown(const std::string& key) {
    fault(key, "there is no such key in a profile");
  }

  void kind(const std::string& key, const json::value& value) {
    profile_.kind = text_value(key, value);
    if (!kind_from_name(profile_.kind)) {
      fault(key, "must be one of react, dup, tot, got, agot");
    }
    draft_.has.kind = true;
  }

  void role(const std::string& key, const json::value& value) {
    if (const json::object* object = value.if_object()) {
      for (const auto& member : *object) {
        const std::string at = key + "." + std::string(member.key());
        if (member.key() == "content") {
          role_text(at, member.value());
        } else if (member.key() == "file") {
          role_file(at, member.value());
        } else {
          unknown(at);
        }
      }
      return;
    }
    role_text(key, value);
  }

  void role_text(const std::string& key, const json::value& value) {
    text_value(key, value, profile_.role, kMaxProfileBytes);
    draft_.has.role = true;
  }

  void role_file(const std::string& key, const json::value& value) {
    draft_.role_file = text_value(key, value);
    if (draft_.role_file.empty()) fault(key, "the name is empty");
  }

  bool tool_key(const std::string& key, const std::string& known, const json::value& value) {
    if (known == "tools_allowed" || (known == "tools" && !value.is_object())) {
      allow(key, value);
    } else if (known == "tools_denied") {
      deny(key, value);
    } else if (known == "tools") {
      tools(key, value.get_object());
    } else if (known == "mcp_servers") {
      profile_.mcp_servers = list_of(key, value);
    } else if (known == "approvals") {
      approvals(key, value);
    } else {
      return false;
    }
    return true;
  }

  void allow(const std::string& key, const json::value& value) {
    profile_.tools_allowed = list_of(key, value);
    // No tools at all: expressed by denying all, because an empty list of allowed tools allows all.
    if (profile_.tools_allowed.empty()) profile_.tools_denied = {"*"};
    draft_.has.tools_allowed = true;
  }

  void deny(const std::string& key, const json::value& value) {
    for (std::string& name : list_of(key, value)) profile_.tools_denied.push_back(std::move(name));
    draft_.has.tools_denied = true;
  }

  void tools(const std::string& key, const json::object& object) {
    for (const auto& member : object) {
      const std::string at = key + "." + std::string(member.key());
      const std::string known = spelled(member.key());
      if (known == "builtin") {
        builtin_tools(at, object_of(at, member.value()));
      } else if (known == "mcp") {
        mcp(at, member.value());
      } else if (known == "allowed" || known == "enabled") {
        allow(at, member.value());
      } else if (known == "denied" || known == "disabled") {
        deny(at, member.value());
      } else {
        unknown(at);
      }
    }
  }

  void builtin_tools(const std::string& key, const json::object& object) {
    for (const auto& member : object) {
      const std::string at = key + "." + std::string(member.key());
      if (member.value().is_null()) continue;
      if (member.key() == "enabled") {
        allow(at, member.value());
      } else if (member.key() == "disabled") {
        deny(at, member.value());
      } else {
        unknown(at);
      }
    }
  }

  // A list of servers, or {enabled: [...]}.
  void mcp(const std::string& key, const json::value& value) {
    if (const json::object* object = value.if_object()) {
      for (const auto& member : *object) {
        const std::string at = key + "." + std::string(member.key());
        if (member.key() != "enabled" && member.key() != "servers") unknown(at);
        profile_.mcp_servers = list_of(at, member.value());
      }
      return;
    }
    profile_.mcp_servers = list_of(key, value);
  }

  void approvals(const std::string& key, const json::value& value) {
    if (value.is_string()) {
      policy(key, text_value(key, value));
      return;
    }
    for (const auto& member : object_of(key, value)) {
      const std::string at = key + "." + std::string(member.key());
      const auto approval = tool::approval_from_name(text_value(at, member.value()));
      if (!approval) fault(at, "must be one of auto, ask, deny");
      profile_.approvals[std::string(member.key())] = *approval;
    }
    if (profile_.approvals.size() > kMaxList) fault(key, "too many entries");
  }

  void policy(const std::string& key, const std::string& name) {
    const auto set = [this](const auto& tools) {
      for (const std::string_view tool : tools) {
        profile_.approvals.try_emplace(std::string(tool), Approval::ask);
      }
    };
    if (const auto approval = tool::approval_from_name(name)) {
      profile_.approvals.try_emplace("*", *approval);
    } else if (name == "none") {
      profile_.approvals.try_emplace("*", Approval::automatic);
    } else if (name == "destructive_only") {
      set(kDestructive);
      profile_.approvals.try_emplace("*", Approval::automatic);
    } else if (name == "always") {
      set(kChanging);
    } else {
      fault(key, "must be one of none, destructive_only, always, auto, ask, deny");
    }
  }

  bool behavior(const std::string& key, const std::string& known, const json::value& value) {
    if (value.is_null()) return true;
    if (known == "approval_policy") {
      policy(key, text_value(key, value));
    } else if (known == "max_iterations" || known == "max_steps") {
      profile_.max_steps = static_cast<std::size_t>(number_of(key, value, 1, kMaxSteps));
    } else if (known == "timeout" || known == "timeout_s") {
      profile_.timeout_s = seconds_of(key, value);
    } else if (known == "max_sub_agent_depth" || known == "max_depth") {
      profile_.max_depth = static_cast<std::size_t>(number_of(key, value, 0, kMaxSubAgents));
    } else {
      return false;
    }
    return true;
  }

  ProfileDraft& draft_;
  Profile& profile_;
};

bool is_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= 64 && name[0] != '.' && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), fits);
}

}  // namespace

core::Result<ProfileDraft> read_draft(const ProfileTree& tree, std::string_view name) {
  ProfileDraft draft;
  draft.profile.name = name;
  try {
    DraftReader reader(draft);
    reader.read(tree.keys);
    reader.body(tree.body);
    if (!is_name(draft.profile.name)) {
      fault("name",
            "must be 1 to 64 letters, digits, '-', '_' or '.', and begin with a letter or digit");
    }
  } catch (const Fault& found) {
    return core::fail(core::Code::invalid_argument,
                      "The profile's key '" + found.key + "': " + found.message + ".", found.key);
  }
  return draft;
}

Profile completed(const ProfileDraft& draft, const Profile& base) {
  Profile out = draft.profile;
  if (out.description.empty()) out.description = base.description;
  if (!draft.has.kind) out.kind = base.kind;
  if (!draft.has.role) out.role = base.role;
  if (out.model.empty()) out.model = base.model;
  if (!draft.has.tools_allowed) out.tools_allowed = base.tools_allowed;
  // Tools denied by the base stay denied, unless the profile sets its own lists.
  if (!draft.has.tools_denied && !draft.has.tools_allowed) out.tools_denied = base.tools_denied;
  if (!out.mcp_servers) out.mcp_servers = base.mcp_servers;
  // A "*" of the profile covers all tools that it does not name, so the base cannot loosen it.
  const auto all = draft.profile.approvals.find("*");
  for (const auto& [tool, approval] : base.approvals) {
    if (all != draft.profile.approvals.end() && approval < all->second) continue;
    out.approvals.try_emplace(tool, approval);
  }
  if (!out.max_steps) out.max_steps = base.max_steps;
  if (!out.timeout_s) out.timeout_s = base.timeout_s;
  if (!out.max_depth) out.max_depth = base.max_depth;
  return out;
}

}  // namespace parley::agent
