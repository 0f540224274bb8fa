// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/core/clock.h"
#include "base/core/result.h"
#include "base/sql/database.h"

namespace parley::front_end {

// Limit (Chats): workflows of a token. Reached: error.
inline constexpr std::size_t kMaxWorkflows = 1'000;  // per owner
// Limit (Chats): versions of a workflow. Reached: the oldest is deleted.
inline constexpr std::size_t kMaxVersions = 100;  // per workflow
// Limit of an owner's contents, including all versions.
// Limit (Chats): contents of all workflows of a token. Reached: error.
inline constexpr std::uint64_t kMaxWorkflowBytesOfOwner = 256U << 20U;
// Limit (Chats): shortest name of a workflow, in characters. Reached: error that names the field.
inline constexpr std::size_t kMinWorkflowName = 2;  // characters
// Limit (Chats): longest name of a workflow, in characters. Reached: error that names the field.
inline constexpr std::size_t kMaxWorkflowName = 100;
// Limit (Chats): description of a workflow. Reached: error that names the field.
inline constexpr std::size_t kMaxDescriptionBytes = 4U << 10U;
// Limit (Chats): id of a workflow's server. Reached: error that names the field.
inline constexpr std::size_t kMaxServerIdBytes = 64;
// Limit (Chats): summary of a workflow's version. Reached: error that names the field.
inline constexpr std::size_t kMaxSummaryBytes = 1U << 10U;
// Limit (Chats): session id of a workflow's version. Reached: error that names the field.
inline constexpr std::size_t kMaxSessionIdBytes = 128;
// Limit (Chats): contents in one list of workflows. Reached: `null` from there on.
inline constexpr std::size_t kListedContentBytes = 8U << 20U;  // limit of all contents in one list

// Checked text of a workflow, with its hash.
struct WorkflowContent {
  std::string text;
  std::string hash;  // sha256_hex() of the text
};
// Errors: `invalid_argument` (field "content"), as comfyui::Workflow::parse(). May take a few
// hundred milliseconds, so do not call it on a loop.
core::Result<WorkflowContent> check_workflow(std::string text);

struct SavedWorkflow {
  std::int64_t id = 0;
  std::string name;
  std::string description;
  std::string server;                  // id of a ComfyUI server; may be empty
  std::optional<std::string> content;  // std::nullopt: none is saved, or a list omits it
  std::string hash;                    // hash of the content; empty: none is saved
  std::int64_t created_at_ms = 0;
  std::int64_t updated_at_ms = 0;
};

// Changes the members that have a value. A new workflow needs a name.
struct WorkflowChange {
  std::optional<std::string> name;
  std::optional<std::string> description;
  std::optional<std::string> server;
};

struct SavedVersion {
  std::int64_t id = 0;
  std::int64_t workflow = 0;
  std::int64_t number = 0;             // from 1
  std::optional<std::int64_t> from;    // number of the version from which it was made
  std::optional<std::string> content;  // std::nullopt in a list
  std::string hash;
  std::string summary;
  std::string session;
  std::int64_t created_at_ms = 0;
};

struct NewVersion {
  WorkflowContent content;
  std::optional<std::int64_t> from;  // std::nullopt: the latest one
  std::string summary;
  std::string session;
};

// "v12" and back; std::nullopt for any other text.
std::string version_code(std::int64_t number);
std::optional<std::int64_t> version_number(std::string_view code);

// Workflows of each owner with their versions. A workflow of another owner is `not_found`. Used on
// the store's thread. Further errors: `invalid_argument` with the field of the REST form,
// `resource_exhausted` (kMaxWorkflows, kMaxWorkflowBytesOfOwner), those of sql::Database.
class WorkflowStore {
 public:
  // The database outlives the object.
  static std::unique_ptr<WorkflowStore> open(sql::Database& database, const core::Clock& clock);
  virtual ~WorkflowStore() = default;

  virtual core::Result<SavedWorkflow> add(const std::string& owner,
                                          const WorkflowChange& change) = 0;
  // Lists the workflows of one server, or all, the latest change first. Contents beyond
  // kListedContentBytes in total are omitted.
  virtual core::Result<std::vector<SavedWorkflow>> list(
      const std::string& owner, const std::optional<std::string>& server) = 0;
  virtual core::Result<SavedWorkflow> find(const std::string& owner, std::int64_t id) = 0;
  virtual core::Result<SavedWorkflow> change(const std::string& owner, std::int64_t id,
                                             const WorkflowChange& change) = 0;
  // Removes the workflow with its versions.
  virtual core::Result<void> remove(const std::string& owner, std::int64_t id) = 0;
  // Sets the content without making a version.
  virtual core::Result<SavedWorkflow> set_content(const std::string& owner, std::int64_t id,
                                                  const WorkflowContent& content) = 0;

  // Leaves the content of the workflow unchanged. Returns the latest version if its content is the
  // same. Beyond kMaxVersions the oldest version is removed.
  virtual core::Result<SavedVersion> add_version(const std::string& owner, std::int64_t id,
                                                 const NewVersion& change) = 0;
  // Newest first, without contents.
  virtual core::Result<std::vector<SavedVersion>> versions(const std::string& owner,
                                                           std::int64_t id) = 0;
  virtual core::Result<SavedVersion> version(const std::string& owner, std::int64_t id,
                                             std::int64_t number) = 0;
};

}  // namespace parley::front_end
