// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/context.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/core/utf8.h"
#include "runtime/model/context_cut.h"

namespace parley::model {
namespace {

constexpr std::uint64_t kTokensPerMessage = 4;
constexpr std::uint64_t kTokensPerImage = 1'000;
// Least size in tokens to which a message is cut: the note of the cut needs the room.
constexpr std::uint64_t kLeastTokens = 48;
// Limit of the excerpt of each old message if no model summarises, in bytes.
constexpr std::size_t kExcerptBytes = 200;
constexpr std::size_t kMaxExcerpts = 40;
// Limit of the rounds of cutting.
constexpr int kMaxRounds = 8;

std::uint64_t tokens_of_bytes(std::size_t bytes) { return (bytes + 3) / 4; }

std::uint64_t tokens_of_part(const Part& part) {
  switch (part.type) {
    case Part::Type::text:
      return 0;  // `content` holds the text
    case Part::Type::image_url:
    case Part::Type::image_base64:
      return kTokensPerImage;
    case Part::Type::audio_base64:
    case Part::Type::file:
      break;
  }
  return kTokensPerImage + part.data.size() / 8;
}

// Messages that must stay together: one message, or an assistant's message with calls and the
// results that follow it.
struct Group {
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<Group> groups_of(const std::vector<Message>& messages, std::size_t from) {
  std::vector<Group> groups;
  for (std::size_t i = from; i < messages.size();) {
    std::size_t end = i + 1;
    if (!messages[i].tool_calls.empty()) {
      while (end < messages.size() && messages[end].role == Role::tool) ++end;
    }
    groups.push_back({i, end});
    i = end;
  }
  return groups;
}

std::uint64_t tokens_of(const std::vector<Message>& messages, std::size_t begin, std::size_t end) {
  std::uint64_t tokens = 0;
  for (std::size_t i = begin; i < end; ++i) tokens += estimate_tokens(messages[i]);
  return tokens;
}

// Indexes of the results before the assistant's last message (the model has seen these) that lie
// beyond the newest `keep` tokens. Empty if clearing them would free less than `worth` tokens.
std::vector<std::size_t> clearable(const std::vector<Message>& messages, std::uint64_t keep,
                                   std::uint64_t worth) {
  std::vector<std::size_t> out;
  std::uint64_t remaining = 0;
  std::uint64_t gain = 0;
  bool seen = false;
  const std::uint64_t left = tokens_of_bytes(kClearedResult.size());
  for (std::size_t i = messages.size(); i-- > 0;) {
    const Message& message = messages[i];
    if (message.role == Role::tool) {
      const std::uint64_t tokens = tokens_of_bytes(message.content.size());
      remaining += tokens;
      if (seen && remaining > keep && tokens > left) {
        out.push_back(i);
        gain += tokens - left;
      }
    }
    seen = seen || message.role == Role::assistant;
  }
  if (gain < worth) out.clear();
  return out;
}

std::vector<std::size_t> clearable(const std::vector<Message>& messages, std::uint64_t room,
                                   const ContextSettings& settings) {
  return clearable(messages, std::min(settings.keep_result_tokens, room / 2),
                   std::max<std::uint64_t>(1, std::min(settings.worth_tokens, room / 4)));
}

std::size_t leading_systems(const std::vector<Message>& messages) {
  std::size_t count = 0;
  while (count < messages.size() && messages[count].role == Role::system) ++count;
  return count;
}

// Index of the first message that is not summarised: the newest groups with about `keep` messages
// and at most `tokens` tokens, but always at least one group.
std::size_t tail_begin(const std::vector<Message>& messages, std::size_t keep,
                       std::uint64_t tokens) {
  const std::size_t head = leading_systems(messages);
  const std::vector<Group> groups = groups_of(messages, head);
  std::size_t begin = messages.size();
  std::uint64_t taken = 0;
  for (std::size_t i = groups.size(); i-- > 0;) {
    const std::uint64_t size = tokens_of(messages, groups[i].begin, groups[i].end);
    const bool first = begin == messages.size();
    if (!first && (messages.size() - begin >= keep || taken + size > tokens)) break;
    begin = groups[i].begin;
    taken += size;
  }
  return begin;
}

// --- the summary -----------------------------------------------------------------------------

constexpr std::string_view kSummaryTask =
    "[parley:task summary]\n"
    "You are given the earlier part of a conversation between a person and an assistant that uses "
    "tools. Write a summary from which the assistant can go on without having seen it: what the "
    "person wants, what was decided, what was done with which result (names of files, commands, "
    "figures), what failed, what is still to be done. Be brief and exact; use the language of the "
    "person. Answer with the summary alone.";

void add_line(std::string& out, std::string_view who, std::string_view text, std::size_t limit) {
  out += who;
  out += ": ";
  out += cut_middle(text, limit);
  out += '\n';
}

// Old messages as one text, each cut to `limit` bytes.
std::string transcript(const std::vector<Message>& messages, std::size_t limit) {
  std::string out;
  for (const Message& message : messages) {
    if (message.role == Role::user) add_line(out, "Person", message.content, limit);
    if (message.role == Role::tool) {
      add_line(out, message.is_error ? "Error" : "Result", message.content, limit);
    }
    if (message.role != Role::assistant) continue;
    if (!message.content.empty()) add_line(out, "Assistant", message.content, limit);
    for (const ToolCall& call : message.tool_calls) {
      add_line(out, "Call", call.name + " " + call.arguments, limit);
    }
  }
  return out;
}

std::string excerpts(const std::vector<Message>& messages) {
  std::string out = "(No model summarised it; these are the beginnings of the messages.)\n";
  const std::size_t from = messages.size() > kMaxExcerpts ? messages.size() - kMaxExcerpts : 0;
  if (from > 0) out += "(" + std::to_string(from) + " older messages are left out.)\n";
  const std::vector<Message> last(messages.begin() + static_cast<std::ptrdiff_t>(from),
                                  messages.end());
  return out + transcript(last, kExcerptBytes);
}

bool too_many(const std::vector<Message>& messages, const ContextSettings& settings) {
  return settings.max_messages > 0 && count_messages(messages) >= settings.max_messages;
}

// --- one fitting -----------------------------------------------------------------------------

class Job : public std::enable_shared_from_this<Job> {
 public:
  Job(std::vector<Message> messages, std::uint64_t limit, std::shared_ptr<Model> model,
      core::Scheduler& scheduler, core::CancelToken cancel, FitDone done,
      const ContextSettings& settings)
      : room_(context_room(limit, settings)),
        settings_(settings),
        model_(std::move(model)),
        scheduler_(scheduler),
        cancel_(std::move(cancel)),
        done_(std::move(done)) {
    fitted_.messages = std::move(messages);
  }

  void run() {
    if (cancel_.cancelled()) return fail({core::Code::cancelled, cancel_.reason(), {}});
    if (system_tokens() + kLeastTokens > room_) return too_large();
    cut_to(room_ / 4, room_);
    clear_old_results();
    const bool fits =
        estimate_tokens(fitted_.messages) <= room_ && !too_many(fitted_.messages, settings_);
    if (!settings_.summarise_all && fits) return finish();
    take_old();
    if (old_.empty()) return squeeze();
    if (settings_.summarising) settings_.summarising(old_.size());
    if (model_ == nullptr) return assemble(excerpts(old_));
    ask();
  }

 private:
  std::uint64_t system_tokens() const {
    std::uint64_t tokens = 0;
    for (const Message& message : fitted_.messages) {
      if (message.role == Role::system) tokens += estimate_tokens(message);
    }
    return tokens;
  }

  // Cuts messages of more than `above` tokens to `to`.
  void cut_to(std::uint64_t to, std::uint64_t above) {
    for (Message& message : fitted_.messages) {
      if (message.role == Role::system || estimate_tokens(message) <= above) continue;
      if (cut_message(message, std::max(to, kLeastTokens))) ++fitted_.cut;
    }
  }

  void clear_old_results() {
    for (const std::size_t index : clearable(fitted_.messages, room_, settings_)) {
      fitted_.messages[index].content = kClearedResult;
      ++fitted_.cleared;
    }
  }

  // Moves the messages to be summarised into `old_`. System messages stay.
  void take_old() {
    std::vector<Message>& messages = fitted_.messages;
    const std::size_t tail =
        settings_.summarise_all
            ? messages.size()
            : tail_begin(messages, settings_.keep_messages, (room_ - system_tokens()) / 5 * 3);
    std::vector<Message> remaining;
    for (std::size_t i = 0; i < messages.size(); ++i) {
      const bool stays = i >= tail || messages[i].role == Role::system;
      (stays ? remaining : old_).push_back(std::move(messages[i]));
      if (i < tail && stays) ++systems_;
    }
    messages = std::move(remaining);
    // A summary of a summary alone would only lose detail.
    if (old_.size() == 1 && old_[0].content.starts_with(kSummaryHeading)) {
      messages.insert(messages.begin() + static_cast<std::ptrdiff_t>(systems_), std::move(old_[0]));
      old_.clear();
    }
  }

  void ask() {
    std::vector<std::uint64_t> sizes;
    sizes.reserve(old_.size());
    for (const Message& message : old_) sizes.push_back(estimate_tokens(message));
    const std::uint64_t level = std::max(level_for(sizes, room_ / 5 * 3), kLeastTokens);
    ModelRequest request;
    request.messages = {
        Message::system(std::string(kSummaryTask)),
        Message::user(cut_middle(transcript(old_, static_cast<std::size_t>(level) * 4),
                                 static_cast<std::size_t>(room_ / 4 * 3) * 4))};
    model_->ask(std::move(request), {}, scheduler_, cancel_,
                [self = shared_from_this()](core::Result<ModelReply> reply) {
                  self->on_summary(std::move(reply));
                });
  }

  void on_summary(core::Result<ModelReply> reply) {
    if (cancel_.cancelled()) return fail({core::Code::cancelled, cancel_.reason(), {}});
    if (!reply) {
      if (reply.error().code == core::Code::cancelled) return fail(std::move(reply.error()));
      return assemble(excerpts(old_));
    }
    if (reply->usage && settings_.spent) settings_.spent(*reply->usage);
    const std::string& text = reply->message.content;
    assemble(text.empty() ? excerpts(old_) : text);
  }

  void assemble(const std::string& summary) {
    // In bytes: at about four bytes per token, a quarter of the room without system messages.
    const std::size_t share = static_cast<std::size_t>(room_ - system_tokens());
    std::string text(kSummaryHeading);
    text += '\n';
    fitted_.summary = cut_middle(summary, share);
    text += fitted_.summary;
    if (const std::string request = lost_request(); !request.empty()) {
      text += '\n';
      text += kLastRequestHeading;
      text += '\n';
      text += cut_middle(request, share);
    }
    fitted_.summarised = old_.size();
    fitted_.messages.insert(fitted_.messages.begin() + static_cast<std::ptrdiff_t>(systems_),
                            Message::user(std::move(text)));
    squeeze();
  }

  // The user's last request, if it is among the messages to be summarised.
  std::string lost_request() const {
    if (settings_.summarise_all) return {};  // no request is open
    for (std::size_t i = systems_; i < fitted_.messages.size(); ++i) {
      if (fitted_.messages[i].role == Role::user) return {};
    }
    for (std::size_t i = old_.size(); i-- > 0;) {
      if (old_[i].role == Role::user) return std::string(request_in(old_[i]));
    }
    return {};
  }

  // Cuts the longest messages until all fit. A message with many calls may stay larger than its
  // share: the other messages are then cut further.
  void squeeze() {
    const std::uint64_t system = system_tokens();
    std::uint64_t room = room_ - system;
    for (int round = 0; round < kMaxRounds; ++round) {
      std::vector<std::uint64_t> sizes;
      for (const Message& message : fitted_.messages) {
        if (message.role != Role::system) sizes.push_back(estimate_tokens(message));
      }
      const std::uint64_t level = level_for(sizes, room);
      if (level < kLeastTokens) break;
      cut_to(level, level);
      const std::uint64_t tokens = estimate_tokens(fitted_.messages);
      if (tokens <= room_) return finish();
      room -= std::min(room, tokens - room_);
    }
    fail({core::Code::resource_exhausted,
          "The newest messages are too long for this model: it accepts " + std::to_string(room_) +
              " tokens of messages. Use a model with a larger context.",
          "model"});
  }

  void finish() {
    fitted_.changed = fitted_.cleared + fitted_.summarised + fitted_.cut > 0;
    auto done = std::move(done_);
    done(std::move(fitted_));
  }

  void fail(core::Error error) {
    auto done = std::move(done_);
    done(core::fail(std::move(error)));
  }

  void too_large() {
    fail({core::Code::resource_exhausted,
          "The instructions are too long for this model: it accepts " + std::to_string(room_) +
              " tokens of messages, the system messages alone have about " +
              std::to_string(system_tokens()) + ". Use a model with a larger context.",
          "model"});
  }

  const std::uint64_t room_;
  const ContextSettings settings_;
  const std::shared_ptr<Model> model_;
  core::Scheduler& scheduler_;
  const core::CancelToken cancel_;
  FitDone done_;
  Fitted fitted_;
  std::vector<Message> old_;
  std::size_t systems_ = 0;  // number of system messages before the summary
};

}  // namespace

std::uint64_t estimate_tokens(const Message& message) {
  std::size_t bytes =
      message.content.size() + message.reasoning.size() + message.tool_call_id.size();
  std::uint64_t tokens = kTokensPerMessage;
  for (const ToolCall& call : message.tool_calls) {
    bytes += call.id.size() + call.name.size() + call.arguments.size();
    tokens += kTokensPerMessage;
  }
  for (const Part& part : message.parts) tokens += tokens_of_part(part);
  return tokens + tokens_of_bytes(bytes);
}

std::uint64_t estimate_tokens(const std::vector<Message>& messages) {
  return tokens_of(messages, 0, messages.size());
}

std::uint64_t estimate_tokens(const std::vector<ToolSpec>& tools) {
  std::uint64_t tokens = 0;
  for (const ToolSpec& tool : tools) {
    tokens += kTokensPerMessage +
              tokens_of_bytes(tool.name.size() + tool.description.size() + tool.parameters.size());
  }
  return tokens;
}

std::uint64_t context_room(std::uint64_t limit, const ContextSettings& settings) {
  if (limit == 0) limit = kDefaultContextTokens;
  const std::uint64_t taken = std::min(settings.reserve_tokens, limit / 4) + settings.tools_tokens;
  return limit > taken ? limit - taken : 0;
}

std::uint64_t limit_for_room(std::uint64_t room, const ContextSettings& settings) {
  const std::uint64_t used = room + settings.tools_tokens;
  // The reserve is a quarter of a small limit, so a third of what the rest of it holds.
  return used + std::min(settings.reserve_tokens, (used + 2) / 3);
}

std::size_t count_messages(const std::vector<Message>& messages) {
  return static_cast<std::size_t>(
      std::count_if(messages.begin(), messages.end(),
                    [](const Message& message) { return message.role != Role::system; }));
}

std::string_view request_in(const Message& message) {
  std::string_view content = message.content;
  if (!content.starts_with(kSummaryHeading)) return content;
  const std::size_t at = content.rfind(kLastRequestHeading);
  if (at == std::string_view::npos) return {};
  content.remove_prefix(at + kLastRequestHeading.size());
  if (content.starts_with('\n')) content.remove_prefix(1);
  return content;
}

bool needs_fitting(const std::vector<Message>& messages, std::uint64_t limit,
                   const ContextSettings& settings) {
  const std::uint64_t room = context_room(limit, settings);
  return estimate_tokens(messages) > room || too_many(messages, settings) ||
         !clearable(messages, room, settings).empty();
}

void fit(std::vector<Message> messages, std::uint64_t limit, std::shared_ptr<Model> model,
         core::Scheduler& scheduler, const core::CancelToken& cancel, FitDone done,
         const ContextSettings& settings) {
  auto job = std::make_shared<Job>(std::move(messages), limit, std::move(model), scheduler, cancel,
                                   std::move(done), settings);
  scheduler.post([job] { job->run(); });
}

}  // namespace parley::model
