// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/agent/model_turn.h"

#include <simdjson.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/core/id.h"
#include "base/core/json_writer.h"
#include "base/core/utf8.h"
#include "runtime/agent/state_json.h"
#include "runtime/model/context.h"

namespace parley::agent {
namespace {

// Assigns ids to the calls of one reply, unique in the conversation.
class CallIds {
 public:
  CallIds(const ModelAsk& ask, const AgentParts& parts) : ask_(ask), parts_(parts) { reset(); }

  // The id of the call with the model's id `raw`, while it streams.
  const std::string& streamed(const std::string& raw) {
    const auto [it, is_new] = by_raw_.try_emplace(raw);
    if (is_new) it->second = unused(raw);
    return it->second;
  }
  // As streamed(), for the complete reply; a second call with the same id gets another one.
  std::string final_id(const std::string& raw) {
    std::string id = raw.empty() ? unused(created()) : streamed(raw);
    if (!final_.insert(id).second) {
      id = unused(raw);
      final_.insert(id);
    }
    return id;
  }
  void reset() {
    by_raw_.clear();
    next_.clear();
    used_.clear();
    for (const model::Message& message : ask_.messages) {
      for (const model::ToolCall& call : message.tool_calls) used_.insert(call.id);
    }
  }

 private:
  std::string created() const { return "call_" + core::random_hex(*parts_.entropy, 8); }
  std::string unused(const std::string& raw) {
    std::string id = raw;
    int& number = next_.try_emplace(raw, 2).first->second;
    while (!take(id)) id = raw + "_" + std::to_string(number++);
    return id;
  }
  bool take(const std::string& id) {
    if (!used_.insert(id).second) return false;
    if (parts_.claim_call_id && !parts_.claim_call_id(id)) return false;
    return !ask_.claim_id || ask_.claim_id(id);
  }

  const ModelAsk& ask_;
  const AgentParts& parts_;
  std::map<std::string, std::string> by_raw_;
  std::map<std::string, int> next_;  // next number to try, by id
  std::set<std::string> used_;
  std::set<std::string> final_;
};

std::string fit_note(const model::Fitted& fitted) {
  std::string value;
  core::JsonWriter json(value);
  json.begin_object().key("context_fitted").begin_object();
  json.key("results_cleared").number(std::uint64_t{fitted.cleared});
  json.key("messages_summarised").number(std::uint64_t{fitted.summarised});
  json.key("messages_cut").number(std::uint64_t{fitted.cut});
  json.key("messages").number(std::uint64_t{model::count_messages(fitted.messages)});
  if (!fitted.summary.empty()) {
    json.key("summary").string(core::utf8_truncate(fitted.summary, kMaxNotedSummaryBytes));
    json.key("tokens").number(model::estimate_tokens(fitted.messages));
  }
  json.end_object().end_object();
  return value;
}

std::string summary_note(std::size_t messages) {
  std::string value;
  core::JsonWriter json(value);
  json.begin_object().key("summarising").begin_object();
  json.key("messages").number(std::uint64_t{messages}).end_object().end_object();
  return value;
}

// Streamed after the text of an attempt that failed, for viewers that know no model_retry.
constexpr std::string_view kVoidMark =
    "\n\n[The text so far is void: the model is asked again.]\n\n";

// A sentence about a reply that the provider cut; empty: it is complete.
std::string_view cut_sentence(std::string_view finish_reason) {
  if (finish_reason == "length" || finish_reason == "max_tokens") {
    return "The model's reply is cut: it has reached the limit of its length.";
  }
  if (finish_reason == "content_filter" || finish_reason == "sensitive" ||
      finish_reason == "safety") {
    return "The model's reply is cut: the provider's content filter has ended it.";
  }
  return {};
}

// The limit to fit messages to. A learned limit is an estimate: it never leaves less room than
// kLeastLearnedRoom beside the instructions, the provider decides on the rest.
std::uint64_t limit_of(const model::Model& model, const std::vector<model::Message>& messages,
                       const model::ContextSettings& settings) {
  const std::uint64_t limit = model.context_tokens();
  if (!model.limit_is_learned()) return limit;
  std::uint64_t room = kLeastLearnedRoom;
  for (const model::Message& message : messages) {
    if (message.role == model::Role::system) room += model::estimate_tokens(message);
  }
  return std::max(limit, model::limit_for_room(room, settings));
}

class ModelTurn : public std::enable_shared_from_this<ModelTurn> {
 public:
  ModelTurn(graph::NodeContext& context, std::shared_ptr<const AgentParts> parts, ModelAsk ask,
            model::Model::Done done)
      : context_(context),
        parts_(std::move(parts)),
        ask_(std::move(ask)),
        done_(std::move(done)),
        ids_(ask_, *parts_) {}

  void start() {
    if (context_.cancel().cancelled()) {
      finish(core::fail(core::Code::cancelled, context_.cancel().reason()));
      return;
    }
    ++tries_;
    model::ModelRequest request;
    request.messages = ask_.messages;
    model::leave_out(request.messages, parts_->model->media(), parts_->model->id());
    if (!ask_.addon.empty()) extend_system_message(request.messages, ask_.addon);
    if (ask_.with_tools) request.tools = parts_->tools.specs();
    request.json_only = ask_.json_only;
    request.thread_id = parts_->context.session_id;
    parts_->model->ask(std::move(request), events(), context_.scheduler(), context_.cancel(),
                       [self = shared_from_this()](core::Result<model::ModelReply> reply) {
                         self->on_reply(std::move(reply));
                       });
  }

 private:
  struct Streamed {
    std::string id;
    std::string name;
  };

  model::ModelEvents events() {
    model::ModelEvents events;
    const auto self = shared_from_this();
    events.on_text = [self](std::string_view text) {
      self->has_text_ = true;
      self->stream(self->ask_.is_speech, text);
    };
    events.on_reasoning = [self](std::string_view text) {
      self->has_reasoning_ = true;
      self->stream(false, text);
    };
    events.on_tool_call = [self](std::size_t index, std::string_view id, std::string_view name,
                                 std::string_view arguments) {
      self->stream_call(index, id, name, arguments);
    };
    events.on_retry = [self](const core::Error& error, core::Millis delay) {
      self->on_retry(error, delay);
    };
    return events;
  }

  void stream(bool is_speech, std::string_view text) {
    if (finished_ || text.empty()) return;
    if (is_speech) {
      if (auto* last = last_pending<runtime::MessageChunk>()) {
        last->content += text;
        return;
      }
      push(runtime::MessageChunk{std::string(text), context_.name()});
      return;
    }
    if (auto* last = last_pending<runtime::ThoughtChunk>()) {
      last->content += text;
      return;
    }
    push(runtime::ThoughtChunk{std::string(text), context_.name()});
  }

  void stream_call(std::size_t index, std::string_view id, std::string_view name,
                   std::string_view arguments) {
    if (finished_) return;
    Streamed& call = streamed_[index];
    const bool is_new = (call.id.empty() && !id.empty()) || (call.name.empty() && !name.empty());
    if (call.id.empty() && !id.empty()) call.id = ids_.streamed(std::string(id));
    if (call.name.empty()) call.name = name;
    if (arguments.empty() && !is_new) return;
    auto* last = last_pending<runtime::ToolCallChunk>();
    if (last != nullptr && last_index_ == index && !is_new) {
      last->arguments_delta += arguments;
      return;
    }
    runtime::ToolCallChunk chunk;
    if (!call.id.empty()) chunk.call_id = call.id;
    if (!call.name.empty()) chunk.name = call.name;
    chunk.arguments_delta = arguments;
    last_index_ = index;
    push(std::move(chunk));
  }

  void on_retry(const core::Error& error, core::Millis delay) {
    if (finished_) return;
    if (has_text_) stream(ask_.is_speech, kVoidMark);
    flush();
    ids_.reset();
    streamed_.clear();
    has_text_ = false;
    has_reasoning_ = false;
    tell_retry(error.message, delay);
  }

  // No event of the Loom protocol retracts text: this tells viewers that the output of this node so
  // far is void.
  void tell_retry(const std::string& why, core::Millis delay) {
    std::string value;
    core::JsonWriter json(value);
    json.begin_object().key("model_retry").begin_object();
    json.key("id").string(context_.name());
    json.key("error").string(why);
    json.key("delay_ms").number(static_cast<std::int64_t>(delay.count()));
    json.end_object().end_object();
    context_.emit(runtime::Custom{std::move(value)});
  }

  template <typename Event>
  Event* last_pending() {
    return pending_.empty() ? nullptr : std::get_if<Event>(&pending_.back());
  }

  void push(runtime::RunEvent event) {
    pending_.push_back(std::move(event));
    if (std::exchange(flush_posted_, true)) return;
    context_.scheduler().post([self = shared_from_this()] {
      self->flush_posted_ = false;
      if (!self->finished_) self->flush();
    });
  }

  void flush() {
    std::vector<runtime::RunEvent> events = std::exchange(pending_, {});
    for (runtime::RunEvent& event : events) context_.emit(std::move(event));
    events.clear();
    if (pending_.empty()) pending_ = std::move(events);  // for the next piece
  }

  void on_reply(core::Result<model::ModelReply> reply) {
    if (finished_) return;
    flush();
    if (!reply) {
      if (reply.error().code == core::Code::out_of_range && refits_ < kMaxRefits) {
        refit(std::move(reply.error()));
        return;
      }
      finish(core::fail(std::move(reply).error()));
      return;
    }
    model::Message& message = reply->message;
    const bool is_empty =
        message.content.empty() && message.reasoning.empty() && message.tool_calls.empty();
    complete(message);
    if (ask_.announces) announce_calls(context_, message.tool_calls);
    if (reply->usage) {
      context_.emit(*reply->usage);
      add_usage(usage_, *reply->usage);
    }
    tell_cut(reply->finish_reason);
    if (parts_->max_messages > 0) tell_messages();
    if (is_empty && !ask_.may_be_empty) {
      retry_empty();
      return;
    }
    reply->usage = usage_;
    finish(std::move(reply));
  }

  // Makes the messages fit the limit that the refusal has lowered, and asks again.
  void refit(core::Error refusal) {
    ++refits_;
    model::ContextSettings settings;
    if (ask_.with_tools) settings.tools_tokens = model::estimate_tokens(parts_->tools.specs());
    settings.summarising = [self = shared_from_this()](std::size_t messages) {
      self->context_.emit(runtime::Custom{summary_note(messages)});
    };
    settings.spent = [self = shared_from_this()](const runtime::Usage& usage) {
      self->context_.emit(usage);
      add_usage(self->usage_, usage);
    };
    model::fit(
        ask_.messages, limit_of(*parts_->model, ask_.messages, settings), parts_->model,
        context_.scheduler(), context_.cancel(),
        [self = shared_from_this(),
         refusal = std::move(refusal)](core::Result<model::Fitted> fitted) mutable {
          self->on_refitted(std::move(refusal), std::move(fitted));
        },
        settings);
  }

  void on_refitted(core::Error refusal, core::Result<model::Fitted> fitted) {
    if (finished_) return;
    const bool cancelled = !fitted && fitted.error().code == core::Code::cancelled;
    if (cancelled) return finish(core::fail(std::move(fitted.error())));
    if (!fitted || !fitted->changed) return finish(core::fail(std::move(refusal)));
    context_.emit(runtime::Custom{fit_note(*fitted)});
    ask_.messages = std::move(fitted->messages);
    if (ask_.shortened) ask_.shortened(ask_.messages);
    ids_.reset();
    --tries_;
    start();
  }

  // Tells that the provider ended the reply early.
  void tell_cut(const std::string& finish_reason) {
    const std::string_view sentence = cut_sentence(finish_reason);
    if (sentence.empty()) return;
    std::string value;
    core::JsonWriter json(value);
    json.begin_object().key(kReplyCutNote).begin_object();
    json.key("id").string(context_.name());
    json.key("finish_reason").string(finish_reason);
    json.key("message").string(sentence);
    json.end_object().end_object();
    context_.emit(runtime::Custom{std::move(value)});
  }

  void tell_messages() {
    std::string value;
    core::JsonWriter json(value);
    json.begin_object().key(kConversationNote).begin_object();
    json.key("messages").number(std::uint64_t{model::count_messages(ask_.messages) + 1});
    json.key("max_messages").number(std::uint64_t{parts_->max_messages});
    json.end_object().end_object();
    context_.emit(runtime::Custom{std::move(value)});
  }

  void complete(model::Message& message) {
    message.role = model::Role::assistant;
    if (!has_reasoning_) stream(false, message.reasoning);
    if (message.content.empty() && message.tool_calls.empty()) message.content = message.reasoning;
    if (!has_text_) stream(ask_.is_speech, message.content);
    flush();
    drop_excess(message.tool_calls);
    for (model::ToolCall& call : message.tool_calls) call.id = ids_.final_id(call.id);
  }

  void drop_excess(std::vector<model::ToolCall>& calls) {
    if (calls.size() <= kMaxCallsOfReply) return;
    std::string value;
    core::JsonWriter json(value);
    json.begin_object().key("calls_dropped").begin_object();
    json.key("id").string(context_.name());
    json.key("count").number(std::uint64_t{calls.size() - kMaxCallsOfReply});
    json.end_object().end_object();
    context_.emit(runtime::Custom{std::move(value)});
    calls.resize(kMaxCallsOfReply);
  }

  void retry_empty() {
    if (tries_ > kEmptyRetries) {
      finish(core::fail(core::Code::unavailable, "The model gave an empty reply, " +
                                                     std::to_string(tries_) + " times in a row."));
      return;
    }
    const core::Millis delay = kEmptyDelay * (1 << (tries_ - 1));
    tell_retry("The model gave an empty reply.", delay);
    timer_ = context_.scheduler().after(delay, [self = shared_from_this()] {
      self->timer_ = 0;
      self->on_cancel_.reset();
      if (!self->finished_) self->start();
    });
    on_cancel_ = context_.cancel().on_cancel([self = shared_from_this()] {
      self->context_.scheduler().cancel(self->timer_);
      self->finish(core::fail(core::Code::cancelled, self->context_.cancel().reason()));
    });
  }

  void finish(core::Result<model::ModelReply> reply) {
    if (std::exchange(finished_, true)) return;
    auto done = std::move(done_);
    done(std::move(reply));
  }

  graph::NodeContext& context_;
  std::shared_ptr<const AgentParts> parts_;
  ModelAsk ask_;
  model::Model::Done done_;
  CallIds ids_;
  int tries_ = 0;
  int refits_ = 0;
  std::vector<runtime::RunEvent> pending_;
  std::map<std::size_t, Streamed> streamed_;
  std::size_t last_index_ = 0;
  bool flush_posted_ = false;
  bool has_text_ = false;
  bool has_reasoning_ = false;
  bool finished_ = false;
  std::optional<runtime::Usage> usage_;
  core::TimerId timer_ = 0;
  core::CancelToken::Registration on_cancel_;
};

std::optional<std::string> minified(std::string_view written) {
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(written);
  simdjson::dom::element element;
  if (parser.parse(padded).get(element) != simdjson::SUCCESS) return std::nullopt;
  std::string_view inner;
  if (element.get(inner) == simdjson::SUCCESS && inner.starts_with('{')) {
    if (auto unwrapped = minified(std::string(inner))) return unwrapped;
  }
  std::string out(written.size() + simdjson::SIMDJSON_PADDING, '\0');
  std::size_t size = 0;
  if (simdjson::minify(padded.data(), padded.size(), out.data(), size) != simdjson::SUCCESS) {
    return std::nullopt;
  }
  out.resize(size);
  return out;
}

}  // namespace

void ask_model(graph::NodeContext& context, std::shared_ptr<const AgentParts> parts, ModelAsk ask,
               model::Model::Done done) {
  std::make_shared<ModelTurn>(context, std::move(parts), std::move(ask), std::move(done))->start();
}

void fit_conversation(graph::NodeContext& context, const std::shared_ptr<const AgentParts>& parts,
                      ReactState& state, absl::AnyInvocable<void(core::Result<void>)> done,
                      bool summarise_all) {
  model::ContextSettings settings;
  settings.tools_tokens = model::estimate_tokens(parts->tools.specs());
  const std::uint64_t limit = limit_of(*parts->model, state.messages, settings);
  settings.summarise_all = summarise_all;
  settings.max_messages = parts->max_messages;
  if (!summarise_all && !model::needs_fitting(state.messages, limit, settings)) {
    done({});
    return;
  }
  settings.summarising = [&context](std::size_t messages) {
    context.emit(runtime::Custom{summary_note(messages)});
  };
  settings.spent = [&context, &state](const runtime::Usage& usage) {
    context.emit(usage);
    add_usage(state.total_usage, usage);
  };
  model::fit(
      state.messages, limit, parts->model, context.scheduler(), context.cancel(),
      [&context, &state, done = std::move(done)](core::Result<model::Fitted> fitted) mutable {
        if (!fitted) {
          done(core::fail(std::move(fitted).error()));
          return;
        }
        if (fitted->changed) {
          context.emit(runtime::Custom{fit_note(*fitted)});
          state.replace_messages(std::move(fitted->messages));
        }
        done({});
      },
      settings);
}

void account(ReactState& state, const model::ModelReply& reply) {
  state.usage = reply.usage;
  if (reply.usage) add_usage(state.total_usage, *reply.usage);
}

void announce_calls(graph::NodeContext& context, const std::vector<model::ToolCall>& calls) {
  for (const model::ToolCall& call : calls) {
    context.emit(runtime::ToolCallMade{call.id, call.name, arguments_json(call.arguments)});
  }
}

std::string arguments_json(std::string_view written) {
  if (written.find_first_not_of(" \t\r\n") == std::string_view::npos) return "{}";
  if (auto json = minified(written)) return *std::move(json);
  std::string quoted;
  core::append_json_string(quoted, written);
  return quoted;
}

void extend_system_message(std::vector<model::Message>& messages, std::string_view text) {
  const auto last = std::find_if(messages.rbegin(), messages.rend(), [](const auto& message) {
    return message.role == model::Role::system;
  });
  if (last != messages.rend()) {
    last->content += "\n\n";
    last->content += text;
    return;
  }
  messages.insert(messages.begin(), model::Message::system(std::string(text)));
}

}  // namespace parley::agent
