// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <string>
#include <utility>

#include "base/core/json_writer.h"
#include "base/core/private_files.h"
#include "base/core/result.h"
#include "runtime/tool/arguments.h"
#include "runtime/tool/file/file_access.h"
#include "runtime/tool/file/file_changes.h"
#include "runtime/tool/file/file_tool.h"
#include "runtime/tool/file/session_folder.h"

namespace parley::tool {
namespace {

using core::Code;
using core::fail;
using core::Result;

constexpr std::size_t kMaxTodoFileBytes = 1U << 20U;

// The session's file in the data folder.
Result<Place> todo_place(const FileCall& call, bool make) {
  const std::string folder = call.services.parts.data_folder + "/" + std::string(kTodoFolder);
  if (make) {
    PARLEY_TRY_VOID(core::make_private_folder(folder));
  }
  PARLEY_TRY(const Workspace workspace, Workspace::open(folder));
  return workspace.locate(session_file_name(call.owner, call.session_id) + ".json", LastLink::keep);
}

// "2 todos" (the number of open ones), and the list in the form for the model.
std::string shown(const boost::json::array& todos) {
  const auto open = std::count_if(todos.begin(), todos.end(), [](const boost::json::value& todo) {
    const boost::json::object* object = todo.if_object();
    return object != nullptr && text_argument(*object, "status") != "completed" &&
           text_argument(*object, "status") != "cancelled";
  });
  return std::to_string(open) + " todos\n" + boost::json::serialize(todos);
}

Result<std::string> todo_write(FileCall& call) {
  std::string text;
  core::JsonWriter json(text);
  json.begin_array();
  std::size_t number = 0;
  for (const boost::json::object* todo : objects_argument(call.arguments, "todos")) {
    ++number;
    std::string id(text_argument(*todo, "id"));
    if (id.empty()) id = std::to_string(number);
    json.begin_object();
    json.key("id").string(id);
    json.key("content").string(text_argument(*todo, "content"));
    json.key("status").string(text_argument(*todo, "status", "pending"));
    json.key("priority").string(text_argument(*todo, "priority", "medium"));
    json.end_object();
  }
  json.end_array();
  if (text.size() > kMaxTodoFileBytes) {
    return fail(Code::invalid_argument, "The todo list is too long.", "todos");
  }
  if (call.stop.stopped()) return fail(cancelled_error());
  PARLEY_TRY(const Place place, todo_place(call, true));
  FileChanges changes(call.services.parts.entropy);
  Result<void> done =
      changes.put(place, text, {.read = {}, .fresh = false, .mode = core::kPrivateFileMode});
  if (done) done = changes.commit();
  if (!done) return fail(done.error());
  boost::json::error_code error;
  const boost::json::value todos = boost::json::parse(text, error);
  return shown(todos.get_array());
}

Result<std::string> todo_read(FileCall& call) {
  const boost::json::array none;
  const Result<Place> place = todo_place(call, false);
  if (!place && place.error().code != Code::not_found) return fail(place.error());
  if (!place || !place->exists) return shown(none);
  PARLEY_TRY(const FileBytes text, read_whole(*place, kMaxTodoFileBytes, call.stop));
  boost::json::error_code error;
  const boost::json::value todos = boost::json::parse(text.bytes, error);
  if (error || !todos.is_array()) {
    return fail(Code::data_loss, "The todo list is damaged: write it again with todo_write.");
  }
  return shown(todos.get_array());
}

constexpr FileToolForm kTodoWrite = {
    "todo_write",
    "Writes the list of what is to be done in this conversation, in place of the one before. Keep "
    "it up to date in longer work: one entry in_progress at a time, completed when it is done.",
    R"({"type":"object","properties":{"todos":{"type":"array","maxItems":200,)"
    R"("description":"the whole list","items":{"type":"object","properties":{)"
    R"("id":{"type":"string","description":"counted if absent"},)"
    R"("content":{"type":"string","minLength":1,"description":"what is to be done"},)"
    R"("status":{"type":"string","enum":["pending","in_progress","completed","cancelled"],)"
    R"("description":"pending if absent"},)"
    R"("priority":{"type":"string","enum":["high","medium","low"],)"
    R"("description":"medium if absent"}},"required":["content"],)"
    R"("additionalProperties":false}}},"required":["todos"],"additionalProperties":false})",
    Approval::automatic, todo_write};

constexpr FileToolForm kTodoRead = {
    "todo_read", "Reads the list of what is to be done in this conversation.",
    R"({"type":"object","properties":{},"additionalProperties":false})", Approval::automatic,
    todo_read};

}  // namespace

void add_todo_tools(Toolbox& box, const std::shared_ptr<FileServices>& services) {
  box.add(make_file_tool(kTodoWrite, services));
  box.add(make_file_tool(kTodoRead, services));
}

}  // namespace parley::tool
