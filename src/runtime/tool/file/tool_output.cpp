// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/tool_output.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/core/ask.h"
#include "base/core/id.h"
#include "base/core/private_files.h"
#include "base/core/utf8_repair.h"
#include "runtime/tool/file/file_access.h"
#include "runtime/tool/file/file_changes.h"
#include "runtime/tool/file/session_folder.h"
#include "runtime/tool/file/workspace.h"
#include "runtime/tool/plain_text.h"

namespace parley::tool {
namespace {

using core::fail;
using core::Result;

constexpr std::string_view kReadTool = "read";
constexpr std::size_t kRoomForRemarks = 600;  // characters for the remarks beside an excerpt
constexpr std::size_t kRandomNameBytes = 4;
constexpr std::size_t kMaxNamePart = 40;

// Part of a tool's name that is safe in a file name.
std::string name_part(std::string_view tool) {
  std::string out;
  for (const char c : tool.substr(0, kMaxNamePart)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       c == '_' || c == '-';
    out.push_back(plain ? c : '_');
  }
  return out.empty() ? "tool" : out;
}

FittedOutput fitted(std::string content, bool is_error) {
  FittedOutput out;
  out.is_error = is_error;
  out.content = std::move(content);
  if (count_characters(out.content) <= kDisplayCharacters) {
    out.display = out.content;
    return out;
  }
  out.display = std::string(first_characters(out.content, kDisplayCharacters)) + "...";
  if (!is_error) out.raw = out.content;
  return out;
}

// Beginning and end of a text; with the remarks within the limit.
std::string excerpt(std::string_view text, std::size_t limit, const std::string& where) {
  const std::size_t room = limit > 2 * kRoomForRemarks ? limit - kRoomForRemarks : limit / 2;
  const std::size_t head = room * 2 / 3;
  const std::size_t tail = room - head;
  const std::size_t all = count_characters(text);
  std::string out(first_characters(text, head));
  out += "\n[... " + std::to_string(all - head - tail) + " characters left out ...]\n";
  out.append(last_characters(text, tail));
  return out + "\n[" + where + "]";
}

// Output of `read`, cut after a line; the number of the last line tells where to continue.
std::string cut_reading(std::string_view text, std::size_t limit) {
  std::string_view cut =
      first_characters(text, limit > kRoomForRemarks ? limit - kRoomForRemarks : limit / 2);
  const std::size_t end = cut.rfind('\n');
  if (end == std::string_view::npos) return excerpt(text, limit, "The line was too long.");
  cut = cut.substr(0, end + 1);
  const std::size_t line = cut.rfind('\n', end - 1);
  std::string_view number = cut.substr(line == std::string_view::npos || end == 0 ? 0 : line + 1);
  number = number.substr(std::min(number.find_first_not_of(' '), number.size()));
  number = number.substr(0, number.find('\t'));
  return std::string(cut) + "(The result is cut here because it is too long: read on with offset " +
         std::string(number) + ".)\n";
}

std::string lost(std::string_view why) {
  return "The middle of this result was not kept: " + std::string(why);
}

}  // namespace

OutputStore::OutputStore(WorkerPool& workers, std::string data_folder, core::Entropy& entropy,
                         ResultLimits limits)
    : workers_(workers),
      data_folder_(std::move(data_folder)),
      entropy_(entropy),
      kept_(data_folder_ + "/" + std::string(kToolOutputFolder), limits) {}

Result<std::string> OutputStore::keep(std::string_view owner, std::string_view session_id,
                                      std::string_view tool, std::string_view text) {
  const std::string folder = session_folder(data_folder_, kToolOutputFolder, owner, session_id);
  if (Result<void> created = core::make_private_folder(folder); !created)
    return fail(created.error());
  const Result<Workspace> workspace = Workspace::open(folder);
  if (!workspace) return fail(workspace.error());
  text = cut_bytes(text, kMaxFileBytes);
  kept_.make_room(folder, text.size());
  const std::string name =
      name_part(tool) + "-" + core::random_hex(entropy_, kRandomNameBytes) + ".txt";
  const Result<Place> place = workspace->locate(name, LastLink::keep);
  if (!place) return fail(place.error());
  FileChanges changes(entropy_);
  FileChanges::PutOptions options;
  options.fresh = true;
  options.mode = core::kPrivateFileMode;
  Result<void> done = changes.put(*place, text, options);
  if (done) done = changes.commit();
  if (!done) return fail(done.error());
  kept_.added(text.size());
  return workspace->root() + "/" + name;
}

std::size_t inline_limit_of(std::string_view tool) {
  return tool == kReadTool ? kReadInlineCharacters : kInlineCharacters;
}

void fit_output(const ToolContext& context, std::string_view tool, ToolResult result,
                std::size_t inline_limit, FittedDone done) {
  std::string text = core::repaired_utf8(result.content);
  const bool is_error = result.is_error;
  const auto give = [&context](FittedOutput output, FittedDone then) {
    core::reply(*context.scheduler, std::move(then), std::move(output));
  };
  const std::size_t all = count_characters(text);
  if (all <= inline_limit) return give(fitted(std::move(text), is_error), std::move(done));
  if (tool == kReadTool && !is_error) {
    return give(fitted(cut_reading(text, inline_limit), is_error), std::move(done));
  }
  if (context.outputs == nullptr) {
    return give(fitted(excerpt(text, inline_limit, lost("it was too long.")), is_error),
                std::move(done));
  }
  // Shared: the worker writes the text, and the scheduler uses it afterwards.
  const auto whole = std::make_shared<const std::string>(std::move(text));
  auto work = [store = context.outputs, whole, owner = context.owner, session = context.session_id,
               name = std::string(tool)](const StopFlag& /*stop*/) {
    core::Result<std::string> path = store->keep(owner, session, name, *whole);
    if (path) return ToolResult::ok(std::move(*path));
    return ToolResult::error(std::move(path.error().message));
  };
  auto then = [whole, all, inline_limit, is_error, done = std::move(done)](ToolResult cut) mutable {
    const std::string where = cut.is_error ? lost(cut.content)
                                           : "The whole result (" + std::to_string(all) +
                                                 " characters) is in the file " + cut.content +
                                                 ": read it with `read`, or search it with `grep`.";
    FittedOutput output = fitted(excerpt(*whole, inline_limit, where), is_error);
    if (!cut.is_error) output.file = std::move(cut.content);
    done(std::move(output));
  };
  run_blocking(context.outputs->workers(), context, std::move(work), std::move(then));
}

}  // namespace parley::tool
