// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>

#include <cerrno>
#include <string>
#include <vector>

#include "base/core/result.h"
#include "base/core/utf8_repair.h"
#include "runtime/tool/arguments.h"
#include "runtime/tool/file/file_access.h"
#include "runtime/tool/file/file_changes.h"
#include "runtime/tool/file/file_tool.h"
#include "runtime/tool/file/text_edit.h"
#include "runtime/tool/plain_text.h"

namespace parley::tool {
namespace {

using core::Code;
using core::fail;
using core::Result;

PathLocks::Held lock_place(FileCall& call, const Workspace& workspace, const Place& place) {
  return {call.services.locks, {workspace.root() + "/" + place.path}};
}

std::string counted(std::size_t count, std::string_view thing) {
  return std::to_string(count) + " " + std::string(thing) + (count == 1 ? "" : "s");
}

// Appends to an existing file. After a failed write, the part that was written is removed again.
Result<void> append_to(const Place& place, std::string_view content) {
  if (Result<void> file = require_file(place); !file) return file;
  const core::FileDescriptor fd(
      ::openat(place.folder.get(), place.name.c_str(),
               O_WRONLY | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return fail(system_error(errno, place.path));
  struct stat status = {};
  if (::fstat(fd.get(), &status) != 0) return fail(system_error(errno, place.path));
  if (!S_ISREG(status.st_mode)) return fail(system_error(ELOOP, place.path));
  Result<void> written = write_all(fd.get(), content, place.path);
  if (written && ::fdatasync(fd.get()) != 0) written = fail(system_error(errno, place.path));
  if (!written && ::ftruncate(fd.get(), status.st_size) != 0) {
    core::Error error = written.error();
    error.message += " (A part was written.)";
    return fail(std::move(error));
  }
  return written;
}

Result<std::string> write_file(FileCall& call) {
  PARLEY_TRY(const Workspace workspace, call.workspace());
  const std::string_view content = call.text("content");
  PARLEY_TRY(Place place, workspace.locate(call.text("path")));
  const PathLocks::Held held = lock_place(call, workspace, place);
  if (call.stop.stopped()) return fail(cancelled_error());
  const std::string size = counted(content.size(), "byte");
  const std::string path = core::repaired_utf8(place.path);
  if (flag_argument(call.arguments, "append") && place.exists) {
    PARLEY_TRY_VOID(append_to(place, content));
    return "ok: appended " + size + " to " + path;
  }
  FileChanges changes(call.services.parts.entropy);
  Result<void> done = changes.put(place, content, {});
  if (done) done = changes.commit();
  if (!done) return fail(done.error());
  return "ok: wrote " + size + " to " + path + (place.exists ? "" : " (a new file)");
}

struct Target {
  Place place;
  FileBytes before;
};

Result<Target> read_target(FileCall& call, const Workspace& workspace) {
  PARLEY_TRY(Place place, workspace.locate(call.text("path")));
  PARLEY_TRY(FileBytes before, read_whole(place, kMaxWholeFileBytes, call.stop));
  if (looks_binary(before.bytes)) {
    return fail(Code::invalid_argument, "This is a binary file: " + core::repaired_utf8(place.path),
                "path");
  }
  return Target{std::move(place), std::move(before)};
}

Result<void> replace_content(FileCall& call, const Target& target, std::string_view content) {
  FileChanges changes(call.services.parts.entropy);
  FileChanges::PutOptions options;
  options.read = target.before.stamp;
  if (Result<void> prepared = changes.put(target.place, content, options); !prepared) {
    return prepared;
  }
  if (call.stop.stopped()) return fail(cancelled_error());
  return changes.commit();
}

TextEdit edit_of(const boost::json::object& arguments) {
  return {text_argument(arguments, "oldString"), text_argument(arguments, "newString"),
          flag_argument(arguments, "replaceAll")};
}

Result<std::string> edit(FileCall& call) {
  PARLEY_TRY(const Workspace workspace, call.workspace());
  PARLEY_TRY(const Place place, workspace.locate(call.text("path")));
  const PathLocks::Held held = lock_place(call, workspace, place);
  PARLEY_TRY(const Target target, read_target(call, workspace));
  PARLEY_TRY(const Edited edited,
             apply_edit(target.before.bytes, edit_of(call.arguments), kMaxWholeFileBytes));
  PARLEY_TRY_VOID(replace_content(call, target, edited.text));
  return "Replaced " + counted(edited.count, "occurrence") + " in " +
         core::repaired_utf8(target.place.path) + " (line " + std::to_string(edited.lines.front()) +
         (edited.count > 1 ? " and on)." : ").");
}

Result<std::string> multiedit(FileCall& call) {
  PARLEY_TRY(const Workspace workspace, call.workspace());
  PARLEY_TRY(const Place place, workspace.locate(call.text("path")));
  const PathLocks::Held held = lock_place(call, workspace, place);
  PARLEY_TRY(const Target target, read_target(call, workspace));
  std::string text = target.before.bytes;
  std::size_t count = 0;
  std::size_t index = 0;
  for (const boost::json::object* one : objects_argument(call.arguments, "edits")) {
    if (call.stop.stopped()) return fail(cancelled_error());
    Result<Edited> edited = apply_edit(text, edit_of(*one), kMaxWholeFileBytes);
    if (!edited) {
      return fail(edited.error().code, "edits[" + std::to_string(index) + "]: " +
                                           edited.error().message + " Nothing was changed.");
    }
    text = std::move(edited->text);
    count += edited->count;
    ++index;
  }
  if (index == 0) return fail(Code::invalid_argument, "There are no edits.", "edits");
  PARLEY_TRY_VOID(replace_content(call, target, text));
  return "Made " + counted(index, "edit") + " (" + counted(count, "replacement") + ") in " +
         core::repaired_utf8(target.place.path) + ".";
}

constexpr FileToolForm kWriteFile = {
    "write_file",
    "Writes a text file: makes it, with the folders it needs, or replaces all that is in it. With "
    "`append` the text is put at the end. To change a part of a file use `edit`.",
    R"({"type":"object","properties":{)"
    R"("path":{"type":"string","description":"the file, inside the working folder"},)"
    R"("content":{"type":"string","description":"the text to write"},)"
    R"("append":{"type":"boolean","description":"put it at the end; false if absent"}},)"
    R"("required":["path","content"],"additionalProperties":false})",
    Approval::ask, write_file};

constexpr FileToolForm kEdit = {
    "edit",
    "Replaces text in a file. `oldString` must be exactly what stands there, white space included, "
    "and must occur once only; with `replaceAll` every occurrence is replaced. Says how many were.",
    R"({"type":"object","properties":{)"
    R"("path":{"type":"string","description":"the file, inside the working folder"},)"
    R"("oldString":{"type":"string","minLength":1,"description":"the text to replace"},)"
    R"("newString":{"type":"string","description":"what takes its place"},)"
    R"("replaceAll":{"type":"boolean","description":"every occurrence; false if absent"}},)"
    R"("required":["path","oldString","newString"],"additionalProperties":false})",
    Approval::ask, edit};

constexpr FileToolForm kMultiedit = {
    "multiedit",
    "Makes several edits in one file, one after the other, each on what the ones before it left. "
    "Either all are made or, if one does not fit, none.",
    R"({"type":"object","properties":{)"
    R"("path":{"type":"string","description":"the file, inside the working folder"},)"
    R"("edits":{"type":"array","minItems":1,"maxItems":200,"description":"in this order",)"
    R"("items":{"type":"object","properties":{)"
    R"("oldString":{"type":"string","minLength":1,"description":"the text to replace"},)"
    R"("newString":{"type":"string","description":"what takes its place"},)"
    R"("replaceAll":{"type":"boolean","description":"every occurrence; false if absent"}},)"
    R"("required":["oldString","newString"],"additionalProperties":false}}},)"
    R"("required":["path","edits"],"additionalProperties":false})",
    Approval::ask, multiedit};

}  // namespace

void add_write_tools(Toolbox& box, const std::shared_ptr<FileServices>& services) {
  box.add(make_file_tool(kWriteFile, services));
  box.add(make_file_tool(kEdit, services));
  box.add(make_file_tool(kMultiedit, services));
}

}  // namespace parley::tool
