// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/mcp/mcp_config.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <boost/json/parse.hpp>
#include <filesystem>
#include <fstream>

#include "base/core/ascii.h"
#include "base/core/hex.h"
#include "base/core/json_member.h"
#include "base/core/result.h"

namespace parley::tool {
namespace {

namespace fs = std::filesystem;
using core::Code;
using core::Result;
using Pairs = std::vector<std::pair<std::string, std::string>>;

constexpr std::size_t kMaxServerNameBytes = 64;
constexpr std::size_t kDigestBytes = 16;

tl::unexpected<core::Error> wrong(std::string what) {
  return core::fail(Code::invalid_argument, std::move(what));
}

Result<std::string> expand(std::string_view text, const Environment& environment) {
  std::string out;
  while (!text.empty()) {
    const std::size_t at = text.find("${");
    out.append(text.substr(0, at));
    if (at == std::string_view::npos) break;
    const std::size_t end = text.find('}', at);
    if (end == std::string_view::npos) return wrong("has ${ without }");
    const std::string_view name = text.substr(at + 2, end - at - 2);
    const std::string prefix = std::string(name) + "=";
    const auto found =
        std::find_if(environment.begin(), environment.end(),
                     [&prefix](const std::string& entry) { return entry.starts_with(prefix); });
    if (found == environment.end()) {
      return wrong("needs the variable " + std::string(name) + ", which is not set");
    }
    out.append(found->substr(prefix.size()));
    if (out.size() > kMaxMcpConfigBytes) {
      return wrong("is too long after its variables are replaced");
    }
    text.remove_prefix(end + 1);
  }
  return out;
}

Result<Pairs> read_pairs(const boost::json::object& server, std::string_view member,
                         const Environment& environment) {
  Pairs out;
  const boost::json::value* value = server.if_contains(member);
  if (value == nullptr || value->is_null()) return out;
  if (!value->is_object()) {
    return wrong(std::string(member) + " must be an object whose values are strings");
  }
  for (const auto& entry : value->get_object()) {
    const std::string name(entry.key());
    if (!entry.value().is_string())
      return wrong(std::string(member) + "." + name + " must be a string");
    auto text = expand(std::string_view(entry.value().get_string()), environment);
    if (!text) return wrong(std::string(member) + "." + name + " " + text.error().message);
    out.emplace_back(name, std::move(*text));
  }
  return out;
}

Result<std::vector<std::string>> read_args(const boost::json::object& server) {
  std::vector<std::string> out;
  const boost::json::value* args = server.if_contains("args");
  if (args == nullptr || args->is_null()) return out;
  if (!args->is_array()) return wrong("args must be a list of strings");
  for (const boost::json::value& arg : args->get_array()) {
    if (!arg.is_string()) return wrong("args must be a list of strings");
    out.emplace_back(arg.get_string());
  }
  return out;
}

// Arguments and variables of a program end at a NUL character.
bool is_startable(const McpServerConfig& config) {
  const auto is_cut = [](const auto& pair) {
    return core::has_nul(pair.first) || core::has_nul(pair.second);
  };
  return !core::has_nul(config.command) &&
         std::none_of(config.args.begin(), config.args.end(), core::has_nul) &&
         std::none_of(config.env.begin(), config.env.end(), is_cut);
}

// std::nullopt for a disabled server.
Result<std::optional<McpServerConfig>> read_server(std::string name,
                                                   const boost::json::value& value,
                                                   const Environment& environment) {
  if (name.empty() || name.size() > kMaxServerNameBytes)
    return wrong("has a name that is too long");
  if (!value.is_object()) return wrong("must be an object");
  const boost::json::object& server = value.get_object();
  if (const boost::json::value* disabled = server.if_contains("disabled")) {
    if (!disabled->is_bool()) return wrong("disabled must be true or false");
    if (disabled->get_bool()) return std::nullopt;
  }
  McpServerConfig config;
  config.name = std::move(name);
  config.command = core::string_member(server, "command");
  config.url = core::string_member(server, "url");
  if (config.command.empty() == config.url.empty()) return wrong("needs either command or url");
  PARLEY_TRY(auto args, read_args(server));
  PARLEY_TRY(auto env, read_pairs(server, "env", environment));
  PARLEY_TRY(auto headers, read_pairs(server, "headers", environment));
  config.args = std::move(args);
  config.env = std::move(env);
  config.headers = std::move(headers);
  if (!is_startable(config)) return wrong("has a NUL character in command, args or env");
  return config;
}

}  // namespace

Result<McpConfig> read_mcp_config(std::string_view text, const Environment& environment) {
  boost::json::error_code error;
  const boost::json::value root = boost::json::parse(text, error);
  if (error) return wrong("it is not JSON: " + error.message());
  const boost::json::object* object = root.if_object();
  const boost::json::value* servers =
      object == nullptr ? nullptr : object->if_contains("mcpServers");
  if (servers == nullptr || !servers->is_object()) return wrong("it has no object mcpServers");
  if (servers->get_object().size() > kMaxMcpServers) return wrong("it has more than 64 servers");
  McpConfig config;
  for (const auto& entry : servers->get_object()) {
    const std::string name(entry.key());
    auto server = read_server(name, entry.value(), environment);
    if (!server) {
      config.faults.push_back("MCP server " + name + " is left out: it " + server.error().message +
                              ".");
    } else if (*server) {
      config.servers.push_back(std::move(**server));
    }
  }
  std::sort(config.servers.begin(), config.servers.end(),
            [](const McpServerConfig& a, const McpServerConfig& b) { return a.name < b.name; });
  return config;
}

std::string mcp_config_digest(const McpServerConfig& server, std::string_view folder) {
  // The length of each part keeps "a" and "bc" apart from "ab" and "c".
  std::string text;
  const auto add = [&text](std::string_view part) {
    text.append(std::to_string(part.size())).append(":").append(part);
  };
  add(server.command);
  add(server.url);
  add(folder);
  add(std::to_string(server.args.size()));
  for (const std::string& arg : server.args) add(arg);
  for (const auto& [name, value] : server.env) {
    add(name);
    add(value);
  }
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  return core::hex_of_digest(digest, kDigestBytes);
}

std::string mcp_config_below(const std::string& folder) {
  return (fs::path(folder) / ".loom" / "mcp.json").string();
}

std::optional<std::string> find_mcp_config(const McpPlaces& places) {
  if (!places.named.empty()) return places.named;
  if (!places.variable.empty()) return places.variable;
  for (const std::string* folder : {&places.working_folder, &places.home}) {
    if (folder->empty()) continue;
    std::string path = mcp_config_below(*folder);
    std::error_code error;
    if (fs::exists(path, error)) return path;
  }
  return std::nullopt;
}

Result<McpConfig> load_mcp_config(const std::string& path, const Environment& environment) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    return core::fail(Code::not_found, "There is no file " + path + ".");
  }
  std::ifstream file(path, std::ios::binary);
  // Limits the bytes read, not the reported size: some files report zero.
  std::string text(kMaxMcpConfigBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad()) {
    return core::fail(Code::not_found, "The file " + path + " cannot be read.");
  }
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > kMaxMcpConfigBytes) return wrong(path + " is larger than 1 MiB.");
  auto config = read_mcp_config(text, environment);
  if (!config) return wrong(path + " cannot be used: " + config.error().message + ".");
  return config;
}

}  // namespace parley::tool
