// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/cli/mcp_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "app/cli/pretty_json.h"
#include "base/core/durable_file.h"
#include "base/core/result.h"
#include "runtime/tool/mcp/mcp_config.h"
#include "runtime/tool/process/child_environment.h"

namespace parley::app {
namespace {

namespace fs = std::filesystem;
namespace json = boost::json;
using core::Code;
using core::Result;

constexpr std::string_view kServers = "mcpServers";
constexpr std::string_view kMcpMask = "***";
constexpr std::size_t kMaxServerName = 64;

tl::unexpected<core::Error> mcp_file_failed(const std::string& path, std::string_view act) {
  const int error = errno;
  const Code code = error == EACCES || error == EPERM || error == EROFS ? Code::permission_denied
                                                                        : Code::unavailable;
  return core::fail(code, "The file " + path + " cannot be " + std::string(act) + ": " +
                              std::strerror(error) + ".");  // NOLINT(concurrency-mt-unsafe)
}

tl::unexpected<core::Error> mcp_wrong(std::string what) {
  return core::fail(Code::invalid_argument, std::move(what));
}

Result<json::value> read_mcp_tree(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return mcp_file_failed(path, "read");
  if (text.size() > tool::kMaxMcpConfigBytes) return mcp_wrong(path + " is larger than 1 MiB.");
  boost::system::error_code error;
  json::value root = json::parse(text, error);
  if (error) return mcp_wrong(path + " is not JSON: " + error.message() + ".");
  if (!root.is_object()) return mcp_wrong(path + " is not a JSON object.");
  const json::value* servers = root.get_object().if_contains(kServers);
  if (servers != nullptr && !servers->is_object()) {
    return mcp_wrong("In " + path + ", mcpServers must be a JSON object.");
  }
  return root;
}

// Splits "NAME=value" or "NAME: value"; std::nullopt: the mark is missing.
std::optional<std::pair<std::string, std::string>> split_pair(const std::string& text, char mark) {
  const std::size_t at = text.find(mark);
  if (at == std::string::npos) return std::nullopt;
  std::string value = text.substr(at + 1);
  if (mark == ':') value.erase(0, value.find_first_not_of(' '));
  return std::pair(text.substr(0, at), std::move(value));
}

json::object& object_member(json::object& server, std::string_view name) {
  json::value& value = server[name];
  if (!value.is_object()) value.emplace_object();
  return value.get_object();
}

void unset_members(json::object& server, std::string_view member,
                   const std::vector<std::string>& names) {
  json::value* value = server.if_contains(member);
  if (value == nullptr || !value->is_object()) return;
  for (const std::string& name : names) value->get_object().stable_erase(name);
  if (value->get_object().empty()) server.stable_erase(member);
}

Result<void> set_env(json::object& server, const std::vector<std::string>& env) {
  for (const std::string& each : env) {
    const auto pair = split_pair(each, '=');
    const std::string name = pair ? pair->first : each;
    if (name.empty()) return mcp_wrong("--env must be NAME=VALUE, or NAME alone.");
    object_member(server, "env")[name] = pair ? pair->second : "${" + name + "}";
  }
  return {};
}

Result<void> set_headers(json::object& server, const std::vector<std::string>& headers) {
  for (const std::string& each : headers) {
    const auto pair = split_pair(each, ':');
    if (!pair || pair->first.empty()) return mcp_wrong("--header must be \"NAME: VALUE\".");
    object_member(server, "headers")[pair->first] = pair->second;
  }
  return {};
}

Result<void> apply_edit(json::object& server, const McpServerEdit& edit) {
  if (!edit.program.empty() && !edit.url.empty()) {
    return mcp_wrong("An MCP server needs a program or --url, not both.");
  }
  if (!edit.program.empty()) {
    for (const char* member : {"url", "headers"}) server.stable_erase(member);
    server["command"] = edit.program.front();
    json::array args;
    for (std::size_t i = 1; i < edit.program.size(); ++i) args.emplace_back(edit.program[i]);
    server["args"] = std::move(args);
  }
  if (!edit.url.empty()) {
    if (!edit.url.starts_with("http://") && !edit.url.starts_with("https://")) {
      return mcp_wrong("The URL must begin with http:// or https://.");
    }
    for (const char* member : {"command", "args", "env"}) server.stable_erase(member);
    server["url"] = edit.url;
  }
  unset_members(server, "env", edit.unset_env);
  unset_members(server, "headers", edit.unset_headers);
  Result<void> set = set_env(server, edit.env);
  if (set) set = set_headers(server, edit.headers);
  if (!set) return set;
  if (server.contains("command") == server.contains("url")) {
    return mcp_wrong("An MCP server needs a program (after --) or --url.");
  }
  if (server.contains("url") && server.contains("env")) {
    return mcp_wrong("--env is for programs; a server with a URL has --header.");
  }
  if (server.contains("command") && server.contains("headers")) {
    return mcp_wrong("--header is for servers with a URL; a program has --env.");
  }
  return {};
}

}  // namespace

Result<McpFile> McpFile::open(const std::string& path, Use use) {
  McpFile file;
  file.path_ = path;
  std::error_code error;
  file.target_ = fs::weakly_canonical(fs::absolute(path, error), error).string();
  if (error) return mcp_wrong("The path " + path + " cannot be used: " + error.message() + ".");
  const std::string folder = fs::path(file.target_).parent_path().string();
  if (use == Use::create) fs::create_directories(folder, error);
  if (use != Use::look) {
    if (use == Use::edit && !fs::exists(file.target_, error)) {
      return core::fail(Code::not_found, "There is no file " + path + ".");
    }
    file.lock_ = core::FileDescriptor(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (file.lock_.get() < 0 || ::flock(file.lock_.get(), LOCK_EX) != 0) {
      return mcp_file_failed(path, "changed");
    }
  }
  struct stat info {};
  file.is_there_ = ::stat(file.target_.c_str(), &info) == 0;
  if (file.is_there_) {
    if (!S_ISREG(info.st_mode)) return mcp_wrong(path + " is not a regular file.");
    file.mode_ = info.st_mode & 0777U;
    PARLEY_TRY(file.root_, read_mcp_tree(file.target_));
  }
  if (!file.root_.is_object()) file.root_.emplace_object();
  json::object& root = file.root_.get_object();
  if (!root.contains(kServers)) root[kServers].emplace_object();
  return file;
}

const json::object& McpFile::servers() const {
  return root_.get_object().at(kServers).get_object();
}

Result<json::object*> McpFile::find(const std::string& name) {
  json::value* server = root_.get_object().at(kServers).get_object().if_contains(name);
  if (server == nullptr) {
    return core::fail(Code::not_found, "There is no MCP server \"" + name + "\" in " + path_ + ".");
  }
  if (!server->is_object()) {
    return mcp_wrong("In " + path_ + ", " + name + " must be a JSON object.");
  }
  return &server->get_object();
}

Result<void> McpFile::add(const std::string& name, const McpServerEdit& edit) {
  if (name.empty() || name.size() > kMaxServerName) {
    return mcp_wrong("The name of an MCP server must have 1 to " + std::to_string(kMaxServerName) +
                     " bytes.");
  }
  json::object& all = root_.get_object().at(kServers).get_object();
  if (all.contains(name)) {
    return core::fail(Code::already_exists,
                      "The MCP server \"" + name + "\" already exists in " + path_ + ".");
  }
  if (all.size() >= tool::kMaxMcpServers) {
    return core::fail(Code::resource_exhausted,
                      path_ + " already has the maximum number of MCP servers.");
  }
  json::object server;
  Result<void> applied = apply_edit(server, edit);
  if (applied) all[name] = std::move(server);
  return applied;
}

Result<void> McpFile::change(const std::string& name, const McpServerEdit& edit) {
  PARLEY_TRY(auto* server, find(name));
  json::object changed = *server;
  Result<void> applied = apply_edit(changed, edit);
  if (applied) *server = std::move(changed);
  return applied;
}

Result<void> McpFile::remove(const std::string& name) {
  PARLEY_TRY_VOID(find(name));
  root_.get_object().at(kServers).get_object().stable_erase(name);
  return {};
}

Result<void> McpFile::enable(const std::string& name, bool on) {
  PARLEY_TRY(auto* server, find(name));
  if (on) {
    server->stable_erase("disabled");
  } else {
    (*server)["disabled"] = true;
  }
  return {};
}

std::string McpFile::text() const { return pretty_json(root_); }

Result<void> McpFile::save() {
  std::string draft = target_ + ".XXXXXX";
  const core::FileDescriptor out(::mkostemp(draft.data(), O_CLOEXEC));
  if (out.get() < 0) return mcp_file_failed(path_, "written");
  const std::string all = text();
  std::string_view rest = all;
  bool good = ::fchmod(out.get(), mode_) == 0;
  while (good && !rest.empty()) {
    const ssize_t count = ::write(out.get(), rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    good = count >= 0;
    if (good) rest.remove_prefix(static_cast<std::size_t>(count));
  }
  good = good && ::fsync(out.get()) == 0 && core::rename_durably(draft, target_);
  if (!good) {
    const auto failure = mcp_file_failed(path_, "written");
    ::unlink(draft.c_str());
    return failure;
  }
  is_there_ = true;
  return {};
}

// --- printed form ---------------------------------------------------------------------------

namespace {

bool is_reference(std::string_view value) {
  return value.starts_with("${") && value.find('}') == value.size() - 1;
}

std::string_view mcp_text_view(const json::value& value) {
  const json::string* text = value.if_string();
  return text == nullptr ? std::string_view() : std::string_view(*text);
}

json::object masked_members(const json::object& server, std::string_view member) {
  json::object out;
  const json::value* value = server.if_contains(member);
  if (value == nullptr || !value->is_object()) return out;
  for (const auto& each : value->get_object()) {
    const std::string_view text = mcp_text_view(each.value());
    out[each.key()] = is_reference(text) ? text : kMcpMask;
  }
  return out;
}

// True if a flag names a secret, by the rule for variables: "--api-key" like API_KEY.
bool names_secret(std::string_view flag) {
  std::string name(flag.substr(std::min(flag.size(), flag.find_first_not_of('-'))));
  std::replace(name.begin(), name.end(), '-', '_');
  return tool::looks_secret(name);
}

json::array shown_args(const json::object& server) {
  json::array out;
  const json::value* args = server.if_contains("args");
  if (args == nullptr || !args->is_array()) return out;
  bool secret_next = false;
  for (const json::value& each : args->get_array()) {
    const std::string_view arg = mcp_text_view(each);
    const std::size_t equals = arg.find('=');
    if (secret_next) {
      out.emplace_back(kMcpMask);
    } else if (equals != std::string_view::npos && names_secret(arg.substr(0, equals))) {
      out.emplace_back(std::string(arg.substr(0, equals + 1)) + std::string(kMcpMask));
    } else {
      out.emplace_back(arg);
    }
    secret_next = !secret_next && arg.starts_with('-') && equals == std::string_view::npos &&
                  names_secret(arg);
  }
  return out;
}

// The URL without user, password and query: each may contain a key.
std::string shown_url(std::string_view url) {
  std::string out(url.substr(0, url.find('?')));
  if (out.size() < url.size()) out += "?" + std::string(kMcpMask);
  const std::size_t scheme = out.find("://");
  const std::size_t begin = scheme == std::string::npos ? 0 : scheme + 3;
  const std::size_t at = out.substr(0, out.find('/', begin)).rfind('@');
  if (at != std::string::npos && at >= begin) out.replace(begin, at - begin, kMcpMask);
  return out;
}

}  // namespace

json::object shown_server(std::string_view name, const json::value& value) {
  json::object out;
  out["name"] = name;
  if (!value.is_object()) {
    out["error"] = "it is not an object";
    return out;
  }
  const json::object& server = value.get_object();
  const json::value* disabled = server.if_contains("disabled");
  out["enabled"] = disabled == nullptr || !disabled->is_bool() || !disabled->get_bool();
  if (const json::value* url = server.if_contains("url")) {
    out["type"] = "http";
    out["url"] = shown_url(mcp_text_view(*url));
    out["headers"] = masked_members(server, "headers");
    return out;
  }
  const json::value* command = server.if_contains("command");
  out["type"] = "stdio";
  out["command"] = command == nullptr ? std::string_view() : mcp_text_view(*command);
  out["args"] = shown_args(server);
  out["env"] = masked_members(server, "env");
  return out;
}

}  // namespace parley::app
