// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/front_end/workflow_store.h"

#include <algorithm>
#include <utility>

#include "base/core/number_text.h"
#include "base/core/result.h"
#include "base/core/utf8.h"
#include "base/sql/transaction.h"
#include "runtime/comfyui/workflow/workflow.h"
#include "services/front_end/digest.h"

namespace parley::front_end {
namespace {

using core::Code;
using core::Result;
using sql::Statement;

constexpr std::string_view kWorkflowColumns =
    "id, name, description, server, content, hash, created_at, updated_at, size";
constexpr std::string_view kVersionColumns =
    "id, workflow, number, from_number, hash, summary, session, created_at";

tl::unexpected<core::Error> no_workflow() {
  return core::fail(Code::not_found, "There is no such workflow.", "id");
}
tl::unexpected<core::Error> no_version(std::string_view field) {
  return core::fail(Code::not_found, "The workflow has no such version.", std::string(field));
}

Result<void> check_text(std::string_view text, std::size_t limit, const char* field) {
  if (text.size() <= limit && core::is_utf8(text)) return {};
  return core::fail(Code::invalid_argument,
                    "\"" + std::string(field) + "\" must be UTF-8 of at most " +
                        std::to_string(limit) + " bytes.",
                    field);
}

std::size_t count_characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  }));
}

Result<void> check(const SavedWorkflow& workflow) {
  const std::size_t characters = count_characters(workflow.name);
  if (!core::is_utf8(workflow.name) || characters < kMinWorkflowName ||
      characters > kMaxWorkflowName) {
    return core::fail(Code::invalid_argument,
                      "\"workflowName\" must have " + std::to_string(kMinWorkflowName) + " to " +
                          std::to_string(kMaxWorkflowName) + " characters.",
                      "workflowName");
  }
  PARLEY_TRY_VOID(check_text(workflow.description, kMaxDescriptionBytes, "description"));
  return check_text(workflow.server, kMaxServerIdBytes, "comfyuiServerId");
}

SavedWorkflow workflow_of(const Statement& row) {
  SavedWorkflow out;
  out.id = row.integer(0);
  out.name = row.text(1);
  out.description = row.text(2);
  out.server = row.text(3);
  if (!row.is_null(4)) out.content = std::string(row.text(4));
  out.hash = row.text(5);
  out.created_at_ms = row.integer(6);
  out.updated_at_ms = row.integer(7);
  return out;
}

SavedVersion version_of(const Statement& row) {
  SavedVersion out;
  out.id = row.integer(0);
  out.workflow = row.integer(1);
  out.number = row.integer(2);
  if (!row.is_null(3)) out.from = row.integer(3);
  out.hash = row.text(4);
  out.summary = row.text(5);
  out.session = row.text(6);
  out.created_at_ms = row.integer(7);
  return out;
}

std::string select(std::string_view columns, std::string_view table, std::string_view rest) {
  return "SELECT " + std::string(columns) + " FROM " + std::string(table) + " " + std::string(rest);
}

class SqlWorkflowStore final : public WorkflowStore {
 public:
  SqlWorkflowStore(sql::Database& database, const core::Clock& clock)
      : database_(database), clock_(clock) {}

  Result<SavedWorkflow> add(const std::string& owner, const WorkflowChange& change) override {
    SavedWorkflow workflow;
    workflow.name = change.name.value_or("");
    workflow.description = change.description.value_or("");
    workflow.server = change.server.value_or("");
    PARLEY_TRY_VOID(check(workflow));
    PARLEY_TRY(const std::uint64_t count,
               database_.count("SELECT count(*) FROM workflows WHERE owner = ?1", owner));
    if (count >= kMaxWorkflows) {
      return core::fail(Code::resource_exhausted, "The limit of " + std::to_string(kMaxWorkflows) +
                                                      " workflows is reached. Delete some first.");
    }
    PARLEY_TRY(
        const std::int64_t id,
        database_.integer(
            "INSERT INTO workflows (owner, name, description, server, created_at, updated_at) "
            "VALUES (?1, ?2, ?3, ?4, ?5, ?5) RETURNING id",
            owner, workflow.name, workflow.description, workflow.server, clock_.wall()));
    return find(owner, id);
  }

  Result<std::vector<SavedWorkflow>> list(const std::string& owner,
                                          const std::optional<std::string>& server) override {
    std::uint64_t room = kListedContentBytes;
    return database_.rows(
        select(
            kWorkflowColumns, "workflows",
            "WHERE owner = ?1 AND (?2 IS NULL OR server = ?2) ORDER BY updated_at DESC, id DESC"),
        [&room](const Statement& row) {
          SavedWorkflow workflow = workflow_of(row);
          const std::uint64_t size = row.number(8);
          if (size > room) {
            workflow.content.reset();
          } else {
            room -= size;
          }
          return workflow;
        },
        owner, server);
  }

  Result<SavedWorkflow> find(const std::string& owner, std::int64_t id) override {
    PARLEY_TRY(
        std::optional<SavedWorkflow> found,
        database_.first(select(kWorkflowColumns, "workflows", "WHERE owner = ?1 AND id = ?2"),
                        workflow_of, owner, id));
    if (!found) return no_workflow();
    return std::move(*found);
  }

  Result<SavedWorkflow> change(const std::string& owner, std::int64_t id,
                               const WorkflowChange& change) override {
    Result<SavedWorkflow> workflow = find(owner, id);
    if (!workflow) return workflow;
    workflow->name = change.name.value_or(workflow->name);
    workflow->description = change.description.value_or(workflow->description);
    workflow->server = change.server.value_or(workflow->server);
    PARLEY_TRY_VOID(check(*workflow));
    workflow->updated_at_ms = core::to_unix_ms(clock_.wall());
    PARLEY_TRY_VOID(database_.run(
        "UPDATE workflows SET name = ?1, description = ?2, server = ?3, updated_at = ?4 "
        "WHERE id = ?5",
        workflow->name, workflow->description, workflow->server, workflow->updated_at_ms, id));
    return workflow;
  }

  Result<void> remove(const std::string& owner, std::int64_t id) override {
    PARLEY_TRY_VOID(find(owner, id));
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
    for (const char* sql :
         {"DELETE FROM versions WHERE workflow = ?1", "DELETE FROM workflows WHERE id = ?1"}) {
      PARLEY_TRY_VOID(database_.run(sql, id));
    }
    return transaction.commit();
  }

  Result<SavedWorkflow> set_content(const std::string& owner, std::int64_t id,
                                    const WorkflowContent& content) override {
    Result<SavedWorkflow> workflow = find(owner, id);
    if (!workflow) return workflow;
    const std::size_t less = workflow->content ? workflow->content->size() : 0;
    PARLEY_TRY_VOID(check_room(owner, content.text.size(), less));
    workflow->updated_at_ms = core::to_unix_ms(clock_.wall());
    PARLEY_TRY_VOID(database_.run(
        "UPDATE workflows SET content = ?1, hash = ?2, size = ?3, updated_at = ?4 WHERE id = ?5",
        content.text, content.hash, content.text.size(), workflow->updated_at_ms, id));
    workflow->content = content.text;
    workflow->hash = content.hash;
    return workflow;
  }

  Result<SavedVersion> add_version(const std::string& owner, std::int64_t id,
                                   const NewVersion& change) override {
    PARLEY_TRY_VOID(find(owner, id));
    for (const Result<void>& good : {check_text(change.summary, kMaxSummaryBytes, "changeSummary"),
                                     check_text(change.session, kMaxSessionIdBytes, "sessionId")}) {
      if (!good) return core::fail(good.error());
    }
    PARLEY_TRY(const std::int64_t last, latest(id));
    std::optional<std::int64_t> from = change.from;
    if (from && !version(owner, id, *from)) return no_version("fromVersionCode");
    if (last > 0) {
      Result<SavedVersion> before = version(owner, id, last);
      if (!before || before->hash == change.content.hash) return before;
      if (!from) from = last;
    }
    PARLEY_TRY(sql::Transaction transaction, sql::Transaction::begin(database_));
    PARLEY_TRY_VOID(insert_version(owner, id, change, last + 1, from));
    PARLEY_TRY_VOID(transaction.commit());
    return version(owner, id, last + 1);
  }

  Result<std::vector<SavedVersion>> versions(const std::string& owner, std::int64_t id) override {
    PARLEY_TRY_VOID(find(owner, id));
    return database_.rows(
        select(kVersionColumns, "versions", "WHERE workflow = ?1 ORDER BY number DESC"), version_of,
        id);
  }

  Result<SavedVersion> version(const std::string& owner, std::int64_t id,
                               std::int64_t number) override {
    Result<std::optional<SavedVersion>> found = database_.first(
        select(std::string(kVersionColumns) + ", content", "versions",
               "WHERE owner = ?1 AND workflow = ?2 AND number = ?3"),
        [](const Statement& row) {
          SavedVersion version = version_of(row);
          version.content = row.string(8);
          return version;
        },
        owner, id, number);
    if (!found) return core::fail(std::move(found.error()));
    if (!*found) return no_version("versionCode");
    return std::move(**found);
  }

 private:
  // `less`: bytes of the content that is replaced.
  Result<void> check_room(const std::string& owner, std::size_t more, std::size_t less) {
    PARLEY_TRY(
        const std::uint64_t sum,
        database_.count("SELECT (SELECT coalesce(sum(size), 0) FROM workflows WHERE owner = ?1) + "
                        "(SELECT coalesce(sum(size), 0) FROM versions WHERE owner = ?1)",
                        owner));
    if (sum + more <= kMaxWorkflowBytesOfOwner + less) return {};
    return core::fail(Code::resource_exhausted,
                      "Your workflows and their versions have reached the limit of " +
                          std::to_string(kMaxWorkflowBytesOfOwner >> 20U) +
                          " MiB. Delete some first.",
                      "content");
  }

  // Number of the latest version; 0: there is none.
  Result<std::int64_t> latest(std::int64_t id) {
    return database_.integer("SELECT coalesce(max(number), 0) FROM versions WHERE workflow = ?1",
                             id);
  }

  Result<void> insert_version(const std::string& owner, std::int64_t id, const NewVersion& change,
                              std::int64_t number, std::optional<std::int64_t> from) {
    Result<void> done = database_.run("DELETE FROM versions WHERE workflow = ?1 AND number <= ?2",
                                      id, number - static_cast<std::int64_t>(kMaxVersions));
    if (done) done = check_room(owner, change.content.text.size(), 0);
    if (!done) return done;
    return database_.run(
        "INSERT INTO versions (workflow, owner, number, from_number, hash, summary, session, "
        "created_at, size, content) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        id, owner, number, from, change.content.hash, change.summary, change.session, clock_.wall(),
        change.content.text.size(), change.content.text);
  }

  sql::Database& database_;
  const core::Clock& clock_;
};

}  // namespace

std::optional<std::int64_t> version_number(std::string_view code) {
  if (!code.starts_with('v')) return std::nullopt;
  code.remove_prefix(1);
  const auto number = core::parse_number<std::int64_t>(code);
  return number && *number >= 1 ? number : std::nullopt;
}

std::string version_code(std::int64_t number) { return "v" + std::to_string(number); }

Result<WorkflowContent> check_workflow(std::string text) {
  if (auto read = comfyui::Workflow::parse(text); !read) {
    core::Error error = std::move(read.error());
    error.code = Code::invalid_argument;
    error.field = "content";
    return core::fail(std::move(error));
  }
  std::string hash = sha256_hex(text);
  return WorkflowContent{std::move(text), std::move(hash)};
}

std::unique_ptr<WorkflowStore> WorkflowStore::open(sql::Database& database,
                                                   const core::Clock& clock) {
  return std::make_unique<SqlWorkflowStore>(database, clock);
}

}  // namespace parley::front_end
