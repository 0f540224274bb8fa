// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "app/tool_shelf.h"

#include <utility>

#include "runtime/tool/ask_question.h"
#include "runtime/tool/bash.h"
#include "runtime/tool/batch.h"
#include "runtime/tool/web_fetch.h"

namespace parley::app {
namespace {

tool::BashOptions shell_options() {
  tool::BashOptions options;
  options.environment = tool::without_secrets(tool::process_environment(), {});
  return options;
}

}  // namespace

ToolShelf::ToolShelf(const ToolShelfOptions& options, tool::Inbox& inbox, http::Fetcher& fetcher,
                     const core::Clock& clock, core::Entropy& entropy) {
  builtin_ = tool::builtin_file_tools({workers_, options.data_dir, clock, entropy});
  builtin_.add(tool::make_bash(processes_, shell_options()));
  tool::WebFetchOptions web;
  web.allow_private = options.fetch_private;
  builtin_.add(tool::make_web_fetch(fetcher, web));
  builtin_.add(tool::make_ask_question(inbox));
}

void ToolShelf::toolbox(const std::string& /*working_folder*/, core::Scheduler& scheduler,
                        Done done) {
  tool::Toolbox all = builtin_;
  all.add(tool::make_batch(all));
  scheduler.post(
      [done = std::move(done), all = std::move(all)]() mutable { done(std::move(all)); });
}

}  // namespace parley::app
