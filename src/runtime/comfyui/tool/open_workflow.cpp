// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/tool/open_workflow.h"

#include <boost/json/serialize.hpp>
#include <utility>

namespace parley::comfyui {
namespace {

using core::Result;
using tool::ToolResult;

// The classes to request.
std::vector<std::string> wanted_classes(OpenWorkflow& workflow, const SchemaRequest& request) {
  const std::scoped_lock lock(workflow.mutex);
  if (!workflow.open()) return {};
  std::vector<std::string> names = workflow.current->classes();
  names.insert(names.end(), request.more.begin(), request.more.end());
  std::vector<std::string> wanted;
  for (std::string& name : names) {
    if (wanted.size() >= kMaxWorkflowClasses) break;
    if (request.again || !workflow.asked.contains(name)) wanted.push_back(std::move(name));
  }
  return wanted;
}

void keep(OpenWorkflow& workflow, const std::vector<std::string>& asked, const ClassMap& classes) {
  const std::scoped_lock lock(workflow.mutex);
  workflow.asked.insert(asked.begin(), asked.end());
  for (const auto& [name, described] : classes) {
    boost::json::object one;
    one[name] = *described;
    // A class that cannot be parsed stays unknown.
    static_cast<void>(workflow.schemas.add(boost::json::serialize(one)));
  }
}

}  // namespace

Result<void> OpenWorkflow::open() {
  if (current) return {};
  Result<Workflow> read = Workflow::parse(text);
  if (!read) return core::fail(read.error());
  before = *read;
  current = std::move(*read);
  std::string().swap(text);
  return {};
}

void with_text(const OpenWorkflowPtr& workflow, const tool::ToolContext& context,
               absl::AnyInvocable<void(Result<void>)> done) {
  if (!workflow->fetch) return done({});
  const FetchWorkflow fetch = workflow->fetch;
  fetch(context, [workflow, done = std::move(done)](Result<std::string> text) mutable {
    if (!text) return done(core::fail(std::move(text.error())));
    // Another call may have got the text first, and have changed it.
    if (std::exchange(workflow->fetch, nullptr)) {
      const std::scoped_lock lock(workflow->mutex);
      workflow->text = std::move(*text);
    }
    done({});
  });
}

void fetch_schemas(const OpenWorkflowPtr& workflow, SchemaRequest request,
                   const ServerLinkPtr& link, tool::WorkerPool& workers,
                   const tool::ToolContext& context, absl::AnyInvocable<void(Result<void>)> done) {
  const core::Millis patience = request.patience;
  const auto wanted = std::make_shared<std::vector<std::string>>();
  auto look = [workflow, request = std::move(request), wanted](const tool::StopFlag& /*stop*/) {
    *wanted = wanted_classes(*workflow, request);
    return ToolResult::ok("");
  };
  auto ask = [workflow, link, &workers, context, wanted, patience,
              done = std::move(done)](const ToolResult& looked) mutable {
    if (looked.is_error) {
      return done(core::fail(core::Code::cancelled, looked.content));
    }
    if (wanted->empty()) return done({});
    link->node_classes(
        *wanted, patience, *context.scheduler, context.cancel,
        [workflow, link, wanted, &workers, context,
         done = std::move(done)](Result<ClassMap> classes) mutable {
          auto store = [workflow, wanted, told = classes](const tool::StopFlag& /*stop*/) {
            if (told) keep(*workflow, *wanted, *told);
            return ToolResult::ok("");
          };
          tool::run_blocking(workers, context, std::move(store),
                             [done = std::move(done),
                              classes = std::move(classes)](const ToolResult& stored) mutable {
                               if (!classes) return done(core::fail(classes.error()));
                               if (stored.is_error) {
                                 return done(core::fail(core::Code::cancelled, stored.content));
                               }
                               done({});
                             });
        });
  };
  tool::run_blocking(workers, context, std::move(look), std::move(ask));
}

}  // namespace parley::comfyui
