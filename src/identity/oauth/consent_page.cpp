// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "identity/oauth/consent_page.h"

#include <algorithm>

#include "base/core/ascii.h"
#include "base/core/base64.h"
#include "base/core/html_escaped.h"
#include "base/core/secret.h"
#include "base/http_client/url.h"
#include "base/net/http/http_text.h"

namespace parley::oauth {
namespace {

using core::html_escaped;

// The colours of the console (web/src/styles/tokens.css).
constexpr std::string_view kStyle = R"css(
:root{color-scheme:light dark;--ground:#f6f4ef;--surface:#fffdfa;--line:#e2dcd1;--strong:#918879;--ink:#23201b;--ink3:#6b6459;--inverse:#fffdfa;--asked:#e0900f;--soft:#fdf3de;--failed:#a8322a}
@media(prefers-color-scheme:dark){:root{--ground:#181613;--surface:#221f1b;--line:#342f29;--strong:#7d7467;--ink:#eee9e0;--ink3:#a1988a;--inverse:#1d1a17;--asked:#f0a62f;--soft:#2f2515;--failed:#ee958b}}
*{box-sizing:border-box}
body{margin:0;background:var(--ground);color:var(--ink);font:16px/1.5 system-ui,-apple-system,'Segoe UI','PingFang SC','Microsoft YaHei','Noto Sans CJK SC',sans-serif}
main{max-width:560px;margin:0 auto;padding:24px 16px 48px}
.brand{color:var(--ink3);font-size:14px;margin:0 0 16px}
.card{background:var(--surface);border:1px solid var(--line);border-radius:10px;padding:24px}
h1{font-size:20px;line-height:1.25;margin:0 0 16px;overflow-wrap:anywhere}
dt{color:var(--ink3);font-size:14px}
dd{margin:0 0 12px;overflow-wrap:anywhere}
dd strong{font-size:18px}
.warning{background:var(--soft);border-radius:6px;padding:12px 16px;margin:0 0 16px}
.fault{color:var(--failed);margin:0 0 16px}
label{display:block;margin:0 0 16px}
input{display:block;width:100%;min-height:48px;margin:8px 0 0;padding:12px;border:1px solid var(--strong);border-radius:6px;background:var(--surface);color:var(--ink);font:inherit}
button{width:100%;min-height:48px;margin:0 0 8px;border:1px solid var(--ink);border-radius:6px;background:var(--ink);color:var(--inverse);font:inherit;font-weight:600;cursor:pointer}
button.deny{background:none;color:var(--ink)}
:focus-visible{outline:2px solid var(--asked);outline-offset:2px}
.note{color:var(--ink3);font-size:14px;margin:8px 0 0}
)css";

struct PageWords {
  std::string_view lang;
  std::string_view title;
  std::string_view program;
  std::string_view document;
  std::string_view unchecked;
  std::string_view back_to;
  std::string_view may;
  std::string_view ask;
  std::string_view read;
  std::string_view loopback;
  std::string_view token;
  std::string_view allow;
  std::string_view deny;
  std::string_view note;
  std::string_view wrong_token;
  std::string_view no_right;
  std::string_view too_many;
  std::string_view failed;
};

constexpr PageWords kEnglish{
    "en",
    "Give a program access to Parley?",
    "Program",
    "Described by the document of",
    "The program chose this name itself; nobody has checked it.",
    "The access is sent to",
    "It may",
    "ask you questions and wait for your answers",
    "read the questions of your workspace",
    "Any program on the computer of this browser can receive the access. Go on only if you have "
    "just begun this login yourself.",
    "Your Parley token",
    "Allow",
    "Deny",
    "The program does not get your token, but access of its own. The access ends with this token: "
    "`parley token revoke` withdraws it.",
    "This token is not valid.",
    "This token has none of the rights that the program asks for.",
    "Too many wrong tokens came from this address. Try again in a minute.",
    "This login cannot go on",
};

constexpr PageWords kChinese{
    "zh-CN",
    "允许程序访问 Parley？",
    "程序",
    "其说明文件来自",
    "此名称由程序自行填写，未经核实。",
    "访问权限将发送到",
    "它可以",
    "向你提问并等待你的回答",
    "读取你的工作区中的问题",
    "此浏览器所在电脑上的任何程序都可能收到访问权限。仅当你刚刚亲自发起此登录时才继续。",
    "你的 Parley 令牌",
    "允许",
    "拒绝",
    "程序不会得到你的令牌，只会得到单独的访问权限。令牌失效时访问随之结束：`parley token revoke` "
    "可将其撤销。",
    "此令牌无效。",
    "此令牌没有程序所请求的任何权限。",
    "来自此地址的错误令牌过多，请一分钟后重试。",
    "无法继续登录",
};

const PageWords& words_for(std::string_view accept_language) {
  int english = 0;
  int chinese = 0;
  net::each_list_item(accept_language, [&](const net::ListItem& item) {
    const std::string tag = core::lowered(item.token);
    if (tag.starts_with("en")) english = std::max(english, item.quality);
    if (tag.starts_with("zh")) chinese = std::max(chinese, item.quality);
  });
  return chinese > english ? kChinese : kEnglish;
}

// `target`: a further source to which the form may lead; browsers check redirects of a form too.
net::Response page(int status, const PageWords& words, std::string_view title,
                   const std::string& content, const std::string& target) {
  static const std::string style = core::base64_encode(core::secret_hash(kStyle));
  net::Response response;
  response.status = status;
  response.headers.set("Content-Type", "text/html; charset=utf-8");
  response.headers.set("Content-Security-Policy", "default-src 'none'; style-src 'sha256-" + style +
                                                      "'; form-action 'self'" + target +
                                                      "; base-uri 'none'; frame-ancestors 'none'");
  response.headers.set("Cache-Control", "no-store");
  // Not `no-referrer`: with it browsers send the form with `Origin: null`, which is refused.
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

std::string paragraph(std::string_view kind, std::string_view text) {
  if (text.empty()) return {};
  return "<p class=\"" + std::string(kind) + "\">" + html_escaped(text) + "</p>";
}

std::string host_of(const std::string& url) {
  const auto parts = http_client::split_url(url);
  return parts ? parts->host : std::string();
}

std::string facts(const AuthorizeRequest& request, const PageWords& words) {
  std::string out = "<dl><dt>" + html_escaped(words.program) + "</dt><dd><strong>" +
                    html_escaped(request.client_name) + "</strong>";
  if (request.kind == ClientKind::document) {
    out += "<br>" + html_escaped(words.document) + " " + html_escaped(host_of(request.client_id));
  }
  if (request.kind == ClientKind::registered) out += "<br>" + html_escaped(words.unchecked);
  out += "</dd><dt>" + html_escaped(words.back_to) + "</dt><dd><strong>" +
         html_escaped(redirect_host(request.redirect)) + "</strong></dd><dt>" +
         html_escaped(words.may) + "</dt>";
  if (request.scopes.has(auth::Right::ask)) out += "<dd>" + html_escaped(words.ask) + "</dd>";
  if (request.scopes.has(auth::Right::read)) out += "<dd>" + html_escaped(words.read) + "</dd>";
  return out + "</dl>";
}

std::string_view fault_text(PageFault fault, const PageWords& words) {
  switch (fault) {
    case PageFault::none:
      return {};
    case PageFault::wrong_token:
      return words.wrong_token;
    case PageFault::no_right:
      return words.no_right;
    case PageFault::too_many:
      return words.too_many;
  }
  return {};
}

int fault_status(PageFault fault) {
  if (fault == PageFault::none) return 200;
  if (fault == PageFault::too_many) return 429;
  return fault == PageFault::no_right ? 403 : 401;
}

}  // namespace

net::Response consent_page(const AuthorizeRequest& request, std::string_view sealed,
                           PageFault fault, std::string_view accept_language) {
  const PageWords& words = words_for(accept_language);
  std::string out = "<form class=\"card\" method=\"post\" action=\"/authorize\"><h1>" +
                    html_escaped(words.title) + "</h1>" + facts(request, words);
  if (request.only_loopback) out += paragraph("warning", words.loopback);
  out += paragraph("fault", fault_text(fault, words));
  out += "<input type=\"hidden\" name=\"form\" value=\"" + html_escaped(sealed) + "\"><label>" +
         html_escaped(words.token) +
         "<input type=\"password\" name=\"token\" autocomplete=\"off\" required></label>"
         "<button type=\"submit\" name=\"decision\" value=\"allow\">" +
         html_escaped(words.allow) +
         "</button><button type=\"submit\" class=\"deny\" name=\"decision\" value=\"deny\" "
         "formnovalidate>" +
         html_escaped(words.deny) + "</button>" + paragraph("note", words.note) + "</form>";
  return page(fault_status(fault), words, words.title, out,
              " " + redirect_source(request.redirect));
}

net::Response error_page(const core::Error& error, std::string_view accept_language) {
  const PageWords& words = words_for(accept_language);
  return page(core::http_status(error.code), words, words.failed,
              "<div class=\"card\"><h1>" + html_escaped(words.failed) + "</h1><p>" +
                  html_escaped(error.message) + "</p></div>",
              {});
}

}  // namespace parley::oauth
