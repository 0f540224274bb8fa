// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/comfyui/tool/server_link.h"

#include <utility>

#include "base/core/ask.h"
#include "base/core/assert.h"
#include "base/core/duration_text.h"
#include "base/core/percent.h"

namespace parley::comfyui {
namespace {

using core::Result;

// Limit of the schemas that are requested at the same time.
constexpr std::size_t kClassesAtOnce = 8;

// One node_classes() in progress.
struct Reading : std::enable_shared_from_this<Reading> {
  Reading(ComfyClient& with, core::Scheduler& on, const core::CancelToken& cancel)
      : client(with), home(on), source(cancel) {}

  void begin(core::Millis patience) {
    timer = home.after(patience, [self = shared_from_this(), patience] {
      self->timer = 0;
      self->finish(core::fail(core::Code::deadline_exceeded,
                              "The ComfyUI server did not describe its node classes within " +
                                  core::exact_text(patience) + "."));
    });
    resume();
  }

  void resume() {
    while (done && open < kClassesAtOnce && next < names.size()) {
      ++open;
      const std::string& name = names[next++];
      client.node_schema(name, source.token(),
                         [self = shared_from_this(), name](Result<NodeClass> described) {
                           self->on_class(name, std::move(described));
                         });
    }
    if (done && open == 0) finish(std::move(classes));
  }

  void on_class(const std::string& name, Result<NodeClass> described) {
    --open;
    if (described) {
      classes.emplace(name, std::move(*described));
    } else if (described.error().code != core::Code::not_found) {
      return finish(core::fail(std::move(described.error())));
    }
    resume();
  }

  void finish(Result<ClassMap> result) {
    if (!done) return;
    home.cancel(std::exchange(timer, 0));
    auto callback = std::exchange(done, nullptr);
    source.cancel("The node classes are no longer needed.");
    callback(std::move(result));
  }

  ComfyClient& client;
  core::Scheduler& home;
  core::CancelSource source;
  std::vector<std::string> names;
  std::size_t next = 0;
  std::size_t open = 0;
  ClassMap classes;
  core::TimerId timer = 0;
  ServerLink::Done<ClassMap> done;
};

}  // namespace

ServerLink::ServerLink(const ComfyDependencies& dependencies, ServerPtr server)
    : dependencies_(dependencies), server_(std::move(server)) {}

ComfyClient& ServerLink::client(core::Scheduler& home) {
  if (!client_) {
    client_ = dependencies_.client(*server_, home);
    home_ = &home;
  }
  PARLEY_ASSERT(home_ == &home, "a link to a ComfyUI server is used by two schedulers");
  return *client_;
}

void ServerLink::node_classes(std::vector<std::string> names, core::Millis patience,
                              core::Scheduler& home, const core::CancelToken& cancel,
                              Done<ClassMap> done) {
  auto reading = std::make_shared<Reading>(client(home), home, cancel);
  reading->names = std::move(names);
  reading->done = [this, &home, done = std::move(done)](Result<ClassMap> classes) mutable {
    failure_.reset();
    if (!classes && classes.error().code != core::Code::cancelled) {
      failure_ = classes.error();
      failed_at_ = home.clock().mono();
    }
    done(std::move(classes));
  };
  home.post([reading, patience] { reading->begin(patience); });
}

std::optional<core::Error> ServerLink::recent_failure(core::Scheduler& home) const {
  const bool recent = failure_ && home.clock().mono() - failed_at_ < kFailureRest;
  return recent ? failure_ : std::nullopt;
}

void ServerLink::node_list(core::Scheduler& home, const core::CancelToken& cancel,
                           Done<NodeList> done) {
  if (list_ && home.clock().mono() - listed_at_ < kListAge) {
    return core::reply(home, std::move(done), list_);
  }
  client(home).node_classes(cancel, [this, &home, done = std::move(done)](
                                        Result<std::vector<NodeSummary>> classes) mutable {
    if (!classes) return done(core::fail(std::move(classes.error())));
    list_ = std::make_shared<const std::vector<NodeSummary>>(std::move(*classes));
    listed_at_ = home.clock().mono();
    done(list_);
  });
}

std::string ServerLink::view_url(const OutputFile& file) const {
  return "/api/v1/comfyui-servers/" + core::percent_encoded(server_->id) + "/view" +
         query_of(
             {{"filename", file.filename}, {"subfolder", file.subfolder}, {"type", file.type}});
}

}  // namespace parley::comfyui
