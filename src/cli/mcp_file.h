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

#include "core/file_descriptor.h"
#include "core/result.h"

namespace parley::app {

// What is said of one server. What is absent stays as it is.
struct McpServerEdit {
  std::vector<std::string> program;  // with its arguments; takes the place of an address
  std::string url;                   // takes the place of a program
  std::vector<std::string> env;      // "NAME=value", or "NAME" for the variable's own: "${NAME}"
  std::vector<std::string> headers;  // "NAME: value"
  std::vector<std::string> unset_env;
  std::vector<std::string> unset_headers;
};

// An mcp.json as it is edited (contract 3.2; runtime/tool/mcp/mcp_config.h says what is read of
// it). It is a tree, so members that are not known stay, in their order. One thread.
class McpFile {
 public:
  enum class Use : std::uint8_t {
    look,
    edit,    // others that edit wait until this object goes
    create,  // as edit; the folder is made if it is not there
  };
  // A file that is not there has no servers. Errors: `invalid_argument` (it is no mcp.json),
  // `permission_denied`.
  static core::Result<McpFile> open(const std::string& path, Use use);

  // Errors: `already_exists`, `invalid_argument` (the name, or what is said, cannot be used),
  // `resource_exhausted` (too many).
  core::Result<void> add(const std::string& name, const McpServerEdit& edit);
  // Errors: `not_found`, `invalid_argument`.
  core::Result<void> change(const std::string& name, const McpServerEdit& edit);
  core::Result<void> remove(const std::string& name);
  core::Result<void> enable(const std::string& name, bool on);

  // Puts the file in place of the old one: whoever reads it sees either. It keeps its rights; a new
  // one is its owner's alone, for it may hold secrets. Errors: `permission_denied`, `unavailable`.
  core::Result<void> save();

  bool is_there() const { return is_there_; }
  const std::string& path() const { return path_; }
  std::string text() const;
  const boost::json::object& servers() const;

 private:
  McpFile() = default;
  core::Result<boost::json::object*> find(const std::string& name);

  std::string path_;    // as it was named
  std::string target_;  // symlinks resolved
  bool is_there_ = false;
  unsigned mode_ = 0600;
  core::FileDescriptor lock_;  // of its folder
  boost::json::value root_;
};

// A server as it is shown: {name, enabled, type, command, args, env | url, headers}. Values of env
// and headers are "***" unless they only name a variable; so is what looks like a secret in
// arguments and in the URL.
boost::json::object shown_server(std::string_view name, const boost::json::value& server);

}  // namespace parley::app
