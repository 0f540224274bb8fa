// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "agents/mcp/task_calls.h"

#include <utility>

#include "agents/mcp/json_rpc.h"
#include "agents/mcp/mcp_revision.h"
#include "agents/mcp/prompt_catalog.h"
#include "agents/mcp/question_form.h"
#include "agents/mcp/request_state.h"
#include "agents/mcp/tool_result.h"
#include "base/core/id.h"
#include "base/core/json_member.h"
#include "base/core/time_text.h"

namespace parley::mcp {
namespace {

constexpr std::size_t kTaskIdBytes = 16;
constexpr std::string_view kTaskPrefix = "task-";

std::string task_id_of(const Exchange& exchange) {
  return core::string_member(exchange.params(), "taskId");
}

std::string_view status_of(const LastingQuestion& question, bool modern, bool asks) {
  if (question.pending) return asks ? "input_required" : "working";
  if (question.withdrawn) return "cancelled";
  const bool is_error = !question.outcome || question.outcome->is_error;
  return is_error && !modern ? "failed" : "completed";
}

std::string_view message_of(const LastingQuestion& question) {
  return question.pending ? "The question is in the inbox. Waiting for an answer."
                          : "The question has ended.";
}

// The members of a task that both forms have.
void write_task(core::JsonWriter& json, const LastingQuestion& question, bool modern, bool asks) {
  const auto life = question.call.timeout + TaskCalls::kKept;
  json.key("taskId").string(question.key);
  json.key("status").string(status_of(question, modern, asks));
  json.key("statusMessage").string(message_of(question));
  json.key("createdAt").string(core::time_text_ms(question.asked_at));
  json.key("lastUpdatedAt").string(core::time_text_ms(question.changed_at));
  json.key(modern ? "ttlMs" : "ttl").number(static_cast<std::int64_t>(life.count()));
  json.key(modern ? "pollIntervalMs" : "pollInterval")
      .number(static_cast<std::int64_t>(TaskCalls::kPollEvery.count()));
}

std::string task_of(const LastingQuestion& question, bool modern, bool asks) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object();
  write_task(json, question, modern, asks);
  json.end_object();
  return out;
}

// The member of "_meta" that names the task of a message (2025-11-25).
std::string related_task(const std::string& key) {
  std::string meta = R"("io.modelcontextprotocol/related-task":{"taskId":)";
  core::JsonWriter(meta).string(key);
  return meta + "}";
}

std::string tool_result_of(const LastingQuestion& question, bool modern) {
  std::string out;
  core::JsonWriter json(out);
  json.begin_object();
  if (modern) json.key("resultType").string("complete");
  write_tool_result(json, question.outcome, {});
  if (modern) {
    if (const std::string meta = tool_result_meta(question.outcome); !meta.empty()) {
      json.key("_meta").raw("{" + meta + "}");
    }
  }
  json.end_object();
  return out;
}

void refuse_without_tasks(const ExchangePtr& exchange) {
  exchange->fail(
      kMissingCapability, exchange->method() + ": the client does not declare tasks",
      R"({"requiredCapabilities":{"extensions":{")" + std::string(kTasksExtension) + R"(":{}}}})");
}

void fail_unknown(const ExchangePtr& exchange) {
  exchange->fail(kInvalidParams, "Unknown task: " + task_id_of(*exchange));
}

void fail_of(const ExchangePtr& exchange, const core::Error& error) {
  if (error.code != core::Code::not_found) return exchange->fail(error);
  fail_unknown(exchange);
}

}  // namespace

TaskCalls::TaskCalls(LastingCalls& calls, core::Entropy& entropy, bool forms)
    : calls_(calls), entropy_(entropy), forms_(forms) {}

bool TaskCalls::wants(const Exchange& exchange) {
  const ClientFacts& client = exchange.client();
  if (client.modern()) return client.extends(kTasksExtension);
  return client.revision == kLegacyRevisions.front() && exchange.params().contains("task");
}

void TaskCalls::start(const ExchangePtr& exchange, ToolArguments arguments) {
  const std::string key = std::string(kTaskPrefix) + core::random_hex(entropy_, kTaskIdBytes);
  arguments.call.client_name = exchange->client().name;
  exchange->on_cancel([this, key](std::string_view reason) {
    calls_.withdraw(key, std::string(reason), [](const core::Result<LastingQuestion>&) {});
  });
  calls_.open(std::move(arguments.call), key,
              [this, exchange](const core::Result<LastingQuestion>& opened) {
                if (!opened) return exchange->reply(tool_error(opened.error().message));
                const bool modern = exchange->client().modern();
                if (modern) return exchange->reply(task_of(*opened, true, false), {}, "task");
                begun_.push_back(opened->key);
                if (begun_.size() > kMaxListed) begun_.pop_front();
                const bool asks = offers_form(*opened, exchange->client());
                exchange->reply(R"({"task":)" + task_of(*opened, false, asks) + "}");
              });
}

bool TaskCalls::handle(const ExchangePtr& exchange) {
  if (exchange->client().modern()) return handle_modern(exchange);
  if (exchange->client().revision != kLegacyRevisions.front()) return false;
  const std::string& method = exchange->method();
  if (method == "tasks/get") return get(exchange), true;
  if (method == "tasks/result") return await_result(exchange), true;
  if (method == "tasks/cancel") return cancel(exchange), true;
  if (method == "tasks/list") return list(exchange), true;
  return false;
}

bool TaskCalls::handle_modern(const ExchangePtr& exchange) {
  const std::string& method = exchange->method();
  const bool known = method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel";
  if (!known) return false;
  if (!exchange->client().extends(kTasksExtension)) return refuse_without_tasks(exchange), true;
  if (method == "tasks/get") return get(exchange), true;
  if (method == "tasks/update") return update(exchange), true;
  return cancel(exchange), true;
}

bool TaskCalls::offers_form(const LastingQuestion& question, const ClientFacts& client) const {
  return forms_ && question.pending && client.declares("elicitation");
}

// The whole state of a task, without braces of a result around it.
std::string TaskCalls::state_of(const LastingQuestion& question, const ClientFacts& client) const {
  const bool asks = offers_form(question, client);
  std::string out;
  core::JsonWriter json(out);
  json.begin_object();
  write_task(json, question, client.modern(), asks);
  if (asks && client.modern()) {
    json.key("inputRequests").begin_object().key(kFormKey).begin_object();
    json.key("method").string("elicitation/create").key("params").raw(form_of(question.call));
    json.end_object().end_object();
  }
  if (client.modern() && !question.pending && !question.withdrawn) {
    json.key("result").raw(tool_result_of(question, true));
  }
  json.end_object();
  return out;
}

void TaskCalls::with_task(const ExchangePtr& exchange,
                          std::function<void(const LastingQuestion& task)> use) {
  std::string id = task_id_of(*exchange);
  if (!id.starts_with(kTaskPrefix)) return fail_unknown(exchange);
  calls_.find(std::move(id),
              [exchange, use = std::move(use)](const core::Result<LastingQuestion>& found) {
                if (!found) return fail_of(exchange, found.error());
                use(*found);
              });
}

void TaskCalls::get(const ExchangePtr& exchange) {
  with_task(exchange, [this, exchange](const LastingQuestion& task) {
    exchange->reply(state_of(task, exchange->client()));
  });
}

void TaskCalls::update(const ExchangePtr& exchange) {
  auto responses = input_responses_of(*exchange);
  if (!responses) return exchange->fail(responses.error());
  const boost::json::value* given = responses->if_contains(kFormKey);
  with_task(exchange, [this, exchange,
                       answered = given == nullptr ? boost::json::object() : given->get_object()](
                          const LastingQuestion& task) {
    const boost::json::value* content = answered.if_contains("content");
    const bool accepted = core::string_member(answered, "action") == "accept" &&
                          content != nullptr && content->is_object();
    // An answer to a form that was not offered is ignored, as one with an unknown key is.
    if (!accepted || !offers_form(task, exchange->client())) return exchange->reply("{}");
    const auto text = text_of_form(task.call, content->get_object());
    if (!text) return exchange->fail(text.error());
    calls_.answer(task.key, *text, std::string(kFormWindow),
                  [exchange](const core::Result<LastingQuestion>& ended) {
                    if (!ended) return fail_of(exchange, ended.error());
                    exchange->reply("{}");
                  });
  });
}

void TaskCalls::cancel(const ExchangePtr& exchange) {
  with_task(exchange, [this, exchange](const LastingQuestion& task) {
    const bool modern = exchange->client().modern();
    if (!task.pending) {
      if (modern) return exchange->reply("{}");
      return exchange->fail(kInvalidParams, "The task has ended: " + task.key);
    }
    calls_.withdraw(task.key, "The agent cancelled its task.",
                    [exchange, modern](const core::Result<LastingQuestion>& ended) {
                      if (!ended) return fail_of(exchange, ended.error());
                      exchange->reply(modern ? "{}" : task_of(*ended, false, false));
                    });
  });
}

// A client that shows forms receives the task's form on the request that waits for the result.
void TaskCalls::await_result(const ExchangePtr& exchange) {
  const std::string key = task_id_of(*exchange);
  if (!key.starts_with(kTaskPrefix)) return fail_unknown(exchange);
  auto wait = std::make_shared<std::shared_ptr<void>>();
  exchange->on_cancel([wait](std::string_view) { wait->reset(); });
  *wait = calls_.await(key, [exchange](const core::Result<LastingQuestion>& ended) {
    if (!ended) return fail_of(exchange, ended.error());
    std::string meta = related_task(ended->key);
    if (const std::string more = tool_result_meta(ended->outcome); !more.empty()) {
      meta += "," + more;
    }
    exchange->reply(tool_result_of(*ended, false), meta);
  });
  if (!forms_ || !exchange->client().declares("elicitation")) return;
  with_task(exchange, [this, exchange](const LastingQuestion& task) {
    if (task.pending) show_form(exchange, task);
  });
}

void TaskCalls::show_form(const ExchangePtr& exchange, const LastingQuestion& question) {
  std::string form = form_of(question.call);
  form.insert(form.size() - 1, R"(,"_meta":{)" + related_task(question.key) + "}");
  exchange->ask_client("elicitation/create", form,
                       [this, question](const core::Result<boost::json::object>& answer) {
                         if (!answer || core::string_member(*answer, "action") != "accept") return;
                         const boost::json::value* content = answer->if_contains("content");
                         if (content == nullptr || !content->is_object()) return;
                         const auto text = text_of_form(question.call, content->get_object());
                         if (!text) return;
                         calls_.answer(question.key, *text, std::string(kFormWindow),
                                       [](const core::Result<LastingQuestion>&) {});
                       });
}

// A list in progress: the states are read one after the other.
struct TaskCalls::Listing {
  ExchangePtr exchange;
  std::vector<std::string> ids;
  std::size_t at = 0;
  std::string tasks;
};

void TaskCalls::list(const ExchangePtr& exchange) {
  if (refuse_cursor(exchange)) return;
  list_next(std::make_shared<Listing>(Listing{exchange, {begun_.rbegin(), begun_.rend()}, 0, {}}));
}

void TaskCalls::list_next(const std::shared_ptr<Listing>& listing) {
  if (listing->at == listing->ids.size()) {
    return listing->exchange->reply(R"({"tasks":[)" + listing->tasks + "]}");
  }
  calls_.find(
      listing->ids[listing->at++], [this, listing](const core::Result<LastingQuestion>& found) {
        if (found) {
          const bool asks = offers_form(*found, listing->exchange->client());
          listing->tasks += (listing->tasks.empty() ? "" : ",") + task_of(*found, false, asks);
        }
        list_next(listing);
      });
}

void TaskCalls::watch(const std::vector<std::string>& ids,
                      std::function<void(const Change&)> changed) {
  ClientFacts reader;
  reader.revision = kModernRevision;
  for (const std::string& id : ids) {
    if (watched_.contains(id) || !id.starts_with(kTaskPrefix)) continue;
    watched_[id] =
        calls_.await(id, [this, changed, reader](const core::Result<LastingQuestion>& ended) {
          if (!ended) return;
          changed({Change::Kind::task, ended->key, state_of(*ended, reader)});
        });
  }
}

}  // namespace parley::mcp
