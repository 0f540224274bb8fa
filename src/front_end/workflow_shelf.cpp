// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "front_end/workflow_shelf.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "comfyui/workflow/workflow.h"
#include "core/utf8.h"
#include "front_end/digest.h"
#include "sql/transaction.h"

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
  return core::fail(
      Code::invalid_argument,
      "\"" + std::string(field) + "\" is UTF-8 of at most " + std::to_string(limit) + " bytes.",
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
                      "\"workflowName\" has " + std::to_string(kMinWorkflowName) + " to " +
                          std::to_string(kMaxWorkflowName) + " characters.",
                      "workflowName");
  }
  if (Result<void> fits = check_text(workflow.description, kMaxDescriptionBytes, "description");
      !fits) {
    return fits;
  }
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

}  // namespace

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

std::string version_code(std::int64_t number) { return "v" + std::to_string(number); }

std::optional<std::int64_t> version_number(std::string_view code) {
  if (!code.starts_with('v')) return std::nullopt;
  code.remove_prefix(1);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), number);
  if (error != std::errc() || end != code.data() + code.size() || number < 1) return std::nullopt;
  return number;
}

Result<SavedWorkflow> WorkflowShelf::add(const std::string& owner, const WorkflowChange& wish) {
  SavedWorkflow workflow;
  workflow.name = wish.name.value_or("");
  workflow.description = wish.description.value_or("");
  workflow.server = wish.server.value_or("");
  if (Result<void> good = check(workflow); !good) return core::fail(good.error());
  Result<Statement> count = database_.prepare("SELECT count(*) FROM workflows WHERE owner = ?1");
  if (!count) return core::fail(count.error());
  const Result<bool> counted = count->bind(1, owner).step();
  if (!counted) return core::fail(counted.error());
  if (count->number(0) >= kMaxWorkflows) {
    return core::fail(Code::resource_exhausted,
                      "There are " + std::to_string(kMaxWorkflows) +
                          " workflows, which is the most. Delete some first.");
  }
  count->reset();
  Result<Statement> insert = database_.prepare(
      "INSERT INTO workflows (owner, name, description, server, created_at, updated_at) "
      "VALUES (?1, ?2, ?3, ?4, ?5, ?5) RETURNING id");
  if (!insert) return core::fail(insert.error());
  const Result<bool> row = insert->bind(1, owner)
                               .bind(2, workflow.name)
                               .bind(3, workflow.description)
                               .bind(4, workflow.server)
                               .bind(5, core::to_unix_ms(clock_.wall()))
                               .step();
  if (!row) return core::fail(row.error());
  const std::int64_t id = insert->integer(0);
  if (const Result<bool> end = insert->step(); !end) return core::fail(end.error());
  return find(owner, id);
}

Result<std::vector<SavedWorkflow>> WorkflowShelf::list(const std::string& owner,
                                                       const std::optional<std::string>& server) {
  Result<Statement> query = database_.prepare(
      select(kWorkflowColumns, "workflows",
             "WHERE owner = ?1 AND (?2 IS NULL OR server = ?2) ORDER BY updated_at DESC, id DESC"));
  if (!query) return core::fail(query.error());
  query->bind(1, owner);
  if (server) {
    query->bind(2, *server);
  } else {
    query->bind_null(2);
  }
  std::vector<SavedWorkflow> out;
  std::uint64_t room = kListedContentBytes;
  while (true) {
    const Result<bool> row = query->step();
    if (!row) return core::fail(row.error());
    if (!*row) return out;
    out.push_back(workflow_of(*query));
    const std::uint64_t size = query->number(8);
    if (size > room) {
      out.back().content.reset();
    } else {
      room -= size;
    }
  }
}

Result<SavedWorkflow> WorkflowShelf::find(const std::string& owner, std::int64_t id) {
  Result<Statement> query =
      database_.prepare(select(kWorkflowColumns, "workflows", "WHERE owner = ?1 AND id = ?2"));
  if (!query) return core::fail(query.error());
  const Result<bool> row = query->bind(1, owner).bind(2, id).step();
  if (!row) return core::fail(row.error());
  if (!*row) return no_workflow();
  return workflow_of(*query);
}

Result<SavedWorkflow> WorkflowShelf::change(const std::string& owner, std::int64_t id,
                                            const WorkflowChange& wish) {
  Result<SavedWorkflow> workflow = find(owner, id);
  if (!workflow) return workflow;
  workflow->name = wish.name.value_or(workflow->name);
  workflow->description = wish.description.value_or(workflow->description);
  workflow->server = wish.server.value_or(workflow->server);
  if (Result<void> good = check(*workflow); !good) return core::fail(good.error());
  Result<Statement> update = database_.prepare(
      "UPDATE workflows SET name = ?1, description = ?2, server = ?3, updated_at = ?4 "
      "WHERE id = ?5");
  if (!update) return core::fail(update.error());
  workflow->updated_at_ms = core::to_unix_ms(clock_.wall());
  const Result<void> done = update->bind(1, workflow->name)
                                .bind(2, workflow->description)
                                .bind(3, workflow->server)
                                .bind(4, workflow->updated_at_ms)
                                .bind(5, id)
                                .run();
  if (!done) return core::fail(done.error());
  return workflow;
}

Result<void> WorkflowShelf::remove(const std::string& owner, std::int64_t id) {
  if (const Result<SavedWorkflow> there = find(owner, id); !there) {
    return core::fail(there.error());
  }
  Result<sql::Transaction> transaction = sql::Transaction::begin(database_);
  if (!transaction) return core::fail(transaction.error());
  for (const char* sql :
       {"DELETE FROM versions WHERE workflow = ?1", "DELETE FROM workflows WHERE id = ?1"}) {
    Result<Statement> remove = database_.prepare(sql);
    if (!remove) return core::fail(remove.error());
    if (Result<void> done = remove->bind(1, id).run(); !done) return done;
  }
  return transaction->commit();
}

// `less`: bytes of the content that is replaced.
Result<void> WorkflowShelf::check_room(const std::string& owner, std::size_t more,
                                       std::size_t less) {
  Result<Statement> sum = database_.prepare(
      "SELECT (SELECT coalesce(sum(size), 0) FROM workflows WHERE owner = ?1) + "
      "(SELECT coalesce(sum(size), 0) FROM versions WHERE owner = ?1)");
  if (!sum) return core::fail(sum.error());
  const Result<bool> row = sum->bind(1, owner).step();
  if (!row) return core::fail(row.error());
  if (sum->number(0) + more <= kMaxWorkflowBytesOfOwner + less) return {};
  return core::fail(Code::resource_exhausted,
                    "Your workflows and their versions hold " +
                        std::to_string(kMaxWorkflowBytesOfOwner >> 20U) +
                        " MiB, which is the most. Delete some first.",
                    "content");
}

Result<SavedWorkflow> WorkflowShelf::set_content(const std::string& owner, std::int64_t id,
                                                 const WorkflowContent& content) {
  Result<SavedWorkflow> workflow = find(owner, id);
  if (!workflow) return workflow;
  const std::size_t less = workflow->content ? workflow->content->size() : 0;
  if (Result<void> room = check_room(owner, content.text.size(), less); !room) {
    return core::fail(room.error());
  }
  Result<Statement> update = database_.prepare(
      "UPDATE workflows SET content = ?1, hash = ?2, size = ?3, updated_at = ?4 WHERE id = ?5");
  if (!update) return core::fail(update.error());
  workflow->updated_at_ms = core::to_unix_ms(clock_.wall());
  const Result<void> done = update->bind(1, content.text)
                                .bind(2, content.hash)
                                .bind(3, std::uint64_t{content.text.size()})
                                .bind(4, workflow->updated_at_ms)
                                .bind(5, id)
                                .run();
  if (!done) return core::fail(done.error());
  workflow->content = content.text;
  workflow->hash = content.hash;
  return workflow;
}

// --- versions ------------------------------------------------------------------------------------

// Number of the latest version; 0: there is none.
Result<std::int64_t> WorkflowShelf::latest(std::int64_t id) {
  Result<Statement> query =
      database_.prepare("SELECT coalesce(max(number), 0) FROM versions WHERE workflow = ?1");
  if (!query) return core::fail(query.error());
  const Result<bool> row = query->bind(1, id).step();
  if (!row) return core::fail(row.error());
  return query->integer(0);
}

Result<SavedVersion> WorkflowShelf::add_version(const std::string& owner, std::int64_t id,
                                                const NewVersion& wish) {
  if (const Result<SavedWorkflow> there = find(owner, id); !there) {
    return core::fail(there.error());
  }
  for (const Result<void>& good : {check_text(wish.summary, kMaxSummaryBytes, "changeSummary"),
                                   check_text(wish.session, kMaxSessionIdBytes, "sessionId")}) {
    if (!good) return core::fail(good.error());
  }
  const Result<std::int64_t> last = latest(id);
  if (!last) return core::fail(last.error());
  std::optional<std::int64_t> from = wish.from;
  if (from && !version(owner, id, *from)) return no_version("fromVersionCode");
  if (*last > 0) {
    Result<SavedVersion> before = version(owner, id, *last);
    if (!before || before->hash == wish.content.hash) return before;
    if (!from) from = *last;
  }
  Result<sql::Transaction> transaction = sql::Transaction::begin(database_);
  if (!transaction) return core::fail(transaction.error());
  if (Result<void> done = insert_version(owner, id, wish, *last + 1, from); !done) {
    return core::fail(done.error());
  }
  if (Result<void> done = transaction->commit(); !done) return core::fail(done.error());
  return version(owner, id, *last + 1);
}

Result<void> WorkflowShelf::insert_version(const std::string& owner, std::int64_t id,
                                           const NewVersion& wish, std::int64_t number,
                                           std::optional<std::int64_t> from) {
  Result<Statement> remove =
      database_.prepare("DELETE FROM versions WHERE workflow = ?1 AND number <= ?2");
  if (!remove) return core::fail(remove.error());
  const std::int64_t gone = number - static_cast<std::int64_t>(kMaxVersions);
  if (Result<void> done = remove->bind(1, id).bind(2, gone).run(); !done) return done;
  if (Result<void> room = check_room(owner, wish.content.text.size(), 0); !room) return room;
  Result<Statement> insert = database_.prepare(
      "INSERT INTO versions (workflow, owner, number, from_number, hash, summary, session, "
      "created_at, size, content) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
  if (!insert) return core::fail(insert.error());
  insert->bind(1, id).bind(2, owner).bind(3, number).bind_null(4);
  if (from) insert->bind(4, *from);
  return insert->bind(5, wish.content.hash)
      .bind(6, wish.summary)
      .bind(7, wish.session)
      .bind(8, core::to_unix_ms(clock_.wall()))
      .bind(9, std::uint64_t{wish.content.text.size()})
      .bind(10, wish.content.text)
      .run();
}

Result<std::vector<SavedVersion>> WorkflowShelf::versions(const std::string& owner,
                                                          std::int64_t id) {
  if (const Result<SavedWorkflow> there = find(owner, id); !there) {
    return core::fail(there.error());
  }
  Result<Statement> query = database_.prepare(
      select(kVersionColumns, "versions", "WHERE workflow = ?1 ORDER BY number DESC"));
  if (!query) return core::fail(query.error());
  query->bind(1, id);
  std::vector<SavedVersion> out;
  while (true) {
    const Result<bool> row = query->step();
    if (!row) return core::fail(row.error());
    if (!*row) return out;
    out.push_back(version_of(*query));
  }
}

Result<SavedVersion> WorkflowShelf::version(const std::string& owner, std::int64_t id,
                                            std::int64_t number) {
  Result<Statement> query =
      database_.prepare(select(std::string(kVersionColumns) + ", content", "versions",
                               "WHERE owner = ?1 AND workflow = ?2 AND number = ?3"));
  if (!query) return core::fail(query.error());
  const Result<bool> row = query->bind(1, owner).bind(2, id).bind(3, number).step();
  if (!row) return core::fail(row.error());
  if (!*row) return no_version("versionCode");
  SavedVersion out = version_of(*query);
  out.content = std::string(query->text(8));
  return out;
}

}  // namespace parley::front_end
