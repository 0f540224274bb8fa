// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/tool/file/file_tool.h"

#include <filesystem>
#include <system_error>
#include <utility>

#include "runtime/tool/arguments.h"
#include "runtime/tool/file/session_folder.h"

namespace parley::tool {
namespace {

class FileTool final : public Tool {
 public:
  FileTool(const FileToolForm& form, std::shared_ptr<FileServices> services)
      : spec_{std::string(form.name), std::string(form.description), std::string(form.parameters)},
        approval_(form.approval),
        work_(form.work),
        services_(std::move(services)) {}

  const model::ToolSpec& spec() const override { return spec_; }
  Approval default_approval() const override { return approval_; }

  void run(ToolContext context, boost::json::object arguments, Done done) override {
    auto work = [services = services_, work = work_, owner = context.owner,
                 session = context.session_id, folder = context.working_folder,
                 arguments = std::move(arguments)](const StopFlag& stop) mutable {
      FileCall call{*services,         std::move(owner),     std::move(session),
                    std::move(folder), std::move(arguments), stop};
      core::Result<std::string> result = work(call);
      if (result) return ToolResult::ok(std::move(*result));
      return ToolResult::error(std::move(result.error().message));
    };
    run_blocking(services_->parts.workers, std::move(context), std::move(work), std::move(done));
  }

 private:
  const model::ToolSpec spec_;
  const Approval approval_;
  const FileWork work_;
  const std::shared_ptr<FileServices> services_;
};

// True if `path` names a file in `folder`, which may no longer exist.
bool was_stored(std::string_view path, const std::string& folder) {
  std::error_code error;
  const std::string real = std::filesystem::weakly_canonical(folder, error).string();
  return !error && path.starts_with(real + "/");
}

core::Error no_longer_stored() {
  return {core::Code::not_found,
          "This result is no longer stored: only the newest long results are kept. Make the call "
          "again if it is still needed.",
          "path"};
}

}  // namespace

std::string_view FileCall::text(std::string_view name, std::string_view fallback) const {
  return text_argument(arguments, name, fallback);
}

core::Result<Workspace> FileCall::workspace() const {
  return Workspace::open(working_folder, services.parts.data_folder);
}

ToolPtr make_file_tool(const FileToolForm& form, std::shared_ptr<FileServices> services) {
  return std::make_shared<FileTool>(form, std::move(services));
}

core::Result<ReadablePlace> locate_readable(const FileCall& call, std::string_view path) {
  const std::string outputs = session_folder(call.services.parts.data_folder, kToolOutputFolder,
                                             call.owner, call.session_id);
  core::Result<Workspace> workspace = Workspace::open(outputs);
  const bool is_kept = workspace ? workspace->holds(path) : was_stored(path, outputs);
  if (is_kept && !workspace) return core::fail(no_longer_stored());
  if (!is_kept) workspace = call.workspace();
  if (!workspace) return core::fail(workspace.error());
  core::Result<Place> place = workspace->locate(path);
  if (!place) return core::fail(place.error());
  if (is_kept && !place->exists) return core::fail(no_longer_stored());
  return ReadablePlace{std::move(*workspace), std::move(*place)};
}

Toolbox builtin_file_tools(const FileToolParts& parts) {
  const auto services = std::make_shared<FileServices>(parts);
  Toolbox box;
  add_read_tool(box, services);
  add_search_tools(box, services);
  add_write_tools(box, services);
  add_patch_tool(box, services);
  add_folder_tools(box, services);
  add_todo_tools(box, services);
  return box;
}

}  // namespace parley::tool
