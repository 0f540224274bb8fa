// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "services/notify/email_message.h"

#include <algorithm>

#include "base/core/base64.h"
#include "base/core/html_escaped.h"
#include "base/core/time_text.h"
#include "base/core/utf8.h"

namespace parley::notify {
namespace {

constexpr std::size_t kLineBytes = 76;
constexpr std::size_t kWordTextBytes = 42;  // 60 characters as base64, within a word of 75

struct MailWords {
  std::string_view open;
  std::string_view answer;
  std::string_view once;
};

MailWords mail_words(Language language) {
  if (language == Language::chinese) {
    return {"在 Parley 中打开", "选择或填写回答",
            "每个链接只能使用一次，并随问题过期。打开后先显示内容，按下按钮才会回答。"};
  }
  return {"Open in Parley", "Choose or write an answer",
          "Each link works once and expires with the question. It shows what it answers; only the "
          "button on its page counts."};
}

std::string base64_lines(std::string_view text) {
  const std::string encoded = core::base64_encode(text);
  std::string out;
  for (std::size_t at = 0; at < encoded.size(); at += kLineBytes) {
    out += encoded.substr(at, kLineBytes) + "\r\n";
  }
  return out;
}

std::string plain_part(const Notice& notice, const MailWords& words) {
  std::string out = notice.title + "\n\n" + notice.body + "\n\n";
  for (const NoticeOption& option : notice.options) {
    out += option.label + ":\n" + notice.base + option.path + "\n\n";
  }
  if (!notice.write_path.empty()) {
    out += std::string(words.answer) + ":\n" + notice.write_url() + "\n\n";
  }
  out += std::string(words.open) + ":\n" + notice.page_url() + "\n";
  if (!notice.write_path.empty()) out += "\n" + std::string(words.once) + "\n";
  return out;
}

std::string link_html(const std::string& url, std::string_view label, bool button) {
  const std::string style =
      button ? " style=\"display:inline-block;margin:0 8px 8px 0;padding:8px 16px;border:1px solid "
               "#1f2328;border-radius:6px;color:#1f2328;text-decoration:none\""
             : "";
  return "<a href=\"" + core::html_escaped(url) + "\"" + style + ">" + core::html_escaped(label) +
         "</a>";
}

std::string html_part(const Notice& notice, const MailWords& words) {
  std::string out =
      "<!doctype html><html><body style=\"font-family:sans-serif;line-height:1.5;max-width:640px\">"
      "<h1 style=\"font-size:18px\">" +
      core::html_escaped(notice.title) + "</h1><p style=\"white-space:pre-wrap\">" +
      core::html_escaped(notice.body) + "</p><p>";
  for (const NoticeOption& option : notice.options) {
    out += link_html(notice.base + option.path, option.label, true);
  }
  out += "</p>";
  if (!notice.write_path.empty()) {
    out += "<p>" + link_html(notice.write_url(), words.answer, false) + "</p>";
  }
  out += "<p>" + link_html(notice.page_url(), words.open, false) + "</p>";
  if (!notice.write_path.empty()) {
    out += "<p style=\"color:#59636e;font-size:13px\">" + core::html_escaped(words.once) + "</p>";
  }
  return out + "</body></html>\n";
}

std::string part(const std::string& boundary, std::string_view type, std::string_view text) {
  return "--" + boundary + "\r\nContent-Type: " + std::string(type) +
         "; charset=utf-8\r\nContent-Transfer-Encoding: base64\r\n\r\n" + base64_lines(text);
}

}  // namespace

std::string encoded_words(std::string_view text) {
  const bool plain = text.size() <= kLineBytes - 10 &&
                     std::all_of(text.begin(), text.end(),
                                 [](char c) { return c >= ' ' && c < 0x7f && c != '='; });
  if (plain) return std::string(text);
  std::string out;
  while (!text.empty()) {
    std::string_view piece = core::utf8_truncate(text, kWordTextBytes);
    if (piece.empty()) piece = text.substr(0, 1);
    text.remove_prefix(piece.size());
    if (!out.empty()) out += "\r\n ";
    out += "=?utf-8?B?" + core::base64_encode(piece) + "?=";
  }
  return out;
}

std::string mail_date(core::WallTime at) {
  std::string text = core::http_date(at);
  return text.replace(text.size() - 3, 3, "+0000");
}

bool is_mail_address(std::string_view text) {
  constexpr std::size_t kLongest = 254;
  const std::size_t at = text.find('@');
  const bool clean = std::all_of(text.begin(), text.end(), [](char c) {
    return c > ' ' && c < 0x7f &&
           std::string_view("<>()[]\\,;:\"").find(c) == std::string_view::npos;
  });
  return clean && text.size() <= kLongest && at != std::string_view::npos && at > 0 &&
         at + 1 < text.size() && text.find('@', at + 1) == std::string_view::npos;
}

std::string email_message(const EmailEnvelope& envelope, const Notice& notice, Language language) {
  const MailWords words = mail_words(language);
  std::string to;
  for (const std::string& one : envelope.to) to += (to.empty() ? "" : ",\r\n ") + one;
  return "From: Parley <" + envelope.from + ">\r\nTo: " + to +
         "\r\nSubject: " + encoded_words(notice.title) + "\r\nDate: " + mail_date(envelope.at) +
         "\r\nMessage-ID: <" + envelope.message_id +
         ">\r\nAuto-Submitted: auto-generated\r\nMIME-Version: 1.0\r\n"
         "Content-Type: multipart/alternative; boundary=\"" +
         envelope.boundary + "\"\r\n\r\n" +
         part(envelope.boundary, "text/plain", plain_part(notice, words)) +
         part(envelope.boundary, "text/html", html_part(notice, words)) + "--" + envelope.boundary +
         "--\r\n";
}

}  // namespace parley::notify
