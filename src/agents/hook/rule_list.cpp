// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/hook/rule_list.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <cerrno>
#include <optional>
#include <utility>

#include "base/core/ascii.h"
#include "base/core/file_descriptor.h"
#include "base/core/json_member.h"
#include "base/core/private_files.h"
#include "base/core/result.h"
#include "base/core/utf8.h"

namespace parley::hook {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;

constexpr core::Millis kLockPause{10};
// Limit (parley hook): attempts, 10 ms apart, to lock the list of rules for counting. Reached: not
// counted.
constexpr int kLockTries = 300;
constexpr std::size_t kMaxFolderBytes = 1'024;  // of the folder of a use

fs::path list_file(const fs::path& data) { return rules_folder(data) / "rules.json"; }
fs::path uses_file(const fs::path& data, std::string_view id) {
  return rules_folder(data) / ("uses-" + std::string(id));
}

std::int64_t number_in(const json::object& from, std::string_view name) {
  const json::value* found = from.if_contains(name);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

core::WallTime time_in(const json::object& from, std::string_view name) {
  return core::from_unix_ms(number_in(from, name));
}

// The whole file; std::nullopt: there is none.
core::Result<std::optional<std::string>> read_file(const fs::path& path) {
  const core::FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
  if (!file && errno == ENOENT) return std::optional<std::string>();
  if (!file) return core::fail(core::system_error(errno, "Cannot open " + path.string()));
  std::string text(kMaxRuleBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return core::fail(core::system_error(errno, "Cannot read " + path.string()));
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  if (size > kMaxRuleBytes) {
    return core::fail(core::Code::resource_exhausted, path.string() + " is too large.");
  }
  text.resize(size);
  return std::optional(std::move(text));
}

std::optional<json::value> parsed(const std::string& text) {
  boost::system::error_code failed;
  json::value value = json::parse(text, failed);
  return failed.failed() ? std::nullopt : std::optional(std::move(value));
}

std::optional<Rule> rule_in(const json::value& value) {
  const json::object* from = value.if_object();
  if (from == nullptr) return std::nullopt;
  Rule rule{core::string_member(*from, "id"),      core::string_member(*from, "agent"),
            core::string_member(*from, "command"), core::string_member(*from, "text"),
            core::string_member(*from, "file"),    time_in(*from, "made_at"),
            core::string_member(*from, "by")};
  const bool is_safe = !rule.id.empty() && rule.id.find('/') == std::string::npos;
  if (!is_safe || rule.agent.empty() || rule.command.empty()) return std::nullopt;
  return rule;
}

// Held by the one that changes the uses; no descriptor: others hold it for too long.
core::FileDescriptor lock_uses(const fs::path& data) {
  core::FileDescriptor lock(::open((rules_folder(data) / "uses.lock").c_str(),
                                   O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW,
                                   core::kPrivateFileMode));
  for (int i = 0; lock && i < kLockTries; ++i) {
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) == 0) return lock;
    ::poll(nullptr, 0, static_cast<int>(kLockPause.count()));
  }
  return {};
}

}  // namespace

fs::path rules_folder(const fs::path& data) { return data / "rules"; }

core::Result<std::vector<Rule>> read_rules(const fs::path& data) {
  PARLEY_TRY(const std::optional<std::string> text, read_file(list_file(data)));
  std::vector<Rule> rules;
  if (!text) return rules;
  const std::optional<json::value> list = parsed(*text);
  if (!list || !list->is_array()) {
    return core::fail(core::Code::invalid_argument, list_file(data).string() + " is not valid.");
  }
  for (const json::value& value : list->get_array()) {
    std::optional<Rule> rule = rule_in(value);
    if (!rule) {
      return core::fail(core::Code::invalid_argument, list_file(data).string() + " is not valid.");
    }
    rules.push_back(*std::move(rule));
  }
  return rules;
}

core::Result<void> write_rules(const fs::path& data, const std::vector<Rule>& rules) {
  json::array list;
  for (const Rule& rule : rules) {
    list.push_back(json::object{{"id", rule.id},
                                {"agent", rule.agent},
                                {"command", rule.command},
                                {"text", rule.text},
                                {"file", rule.file.string()},
                                {"made_at", core::to_unix_ms(rule.made_at)},
                                {"by", rule.by}});
  }
  PARLEY_TRY_VOID(core::make_private_folder(rules_folder(data).string()));
  return core::write_private_file(list_file(data).string(), json::serialize(list) + "\n");
}

RuleUses uses_of(const fs::path& data, std::string_view id) {
  RuleUses uses;
  const auto text = read_file(uses_file(data, id));
  if (!text || !*text) return uses;
  const std::optional<json::value> value = parsed(**text);
  const json::object* from = value ? value->if_object() : nullptr;
  if (from == nullptr) return uses;
  uses.count = static_cast<std::uint64_t>(std::max<std::int64_t>(number_in(*from, "count"), 0));
  const json::value* last = from->if_contains("last");
  if (last == nullptr || !last->is_array()) return uses;
  for (const json::value& each : last->get_array()) {
    const json::object* use = each.if_object();
    if (use == nullptr || uses.last.size() == kMaxUsesKept) continue;
    uses.last.push_back({time_in(*use, "at"), core::string_member(*use, "directory")});
  }
  return uses;
}

void count_use(const fs::path& data, std::string_view agent, std::string_view command,
               std::string_view directory, core::WallTime now) {
  const auto rules = read_rules(data);
  if (!rules) return;
  command = core::trimmed(command);  // agents take a rule for a command with blanks around it
  const auto rule = std::find_if(rules->begin(), rules->end(), [&](const Rule& each) {
    return each.agent == agent && each.command == command;
  });
  if (rule == rules->end()) return;
  const core::FileDescriptor lock = lock_uses(data);
  if (!lock) return;
  RuleUses uses = uses_of(data, rule->id);
  ++uses.count;
  uses.last.insert(uses.last.begin(),
                   {now, std::string(core::utf8_truncate(directory, kMaxFolderBytes))});
  if (uses.last.size() > kMaxUsesKept) uses.last.resize(kMaxUsesKept);
  json::array last;
  for (const RuleUse& use : uses.last) {
    last.push_back(json::object{{"at", core::to_unix_ms(use.at)}, {"directory", use.directory}});
  }
  const json::object whole{{"count", uses.count}, {"last", std::move(last)}};
  (void)core::write_private_file(uses_file(data, rule->id).string(), json::serialize(whole) + "\n");
}

void forget_uses(const fs::path& data, std::string_view id) {
  ::unlink(uses_file(data, id).c_str());
}

}  // namespace parley::hook
