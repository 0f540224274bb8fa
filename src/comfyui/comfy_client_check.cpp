// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "comfyui/comfy_client.h"
#include "comfyui/prompt_check.h"

namespace parley::comfyui {
namespace {

// Schemas of one check that are asked for at the same time.
constexpr std::size_t kSchemasAtOnce = 8;

}  // namespace

// One validate(): the schemas of all classes, then the check.
struct ComfyClient::Check {
  boost::json::object prompt;
  std::vector<std::string> classes;
  std::size_t next = 0;
  std::size_t open = 0;
  std::map<std::string, NodeSchema, std::less<>> schemas;
  core::CancelToken cancel;
  Done<PromptFaults> done;

  void finish(core::Result<PromptFaults> result) {
    if (done) std::exchange(done, nullptr)(std::move(result));
  }
};

void ComfyClient::validate(boost::json::object prompt, const core::CancelToken& cancel,
                           Done<PromptFaults> done) {
  auto check = std::make_shared<Check>();
  check->classes = classes_of(prompt);
  check->prompt = std::move(prompt);
  check->cancel = cancel;
  check->done = std::move(done);
  home_.post([this, alive = alive_, check] {
    if (!*alive) return;
    if (check->classes.size() > kMaxPromptClasses) {
      return check->finish(core::fail(
          core::Code::invalid_argument,
          "The workflow has more than " + std::to_string(kMaxPromptClasses) + " classes of nodes.",
          "prompt"));
    }
    fetch_next(check);
  });
}

void ComfyClient::fetch_next(const std::shared_ptr<Check>& check) {
  while (check->done && check->open < kSchemasAtOnce && check->next < check->classes.size()) {
    ++check->open;
    const std::string& name = check->classes[check->next++];
    node_schema(name, check->cancel, [this, check, name](core::Result<NodeSchema> schema) {
      --check->open;
      if (schema) check->schemas.emplace(name, std::move(*schema));
      // A class that is not there is a fault of the workflow.
      if (!schema && schema.error().code != core::Code::not_found) {
        return check->finish(core::fail(std::move(schema.error())));
      }
      fetch_next(check);
    });
  }
  if (!check->done || check->open > 0 || check->next < check->classes.size()) return;
  check->finish(check_prompt(check->prompt, [&](std::string_view name) {
    const auto found = check->schemas.find(name);
    return found == check->schemas.end() ? nullptr : found->second.get();
  }));
}

}  // namespace parley::comfyui
