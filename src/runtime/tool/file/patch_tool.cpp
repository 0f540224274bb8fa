// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <cerrno>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/core/result.h"
#include "base/core/utf8_repair.h"
#include "runtime/tool/arguments.h"
#include "runtime/tool/file/file_access.h"
#include "runtime/tool/file/file_changes.h"
#include "runtime/tool/file/file_tool.h"
#include "runtime/tool/file/patch.h"
#include "runtime/tool/plain_text.h"

namespace parley::tool {
namespace {

using core::Code;
using core::fail;
using core::Result;

// One run of a patch: prepares the change of each file and describes it.
class PatchRun {
 public:
  PatchRun(FileCall& call, const Workspace& workspace)
      : call_(call), workspace_(workspace), changes_(call.services.parts.entropy) {}

  Result<void> prepare(const FilePatch& patch) {
    if (call_.stop.stopped()) return fail(cancelled_error());
    const LastLink link = patch.kind == FilePatch::Kind::remove ? LastLink::keep : LastLink::follow;
    PARLEY_TRY(const Place place, workspace_.locate(patch.path, link));
    if (!touched_.insert(place.path).second) return twice(place);
    switch (patch.kind) {
      case FilePatch::Kind::add:
        return add(place, patch);
      case FilePatch::Kind::update:
        return update(place, patch);
      case FilePatch::Kind::remove:
        break;
    }
    return remove(place);
  }

  Result<std::string> commit() {
    if (call_.stop.stopped()) return fail(cancelled_error());
    PARLEY_TRY_VOID(changes_.commit());
    return std::move(said_);
  }

 private:
  static tl::unexpected<core::Error> twice(const Place& place) {
    return fail(Code::invalid_argument, "The patch changes this file twice: " + place.path);
  }

  void say(std::string_view what, const std::string& path) {
    said_.append(what).append(" ").append(core::repaired_utf8(path)).append("\n");
  }

  Result<void> add(const Place& place, const FilePatch& patch) {
    if (place.exists) {
      return fail(Code::already_exists,
                  "It is there already; change it with \"*** Update File: \"");
    }
    FileChanges::PutOptions options;
    options.fresh = true;
    say("added", place.path);
    return changes_.put(place, patch.content, options);
  }

  Result<void> update(const Place& place, const FilePatch& patch) {
    PARLEY_TRY(const FileBytes before, read_whole(place, kMaxWholeFileBytes, call_.stop));
    if (looks_binary(before.bytes)) return fail(Code::invalid_argument, "It is a binary file");
    PARLEY_TRY(const std::string after, apply_hunks(before.bytes, patch.hunks, kMaxWholeFileBytes));
    FileChanges::PutOptions options;
    if (patch.move_to.empty()) {
      options.read = before.stamp;
      say("updated", place.path);
      return changes_.put(place, after, options);
    }
    PARLEY_TRY(const Place target, workspace_.locate(patch.move_to));
    if (!touched_.insert(target.path).second) return twice(target);
    if (target.exists) {
      return fail(Code::already_exists,
                  "The target of \"*** Move to\" already exists: " + target.path);
    }
    options.fresh = true;
    options.mode = place.status.st_mode;
    say("moved", place.path + " to " + target.path);
    if (Result<void> put = changes_.put(target, after, options); !put) return put;
    return changes_.remove(place, before.stamp);
  }

  Result<void> remove(const Place& place) {
    if (!place.exists) return fail(system_error(ENOENT, place.path));
    if (!S_ISLNK(place.status.st_mode)) {
      if (Result<void> file = require_file(place); !file) return file;
    }
    say("deleted", place.path);
    return changes_.remove(place, stamp_of(place.status));
  }

  FileCall& call_;
  const Workspace& workspace_;
  FileChanges changes_;
  std::set<std::string> touched_;
  std::string said_;
};

std::vector<std::string> places_of(const Workspace& workspace,
                                   const std::vector<FilePatch>& patches) {
  std::vector<std::string> out;
  for (const FilePatch& patch : patches) {
    for (const std::string& path : {patch.path, patch.move_to}) {
      if (path.empty()) continue;
      const Result<Place> place = workspace.locate(path);
      if (place) out.push_back(workspace.root() + "/" + place->path);
    }
  }
  return out;
}

Result<std::string> apply_patch(FileCall& call) {
  PARLEY_TRY(const std::vector<FilePatch> patches, parse_patch(call.text("patchText")));
  PARLEY_TRY(const Workspace workspace, call.workspace());
  const PathLocks::Held held(call.services.locks, places_of(workspace, patches));
  PatchRun run(call, workspace);
  for (const FilePatch& patch : patches) {
    Result<void> prepared = run.prepare(patch);
    if (prepared) continue;
    if (prepared.error().code == Code::cancelled) return fail(prepared.error());
    return fail(prepared.error().code,
                patch.path + ": " + prepared.error().message + " Nothing was changed.");
  }
  return run.commit();
}

constexpr FileToolForm kApplyPatch = {
    "apply_patch",
    "Changes several files with one patch: either all of it fits or nothing is changed. The patch "
    "begins with the line \"*** Begin Patch\" and ends with \"*** End Patch\". Between them, for "
    "each file: \"*** Add File: PATH\" with lines that begin with +; \"*** Update File: PATH\" "
    "(then \"*** Move to: PATH\" if it moves) with hunks, each after a line \"@@\" or \"@@ a line "
    "above it\", of lines that begin with a space (context), - (goes) or + (comes); \"*** Delete "
    "File: PATH\".",
    R"({"type":"object","properties":{)"
    R"("patchText":{"type":"string","minLength":1,"description":"the patch, in its envelope"}},)"
    R"("required":["patchText"],"additionalProperties":false})",
    Approval::ask, apply_patch};

}  // namespace

void add_patch_tool(Toolbox& box, const std::shared_ptr<FileServices>& services) {
  box.add(make_file_tool(kApplyPatch, services));
}

}  // namespace parley::tool
