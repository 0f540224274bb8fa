// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/openai_failure.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <boost/system/error_code.hpp>
#include <string>

#include "base/core/json_member.h"
#include "base/core/number_text.h"
#include "base/core/time_text.h"
#include "base/core/utf8.h"

namespace parley::model {
namespace {

using core::Code;

constexpr std::size_t kMaxSaidBytes = 500;

struct ErrorBody {
  std::string message;
  std::string code;  // `code` if present, else `type`: providers use either name
  int status = 0;    // if the code is an HTTP status
};

ErrorBody read_error_body(std::string_view body) {
  ErrorBody body_error;
  boost::system::error_code problem;
  const boost::json::value parsed = boost::json::parse(body, problem);
  if (problem || !parsed.is_object()) {
    // A body in HTML has no usable message; a line of text has.
    if (!body.starts_with('<')) body_error.message = body.substr(0, body.find('\n'));
    return body_error;
  }
  const boost::json::object* from = &parsed.get_object();
  if (const boost::json::value* error = from->if_contains("error"); error != nullptr) {
    if (error->is_string()) body_error.message = core::string_member(*from, "error");
    if (error->is_object()) from = &error->get_object();
  }
  for (const char* key : {"message", "detail"}) {
    if (body_error.message.empty()) body_error.message = core::string_member(*from, key);
  }
  body_error.code = core::string_member(*from, "code");
  if (body_error.code.empty()) body_error.code = core::string_member(*from, "type");
  for (const char* key : {"code", "status"}) {
    const boost::json::value* number = from->if_contains(key);
    if (number != nullptr && number->is_int64() && number->get_int64() >= 400 &&
        number->get_int64() < 600) {
      body_error.status = static_cast<int>(number->get_int64());
    }
  }
  return body_error;
}

bool has_word(const std::string& code, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(), [&code](std::string_view word) {
    return code.find(word) != std::string::npos;
  });
}

// Maps the code of an error inside a stream, where the HTTP status was already 200.
int status_of_code(const std::string& code) {
  if (has_word(code, {"auth", "api_key", "permission"})) return 401;
  if (has_word(code, {"rate_limit", "quota", "too_many"})) return 429;
  if (has_word(code, {"invalid", "context_length", "not_found", "unsupported", "content"})) {
    return 400;
  }
  return 503;
}

bool is_quota(const ErrorBody& body_error) {
  return has_word(body_error.code, {"quota", "billing", "credit"});
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

// Words of the known providers for a request that is longer than the context. In lower case.
constexpr std::string_view kTooLong[] = {
    "context_length_exceeded",
    "exceed_context_size",
    "maximum context length",                        // OpenAI, vLLM, DeepSeek, Mistral, OpenRouter
    "maximum prompt length",                         // xAI
    "maximum model length",                          // vLLM
    "prompt is too long",                            // Anthropic, Fireworks
    "exceed context limit",                          // Anthropic
    "input is too long",                             // Bedrock
    "exceeds the maximum number of tokens allowed",  // Gemini
    "exceeds the available context size",            // llama.cpp
    "with context length of only",                   // LM Studio
    "exceeded model token limit",                    // Moonshot
    "range of input length should be",               // DashScope
    "tokens in the prompt cannot exceed",            // Cohere
    "`inputs` tokens + `max_new_tokens` must be",    // TGI, Together
    "`inputs` must have less than",                  // TGI
    "reduce the length of the messages",             // Groq
    "context window",
    "prompt 超长",  // Zhipu
};

// Text before the limit, in lower case, in these messages.
constexpr std::string_view kBeforeLimit[] = {
    "maximum context length is ",
    "maximum context length: ",
    "maximum context length of ",
    "maximum prompt length is ",
    "maximum model length of ",
    "context length of only ",
    "available context size (",
    "number of tokens allowed (",
    "model token limit: ",
    "input length should be [1, ",
    "prompt cannot exceed ",
    "must be <= ",
    "must have less than ",
    "model with ",
    " > ",
};

bool is_too_long(int status, const ErrorBody& body_error) {
  const bool may_be = status == 400 || status == 413 || status == 422 || status >= 500;
  if (!may_be) return false;
  const std::string lowered = lower(body_error.code + " " + body_error.message);
  return std::any_of(std::begin(kTooLong), std::end(kTooLong), [&lowered](std::string_view words) {
    return lowered.find(words) != std::string::npos;
  });
}

std::string sentence(std::string what, const std::string& body_error) {
  std::string visible;
  for (const char c : core::utf8_truncate(body_error, kMaxSaidBytes)) {
    visible += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  while (visible.ends_with(' ')) visible.pop_back();
  if (visible.empty()) return what + ".";
  return what + ": " + visible;
}

}  // namespace

ProviderFailure failure_of(int status, std::string_view body) {
  const ErrorBody body_error = read_error_body(body);
  if (status == 0)
    status = body_error.status != 0 ? body_error.status : status_of_code(body_error.code);
  const std::string number = " (status " + std::to_string(status) + ")";
  if (is_too_long(status, body_error)) {
    return {{Code::out_of_range,
             sentence("The conversation is too long for this model" + number, body_error.message)},
            false};
  }
  if (status == 401 || status == 403) {
    return {{Code::unauthenticated,
             sentence("The provider refuses the key" + number, body_error.message)},
            false};
  }
  if (status == 402 || (status == 429 && is_quota(body_error))) {
    return {{Code::resource_exhausted,
             sentence("The provider's quota is used up" + number, body_error.message)},
            false};
  }
  if (status == 429) {
    return {
        {Code::resource_exhausted,
         sentence("The provider accepts no more requests for now" + number, body_error.message)},
        true};
  }
  if (status == 408 || status == 409 || status == 425 || status >= 500) {
    return {{Code::unavailable, sentence("The provider failed" + number, body_error.message)},
            true};
  }
  if (status >= 300 && status < 400) {
    return {{Code::invalid_argument,
             "The provider redirects" + number + ". Set base_url to the target of the redirect."},
            false};
  }
  return {{Code::invalid_argument,
           sentence("The provider refuses the request" + number, body_error.message)},
          false};
}

std::optional<std::uint64_t> context_limit_in(std::string_view message) {
  const std::string lowered = lower(message);
  for (const std::string_view before : kBeforeLimit) {
    const std::size_t at = lowered.find(before);
    if (at == std::string::npos) continue;
    std::string_view rest = std::string_view(lowered).substr(at + before.size());
    rest = rest.substr(0, rest.find_first_not_of("0123456789"));
    const auto limit = core::parse_number<std::uint64_t>(rest);
    if (limit && *limit > 0) return limit;
  }
  return std::nullopt;
}

std::optional<core::Millis> read_retry_after(std::string_view value, core::WallTime now) {
  while (value.ends_with(' ')) value.remove_suffix(1);
  if (const auto date = core::parse_http_date(value)) return std::max(*date - now, core::Millis(0));
  constexpr double kLongest = 1e9;
  const auto seconds = core::parse_number<double>(value);
  if (!seconds || !(*seconds >= 0) || *seconds > kLongest) return std::nullopt;
  return core::Millis(static_cast<std::int64_t>(*seconds * 1'000));
}

}  // namespace parley::model
