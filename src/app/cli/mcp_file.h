// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/core/file_descriptor.h"
#include "base/core/result.h"

namespace parley::app {

// Changes to one server. Absent members stay as they are.
struct McpServerEdit {
  std::vector<std::string> program;  // program and its arguments; replaces a URL
  std::string url;                   // replaces the program
  // "NAME=value", or "NAME", which is stored as a reference to the variable: "${NAME}".
  std::vector<std::string> env;
  std::vector<std::string> headers;  // "NAME: value"
  std::vector<std::string> unset_env;
  std::vector<std::string> unset_headers;
};

// An mcp.json for editing (contract 3.2; runtime/tool/mcp/mcp_config.h describes how servers read
// it). Unknown members and the order of members are kept. Used on one thread.
class McpFile {
 public:
  enum class Use : std::uint8_t {
    look,
    edit,    // locks out other editors until destruction
    create,  // as edit; creates the folder if it is missing
  };
  // A missing file has no servers. Errors: `invalid_argument` (not an mcp.json),
  // `permission_denied`.
  static core::Result<McpFile> open(const std::string& path, Use use);

  // Errors: `already_exists`, `invalid_argument` (the name or a value cannot be used),
  // `resource_exhausted` (too many).
  core::Result<void> add(const std::string& name, const McpServerEdit& edit);
  // Errors: `not_found`, `invalid_argument`.
  core::Result<void> change(const std::string& name, const McpServerEdit& edit);
  core::Result<void> remove(const std::string& name);
  core::Result<void> enable(const std::string& name, bool on);

  // Replaces the file atomically. An existing file keeps its permissions; a new one is readable by
  // its owner only, because it may contain secrets. Errors: `permission_denied`, `unavailable`.
  core::Result<void> save();

  bool is_there() const { return is_there_; }
  const std::string& path() const { return path_; }
  std::string text() const;
  const boost::json::object& servers() const;

 private:
  McpFile() = default;
  core::Result<boost::json::object*> find(const std::string& name);

  std::string path_;    // as named by the caller
  std::string target_;  // symlinks resolved
  bool is_there_ = false;
  unsigned mode_ = 0600;
  core::FileDescriptor lock_;  // lock on the folder of the file
  boost::json::value root_;
};

// A server in printed form: {name, enabled, type, command, args, env | url, headers}. Values of
// env and headers are "***" unless they only refer to a variable; so is any apparent secret in
// arguments and in the URL.
boost::json::object shown_server(std::string_view name, const boost::json::value& server);

}  // namespace parley::app
