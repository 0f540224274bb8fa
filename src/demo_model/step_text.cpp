// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "demo_model/step_text.h"

#include <algorithm>
#include <boost/json/parse.hpp>
#include <boost/json/stream_parser.hpp>
#include <boost/json/value.hpp>
#include <cctype>

#include "core/ascii.h"
#include "core/utf8.h"
#include "demo_model/expression.h"

namespace parley::demo_model {
namespace {

// So many quotes, and so many separators, are looked at; each costs a look at what follows it.
constexpr std::size_t kMaxMarks = 256;

// A step may begin with these after a mere "and" or comma.
constexpr std::string_view kVerbs =
    R"((?:(?:read|open|show|print|cat|display|list|find|search|grep|write|save|append|create|make|)"
    R"(add|edit|replace|change|set|delete|remove|move|rename|run|execute|fetch|download|remember|)"
    R"(recall|ask|tell|say|summari[sz]e|explain|describe|compare|count|plan)\b|读|打开|查看|显示|)"
    R"(列|查找|搜索|写|创建|新建|保存|追加|编辑|替换|修改|删|移动|重命名|运行|执行|抓取|获取|下载|)"
    R"(记住|回忆|询问|问我|问用户|告诉|说|总结|统计|比较|添加|调用|把|将))";

const Expression& separator() {
  static const Expression kSeparator(
      R"((?P<stop>[.!?]\s+|[。！？])|\s*[;；\n]\s*|)"
      R"([\s,，]*(?:\b(?:and then|then|after that|afterwards|finally)\b|然后|接着|随后|)"
      R"(接下来|最后|之后|完成后)[\s,，]*|(?P<and>(?:\s*[,，、]\s*(?:and\s+)?|\s+and\s+|\s*(?:并且|并))再?|)"
      R"(\s*再)(?:(?:also|please)\s+|请)*)" +
      std::string(kVerbs));
  return kSeparator;
}

// The end of the JSON object that begins at `at`; `at` if there is none.
std::size_t object_end(std::string_view text, std::size_t at) {
  boost::json::stream_parser parser;
  boost::system::error_code failure;
  const std::string_view rest = text.substr(at);
  const std::size_t size = parser.write_some(rest.data(), rest.size(), failure);
  return failure || !parser.done() ? at : at + rest.rfind('}', size - 1) + 1;
}

// Of the same length: what is in quotes, in code and in JSON objects blanked out.
std::string masked(std::string_view text) {
  static const Expression kWhole(
      R"(```.*?```|`[^`\n]*`|"[^"]*"|“[^”]*”|‘[^’]*’|「[^」]*」|《[^》]*》|)"
      R"((?:^|[\s(,:，：])'[^']+'|https?://[^\s"'<>\p{Han}，。；]*[\w/]|\{)");
  constexpr char kBlank = '\x01';
  std::string out(text);
  std::size_t marks = 0;
  for (auto hit = kWhole.find(text); hit && ++marks <= kMaxMarks;
       hit = kWhole.find(text, hit->end)) {
    if (text[hit->begin] == '{') hit->end = std::max(hit->end, object_end(text, hit->begin));
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(hit->begin),
              out.begin() + static_cast<std::ptrdiff_t>(hit->end), kBlank);
  }
  return out;
}

// Whether the step so far goes on behind a separator of this kind.
bool goes_on(std::string_view so_far, const Expression::Match& hit, std::string_view rest) {
  static const Expression kList(R"((?:to-?dos?|plan|task list|待办|计划|任务清单)[^:：]*[:：])");
  static const Expression kSaid(
      R"(^(?:please\s+|请|帮我)*(?:(?:ask|let|have|remember|remind|say|repeat|echo|delegate|)"
      R"(keep in mind|tell (?:the )?[\w-]+ (?:sub-?)?agent|add|in|edit \S+$)\b|问|询问|让|委托|记|)"
      R"(说|重复|提醒|在))");
  static const Expression kQuestion(R"(^(?:please\s+|请)*(?:ask (?:me|the)\b|问|询问))");
  static const Expression kKeeps(R"(^(?:write|save)\b|^(?:把|将|写|保存))");
  static const Expression kNumber(R"((?:^|[\s:：])\d+$)");
  if (hit.slots.contains("stop")) return kNumber.in(so_far);
  if (kList.in(so_far)) return true;
  if (!hit.slots.contains("and") || !kSaid.in(so_far)) return false;
  return !(kQuestion.in(so_far) && kKeeps.in(rest));
}

}  // namespace

std::string_view readable(std::string_view text) {
  return core::utf8_truncate(text.substr(0, core::utf8_prefix(text)), kMaxRequestBytes);
}

Language language_of(std::string_view text) {
  std::size_t han = 0;
  std::size_t words = 0;
  bool in_word = false;
  for (const char c : masked(readable(text))) {
    const auto byte = static_cast<unsigned char>(c);
    han += byte >= 0xe3 && byte <= 0xe9 ? 1 : 0;  // first bytes of U+3000 to U+9FFF
    const bool is_letter = byte < 0x80 && std::isalnum(byte) != 0;
    words += is_letter && !in_word ? 1 : 0;
    in_word = is_letter;
  }
  return han > 0 && 2 * han >= words ? Language::chinese : Language::english;
}

std::vector<std::string> split_steps(std::string_view text) {
  static const Expression kNumbering(R"(^\s*(?:\d{1,2}[.)、]\s*|[-*•]\s+))");
  text = readable(text);
  const std::string plain = masked(text);
  std::vector<std::string> out;
  std::size_t begin = 0;
  const auto end_step = [&](std::size_t end) {
    std::string_view step = core::trimmed(text.substr(begin, end - begin));
    if (const auto number = kNumbering.find(step)) step.remove_prefix(number->end);
    if (step.size() > 1 && out.size() < kMaxSteps) out.emplace_back(step);
  };
  std::size_t marks = 0;
  for (auto hit = separator().find(plain); hit && ++marks <= kMaxMarks;) {
    const auto loose = hit->slots.find("and");
    const std::size_t cut =
        loose == hit->slots.end() ? hit->end : hit->begin + loose->second.size();
    const std::string_view whole(plain);
    const std::string_view so_far = core::trimmed(whole.substr(begin, hit->begin - begin));
    if (!so_far.empty() && !goes_on(so_far, *hit, whole.substr(cut))) {
      const bool keeps_mark = hit->slots.contains("stop");
      end_step(keeps_mark ? hit->end : hit->begin);
      begin = cut;
    }
    hit = separator().find(plain, std::max(cut, hit->begin + 1));
  }
  end_step(text.size());
  return out;
}

std::vector<std::string> split_list(std::string_view text) {
  static const Expression kComma(
      R"(\s*[,，、;；\n]\s*(?:(?:and|or|then)\s+|然后)*|\s+\d{1,2}[.)]\s+|\s+(?:and|or|then)\s+|和|以及|或者?|然后)");
  static const Expression kItem(R"(^\s*(?:\d{1,2}[.)]\s*|[-*•]\s+)?(?P<item>.*?)[\s.。!?！？]*$)");
  const std::string plain = masked(text);
  std::vector<std::string> out;
  std::size_t begin = 0;
  const auto end_item = [&](std::size_t end) {
    const auto item = kItem.find(text.substr(begin, end - begin));
    if (item && !item->slots.at("item").empty()) out.push_back(unquoted(item->slots.at("item")));
  };
  for (auto hit = kComma.find(plain); hit && out.size() < kMaxMarks;
       hit = kComma.find(plain, hit->end)) {
    end_item(hit->begin);
    begin = hit->end;
  }
  end_item(text.size());
  return out;
}

std::string unquoted(std::string_view text) {
  static const Expression kQuoted(
      R"re(\s*(?:"(?P<t>[^"]*)"|“(?P<t2>[^”]*)”|'(?P<t3>[^']*)'|‘(?P<t4>[^’]*)’|「(?P<t5>[^」]*)」|)re"
      R"re(《(?P<t6>[^》]*)》|```\w*\n?(?P<t7>.*?)\n?```|`(?P<t8>[^`]*)`)[\s.。]*)re");
  if (kQuoted.is(text)) return std::string(kQuoted.find(text)->slots.at("t"));
  text = core::trimmed(text);
  if (text.ends_with("。")) text.remove_suffix(std::string_view("。").size());
  static const Expression kStop(R"re([\w\p{Han}"')]\.$)re");
  if (kStop.in(text)) text.remove_suffix(1);
  return std::string(text);
}

bool is_json_object(std::string_view text) {
  boost::system::error_code failure;
  const boost::json::value value = boost::json::parse(text, failure);
  return !failure && value.is_object();
}

}  // namespace parley::demo_model
