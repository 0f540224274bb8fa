// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "dialects/api/notify/answer_page.h"

#include <algorithm>
#include <array>
#include <string>

#include "base/core/ascii.h"
#include "base/core/base64.h"
#include "base/core/html_escaped.h"
#include "base/core/secret.h"
#include "base/core/visible_text.h"
#include "base/net/http/http_text.h"
#include "model/session/approval.h"
#include "services/notify/answers.h"

namespace parley::api {

namespace {

using core::html_escaped;

constexpr std::string_view kBoldMark = "**";
// Words behind the mark of a fence that say nothing to a person; of another one the line is shown.
constexpr std::array<std::string_view, 5> kFenceWords = {"", "sh", "bash", "diff", "json"};

// The backticks of a line that opens a fence; empty: it opens none.
std::string_view fence_of(std::string_view line) {
  const std::size_t end = std::min(line.find_first_not_of('`'), line.size());
  const bool is_known =
      std::find(kFenceWords.begin(), kFenceWords.end(), line.substr(end)) != kFenceWords.end();
  return end >= 3 && is_known ? line.substr(0, end) : std::string_view();
}

std::string with_spans(std::string_view line) {
  std::string out;
  while (true) {
    const std::size_t open = line.find('`');
    const std::size_t close = open == std::string_view::npos ? open : line.find('`', open + 1);
    if (close == std::string_view::npos || close == open + 1) return out + html_escaped(line);
    out += html_escaped(line.substr(0, open)) + "<code>" +
           html_escaped(line.substr(open + 1, close - open - 1)) + "</code>";
    line.remove_prefix(close + 1);
  }
}

std::string line_html(std::string_view line) {
  const std::size_t end = line.find(":**");
  if (!line.starts_with(kBoldMark) || end == std::string_view::npos) return with_spans(line);
  return "<strong>" + html_escaped(line.substr(kBoldMark.size(), end + 1 - kBoldMark.size())) +
         "</strong>" + with_spans(line.substr(end + 1 + kBoldMark.size()));
}

std::string plain_paragraph(std::string_view html) {
  const std::size_t begin = html.find_first_not_of('\n');
  if (begin == std::string_view::npos) return {};
  html = html.substr(begin, html.find_last_not_of('\n') + 1 - begin);
  return "<p class=\"text\">" + std::string(html) + "</p>";
}

}  // namespace

std::string page_text(std::string_view text) {
  std::string out;
  std::string plain;
  std::string code;
  std::string_view fence;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!fence.empty() && line == fence) {
      out += "<pre>" + code + "</pre>";
      code.clear();
      fence = {};
    } else if (!fence.empty()) {
      code += html_escaped(line) + "\n";
    } else if (fence = fence_of(line); !fence.empty()) {
      out += plain_paragraph(plain);
      plain.clear();
    } else {
      plain += line_html(line) + "\n";
    }
  }
  // A fence that nothing closes holds the rest.
  return out + (fence.empty() ? plain_paragraph(plain) : "<pre>" + code + "</pre>");
}

namespace {

using core::html_escaped;
using notify::LinkState;

// The colours of the console (web/src/styles/tokens.css).
constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--ground:#f6f4ef;--surface:#fffdfa;--line:#e2dcd1;--strong:#918879;--ink:#23201b;--ink2:#534d44;--ink3:#6b6459;--inverse:#fffdfa;--asked:#e0900f;--soft:#fdf3de;--failed:#a8322a}
@media(prefers-color-scheme:dark){:root{--ground:#181613;--surface:#221f1b;--line:#342f29;--strong:#7d7467;--ink:#eee9e0;--ink2:#c4bcaf;--ink3:#a1988a;--inverse:#1d1a17;--asked:#f0a62f;--soft:#2f2515;--failed:#ee958b}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI','PingFang SC','Microsoft YaHei','Noto Sans CJK SC',sans-serif}
main{max-width:640px;margin:0 auto;padding:24px 16px 48px}
.brand{color:var(--ink3);font-size:14px;margin:0 0 16px}
.card{background:var(--surface);border:1px solid var(--line);border-radius:10px;padding:24px}
.asked{border-left:4px solid var(--asked)}
h1{font-size:20px;line-height:1.25;margin:0 0 8px;overflow-wrap:anywhere}
.from{color:var(--ink3);font-size:14px;margin:0 0 16px;overflow-wrap:anywhere}
.text{white-space:pre-wrap;overflow-wrap:anywhere;margin:0 0 16px}
pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:0 0 16px;padding:12px;border-radius:6px;background:var(--ground);font:14px/1.5 ui-monospace,monospace}
code{font:14px ui-monospace,monospace}
.answer{background:var(--soft);border-radius:6px;padding:12px 16px;margin:0 0 16px;overflow-wrap:anywhere}
.answer span{display:block;color:var(--ink2);font-size:14px}
.answer strong{font-size:18px}
fieldset{border:0;margin:0 0 16px;padding:0}
legend{color:var(--ink2);font-size:14px;padding:0 0 8px}
label.choice{display:flex;gap:12px;align-items:flex-start;min-height:48px;padding:12px;border:1px solid var(--line);border-radius:6px;margin:0 0 8px;overflow-wrap:anywhere}
label.choice input{width:20px;height:20px;margin:2px 0 0;flex:none}
small{display:block;color:var(--ink3);font-size:14px}
label.own{display:block;color:var(--ink2);font-size:14px;margin:0 0 16px}
textarea{display:block;width:100%;min-height:96px;margin:8px 0 0;padding:12px;border:1px solid var(--strong);border-radius:6px;background:var(--surface);color:var(--ink);font:inherit}
button{width:100%;min-height:48px;border:0;border-radius:6px;background:var(--ink);color:var(--inverse);font:inherit;font-weight:600;cursor:pointer}
:focus-visible{outline:2px solid var(--asked);outline-offset:2px}
.fault{color:var(--failed);margin:0 0 16px}
.note{color:var(--ink3);font-size:14px;margin:16px 0 0}
a{color:inherit}
)css";

struct PageWords {
  std::string_view lang;
  std::string_view question;
  std::string_view your_answer;
  std::string_view button;
  std::string_view choose;
  std::string_view write;
  std::string_view write_too;
  std::string_view once;
  std::string_view accepted;
  std::string_view accepted_text;
  std::string_view used;
  std::string_view used_text;
  std::string_view ended;
  std::string_view ended_text;
  std::string_view expired;
  std::string_view expired_text;
  std::string_view unknown;
  std::string_view unknown_text;
  std::string_view failed;
  std::string_view failed_text;
  std::string_view too_many_text;
  std::string_view fault_empty;
  std::string_view fault_long;
  std::string_view fault_choice;
  std::string_view fault_consent;
  std::string_view too_long;
  std::string_view open;
};

constexpr PageWords kEnglish{
    "en",
    "Question",
    "You would answer",
    "Send this answer",
    "Choose an answer",
    "Your answer",
    "Or write another answer",
    "Nothing is answered until you press the button. This link works once.",
    "Answered",
    "Your answer has been sent. You can close this page.",
    "Already answered",
    "This link has been used: its answer was sent before.",
    "No longer open",
    "This question was answered elsewhere or withdrawn. Your answer was not sent.",
    "Expired",
    "The question has expired, and this link with it.",
    "No such link",
    "This link is not known. Links are removed a week after their question has expired.",
    "This did not work",
    "The answer could not be stored. The link still works: try again in a moment.",
    "Too many requests came from this address. Try again in a minute.",
    "Choose or write an answer first.",
    "The answer is too long. Shorten it to 16 KiB.",
    "This question takes only its choices.",
    "This neither allows nor denies the call. Choose Allow or Deny.",
    "The question is too long to be shown whole here. Open it in Parley to allow anything.",
    "Open Parley",
};

constexpr PageWords kChinese{
    "zh-CN",
    "问题",
    "你将回答",
    "发送此回答",
    "选择一个回答",
    "你的回答",
    "或者自己填写回答",
    "按下按钮之前不会回答任何内容。此链接只能使用一次。",
    "已回答",
    "你的回答已发送，可以关闭此页面。",
    "已经回答过",
    "此链接已被使用，其回答此前已发送。",
    "问题已结束",
    "此问题已在别处得到回答或被撤回，你的回答没有发送。",
    "已过期",
    "问题已过期，此链接也随之失效。",
    "没有此链接",
    "无法识别此链接。问题过期一周后，链接会被删除。",
    "未能完成",
    "回答未能保存。链接仍然有效，请稍后重试。",
    "来自此地址的请求过多，请一分钟后重试。",
    "请先选择或填写回答。",
    "回答过长，请缩短到 16 KiB 以内。",
    "此问题只接受列出的选项。",
    "这既不是允许也不是拒绝。请选择“允许”或“拒绝”。",
    "问题过长，无法在此完整显示。如需允许任何操作，请在 Parley 中打开。",
    "打开 Parley",
};

const PageWords& words_in(notify::Language language) {
  return language == notify::Language::chinese ? kChinese : kEnglish;
}

// Scripts, frames and other sources are refused by the policy; the style is allowed by its hash.
std::string page_policy() {
  static const std::string policy =
      "default-src 'none'; style-src 'sha256-" + core::base64_encode(core::secret_hash(kStyle)) +
      "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'";
  return policy;
}

net::Response page(int status, const PageWords& words, std::string_view title,
                   const std::string& content) {
  net::Response response;
  response.status = status;
  response.headers.set("Content-Type", "text/html; charset=utf-8");
  response.headers.set("Content-Security-Policy", page_policy());
  response.headers.set("Cache-Control", "no-store");
  // The secret in the address goes to no other site. Not `no-referrer`: with it browsers send the
  // form with `Origin: null`, which the server refuses.
  response.headers.set("Referrer-Policy", "same-origin");
  response.headers.set("X-Robots-Tag", "noindex, nofollow");
  response.headers.add("Vary", "Accept-Language");
  response.body = "<!doctype html>\n<html lang=\"" + std::string(words.lang) +
                  "\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" "
                  "content=\"width=device-width, initial-scale=1\"><title>" +
                  html_escaped(title) + " · Parley</title><style>" + std::string(kStyle) +
                  "</style></head><body><main><p class=\"brand\">Parley</p>" + content +
                  "</main></body></html>\n";
  return response;
}

net::Response message_page(int status, const PageWords& words, std::string_view title,
                           std::string_view text) {
  return page(status, words, title,
              "<div class=\"card\"><h1>" + html_escaped(title) + "</h1><p>" + html_escaped(text) +
                  "</p><p class=\"note\"><a href=\"/\">" + html_escaped(words.open) +
                  "</a></p></div>");
}

std::string paragraph(std::string_view kind, const std::string& text) {
  if (text.empty()) return {};
  return "<p class=\"" + std::string(kind) + "\">" + html_escaped(text) + "</p>";
}

// What the choice with this answer means, in its asker's words; may be empty.
std::string description_of(const session::Prompt& prompt, const std::string& text) {
  for (const session::Question& question : prompt.questions) {
    for (std::size_t i = 0; i < question.choices.size(); ++i) {
      if (notify::numbered_label(question, i) == text) {
        return core::visible_line(question.choices[i].description);
      }
    }
  }
  return {};
}

std::string small(const std::string& text) {
  return text.empty() ? std::string() : "<small>" + html_escaped(text) + "</small>";
}

std::string fixed_form(const notify::LinkView& view, const PageWords& words) {
  return "<p class=\"answer\"><span>" + html_escaped(words.your_answer) + "</span><strong>" +
         html_escaped(view.link.label) + "</strong>" +
         small(description_of(view.question->prompt, view.link.text)) + "</p>";
}

// Choices and, where the question takes text, a field. `is_whole`: the page shows all of the
// question.
std::string written_form(const session::Interaction& question, bool is_whole, std::string_view text,
                         notify::Language language, const PageWords& words) {
  std::string out;
  auto answers = notify::quick_answers(question, language);
  if (!is_whole) std::erase_if(answers, [](const notify::QuickAnswer& one) { return !one.safe; });
  if (!answers.empty()) {
    out += "<fieldset><legend>" + html_escaped(words.choose) + "</legend>";
    for (const notify::QuickAnswer& answer : answers) {
      out += "<label class=\"choice\"><input type=\"radio\" name=\"choice\" value=\"" +
             html_escaped(answer.text) + "\"><span>" + html_escaped(answer.label) +
             small(description_of(question.prompt, answer.text)) + "</span></label>";
    }
    out += "</fieldset>";
  }
  if (notify::takes_text(question)) {
    out += "<label class=\"own\">" + html_escaped(answers.empty() ? words.write : words.write_too) +
           "<textarea name=\"text\" maxlength=\"" +
           std::to_string(notify::kMaxWrittenAnswerBytes / 4) + "\">" + html_escaped(text) +
           "</textarea></label>";
  }
  return out;
}

std::string too_long_note(const session::Interaction& question, const PageWords& words) {
  return "<p class=\"fault\"><a href=\"" + html_escaped(notify::question_path(question.key)) +
         "\">" + html_escaped(words.too_long) + "</a></p>";
}

net::Response form_page(int status, const notify::LinkView& view, std::string_view text,
                        std::string_view fault, notify::Language language) {
  const PageWords& words = words_in(language);
  const session::Interaction& question = *view.question;
  const std::string title = notify::notice_title(question, language).text;
  const notify::QuestionText shown =
      notify::question_text(question.prompt, notify::kMaxPageQuestionBytes);
  std::string out =
      "<form class=\"card asked\" method=\"post\"><h1>" + html_escaped(title) + "</h1>";
  out += paragraph("from", core::visible_line(question.prompt.project_directory));
  out += page_text(shown.text);
  if (!shown.complete) out += too_long_note(question, words);
  out += paragraph("fault", std::string(fault));
  out += view.link.written ? written_form(question, shown.complete, text, language, words)
                           : fixed_form(view, words);
  out += "<button type=\"submit\">" + html_escaped(words.button) + "</button>";
  out += paragraph("note", std::string(words.once)) + "</form>";
  return page(status, words, title, out);
}

}  // namespace

notify::Language page_language(std::string_view accept_language) {
  int english = 0;
  int chinese = 0;
  net::each_list_item(accept_language, [&](const net::ListItem& item) {
    const std::string tag = core::lowered(item.token);
    if (tag.starts_with("en")) english = std::max(english, item.quality);
    if (tag.starts_with("zh")) chinese = std::max(chinese, item.quality);
  });
  return chinese > english ? notify::Language::chinese : notify::Language::english;
}

net::Response link_page(const notify::LinkView& view, notify::Language language) {
  const PageWords& words = words_in(language);
  switch (view.state) {
    case LinkState::open:
      return form_page(200, view, {}, {}, language);
    case LinkState::accepted:
      return message_page(200, words, words.accepted, words.accepted_text);
    case LinkState::used:
      return message_page(410, words, words.used, words.used_text);
    case LinkState::ended:
      return message_page(409, words, words.ended, words.ended_text);
    case LinkState::expired:
      return message_page(410, words, words.expired, words.expired_text);
    case LinkState::unknown:
      break;
  }
  return message_page(404, words, words.unknown, words.unknown_text);
}

net::Response link_page_with_fault(const notify::LinkView& view, std::string_view text,
                                   notify::Language language) {
  if (view.state != LinkState::open) return link_page(view, language);
  const PageWords& words = words_in(language);
  std::string_view fault = words.fault_choice;
  if (text.empty()) fault = words.fault_empty;
  if (text.size() > notify::kMaxWrittenAnswerBytes) fault = words.fault_long;
  const auto& question = *view.question;
  if (question.kind == session::InteractionKind::tool_approval &&
      session::is_loose_consent(core::text_answer(std::string(text)))) {
    fault = words.fault_consent;
  }
  const bool is_whole =
      notify::question_text(question.prompt, notify::kMaxPageQuestionBytes).complete;
  if (!is_whole && !notify::is_safe_answer(question, std::string(text))) fault = words.too_long;
  return form_page(400, view, text, fault, language);
}

net::Response link_error_page(const core::Error& error, notify::Language language) {
  const PageWords& words = words_in(language);
  const bool too_many = error.code == core::Code::resource_exhausted;
  return message_page(core::http_status(error.code), words, words.failed,
                      too_many ? words.too_many_text : words.failed_text);
}

}  // namespace parley::api
