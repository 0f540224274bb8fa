// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/demo_model/request.h"

#include <re2/re2.h>

#include <memory>
#include <utility>

#include "absl/strings/str_replace.h"
#include "base/core/ascii.h"
#include "base/core/assert.h"
#include "base/core/utf8.h"

namespace parley::demo_model {
namespace {

using re2::RE2;
using re2::StringPiece;

// Limit (Models): files of a demonstration's step. Reached: the rest is ignored.
constexpr std::size_t kMaxItems = 32;  // of a list: the files of a step

// Abbreviations in the table: <Q> a quote, <P> a quote or a path, <L> one or more of these, <W> a
// quote or a word, <T> "and tell me".
constexpr const char* kQuote = R"("(?:[^"\\]|\\.)*"|“[^”]*”|「[^」]*」|`[^`]*`)";
constexpr const char* kLetter = R"([^\s"“”「」`,，、。;；:：!！?？()（）{}<>|和与里中的])";
constexpr const char* kTold = R"((?:\s*(?:and|并|[,，])\s*(?:tell|show|say|告诉|说).*)?)";

// The first matching row counts. Only one of the groups "path" and "path2" matches.
constexpr Intent kIntents[] = {
    {R"(\w*ask_(?:question|user|human|person)|ask)",
     R"(ask (?:me|the user)[\s:,]+(?P<question>[^:]+)(?::\s*(?P<options>.+))?)",
     R"(询?问(?:一下)?(?:我|用户)[\s:：，,]*(?P<question>[^:：]+)(?:[:：]\s*(?P<options>.+))?)"},
    {R"(\w*todo_write|\w*(?:write|create|update|set)_(?:todos?|plan))",
     R"((?:make a )?(?:plan|to-?do)(?: list)?\s*:\s*(?P<items>.+))",
     R"((?:制定)?(?:一个)?(?:计划|待办)(?:事项)?\s*[:：]\s*(?P<items>.+))"},
    {R"(\w*node_set|\w*(?:set|update|edit)_node(?:_input|_value)?)",
     R"((?:set|change) (?:the )?(?P<input>[\w-]+) (?:of|in|on) (?:the )?node #?(?P<node>[\w-]+))"
     R"( to (?P<value>.+))",
     R"((?:把|将)?\s*节点\s*(?P<node>[\w-]+)\s*的\s*(?P<input>[\w-]+)\s*)"
     R"((?:改成|改为|设为|设成)\s*(?P<value>.+))"},
    {R"(comfyui_run|\w*(?:run|queue|execute)_workflow)",
     R"((?:queue|run|execute) (?:(?:the|this|my) )?workflow)",
     R"((?:运行|执行|提交)(?:一下)?(?:这个|当前)?工作流)"},
    {R"(comfyui_validate|\w*(?:validate|check)_workflow)",
     R"((?:validate|check) (?:(?:the|this|my) )?workflow)",
     R"((?:检查|校验|验证)(?:一下)?(?:这个|当前)?工作流)"},
    {R"(comfyui_interrupt|\w*(?:interrupt|stop|cancel)_workflow)",
     R"((?:interrupt|stop|cancel) (?:(?:the|this|my) )?workflow)",
     R"((?:中断|停止|取消)(?:一下)?(?:这个|当前)?工作流)"},
    {R"(comfyui_models|\w*list_models)",
     R"((?:list|show|which|what) (?:(?:all|the) )*models(?: are there| do you have)?)",
     R"((?:有哪些|有什么|列出)(?:所有)?的?模型)"},
    {R"(comfyui_nodes|\w*list_nodes)",
     R"((?:list|show|which|what) (?:(?:all|the) )*nodes(?: are there| do you have)?)",
     R"((?:有哪些|有什么|列出)(?:所有)?的?节点)"},
    {R"(bash|shell|\w*(?:run|execute)_(?:shell_)?command)",
     R"((?:run|execute) the command:?\s*(?P<command>.+))",
     R"((?:运行|执行)(?:一下)?命令[\s:：]*(?P<command>.+))"},
    {R"(\w*(?:write|create|save)(?:_text)?_file|file_write)",
     R"((?:write|save) (?:(?P<result>it|(?:the|its) (?:content|result|answer)s?)|(?P<content><Q>)))"
     R"( (?:to|into|in|as) (?:the )?(?:file )?(?P<path><P>)|(?:write|create) (?:(?:a|the) )?)"
     R"((?:file )?(?P<path2><P>) with (?:the )?(?:(?:content|text) )?(?P<content2>.+))",
     R"((?:(?:把|将)\s*)?(?:(?P<result>它|内容|结果)|(?P<content><Q>))\s*(?:写入|写到|保存到)\s*)"
     R"((?:文件)?\s*(?P<path><P>)|(?:创建|新建|写入)(?:文件)?\s*(?P<path2><P>)[\s，,]*内容[为是])"
     R"([\s:：]*(?P<content2>.+))"},
    {R"(\w*(?:delete|remove)_(?:files?|path)|file_delete)",
     R"((?:delete|remove) (?:the )?(?:(?:file|folder)s? )?(?P<path><L>|<W>))",
     R"((?:删除|删掉)\s*(?:文件夹|文件|目录)?\s*(?P<path><L>|<W>))"},
    {R"(grep|\w*search_(?:files?|text|code)|find_in_files)",
     R"((?:search|look|grep) for (?P<pattern><Q>|\S+))"
     R"((?: in (?:the files|(?:the )?(?:(?:folder|file) )?(?P<path><W>)))?<T>)",
     R"((?:在\s*(?P<path><W>)\s*(?:目录|文件夹)?[里中下]?\s*)?(?:搜索|查找)\s*(?P<pattern><Q>|[^\s，]+)<T>)"},
    {R"(ls|\w*list_(?:files|dir|directory|folder))",
     R"((?:list|show) (?:(?:all|the|me) )*files(?: here| in (?:this|the current) folder|)"
     R"( in (?:the )?(?:folder )?(?P<path><W>))?<T>)",
     R"(列出\s*(?:当前|这里的?|所有的?)?\s*(?P<path><W>)?\s*(?:目录|文件夹)?[下里中]?的?(?:文件|内容)?<T>)"},
    {R"(read|\w*(?:read|open|view|get|load)(?:_text)?_files?|file_read)",
     R"((?:read|open|show|print|compare) (?:(?:me|the|files?) )*(?P<path><L>)<T>)",
     R"((?:读取?|打开|查看|看看|显示|比较|对比)(?:一下)?\s*(?:文件)?\s*(?P<path><L>)\s*(?:文件)?(?:的内容)?<T>)"},
    {"", R"(say[\s:]+(?P<text>.+))", R"(说[\s:：]*(?P<text>.+))"},
    {"", R"((?:hello|hi|tell me|show me)\b.*)", R"((?:你好|告诉我|给我看).*)"},
};

std::string expanded(const std::string& pattern) {
  static const std::string kPath = absl::StrReplaceAll(R"((?:<Q>|<C>*/<C>*|<C>*\.[A-Za-z]\w*))",
                                                       {{"<Q>", kQuote}, {"<C>", kLetter}});
  static const std::string kPaths = kPath + R"((?:\s*(?:and|[,，、和与])\s*)" + kPath + ")*";
  static const std::string kWord = std::string("(?:") + kQuote + R"(|[\w./~+@%-]+))";
  return absl::StrReplaceAll(
      pattern, {{"<Q>", kQuote}, {"<P>", kPath}, {"<L>", kPaths}, {"<W>", kWord}, {"<T>", kTold}});
}

using Pattern = std::pair<const Intent*, std::unique_ptr<RE2>>;

std::vector<Pattern> compile() {
  const std::string begin = "(?is)^(?:(?:please|can you|now|first|also)\\s+|请|帮我|先|再)*(?:";
  std::vector<Pattern> out;
  for (const Intent& intent : kIntents) {
    for (const char* words : {intent.english, intent.chinese}) {
      out.emplace_back(&intent, std::make_unique<RE2>(begin + expanded(words) + ")[\\s!！?？]*$"));
      PARLEY_ASSERT(out.back().second->ok(), out.back().second->error());
    }
  }
  return out;
}

// Removes quotes around the whole text.
std::string unquoted(StringPiece text) {
  static const RE2 kWhole(kQuote);
  static const RE2 kMarks("(?s)^.|.$");
  std::string out(core::trimmed(text));
  if (RE2::FullMatch(out, kWhole)) RE2::GlobalReplace(&out, kMarks, "");
  return out;
}

std::vector<std::string> split_list(StringPiece text) {
  static const RE2 kItem(std::string("(?is)\\s*(") + kQuote +
                         R"re(|.+?)\s*(?:[,，、]\s*(?:(?:and|or)\s)?|)re" +
                         R"re(\s(?:and|or)\s|[和与]|或者?|$))re");
  std::vector<std::string> out;
  for (std::string item; out.size() < kMaxItems && RE2::Consume(&text, kItem, &item);) {
    out.push_back(unquoted(item));
  }
  return out;
}

// Stores the groups of a match as slots; false if the pattern does not match.
bool fits(const RE2& pattern, Step& step) {
  const int count = pattern.NumberOfCapturingGroups() + 1;
  std::vector<StringPiece> groups(static_cast<std::size_t>(count));
  const StringPiece text(step.text);
  if (!pattern.Match(text, 0, text.size(), RE2::UNANCHORED, groups.data(), count)) return false;
  for (const auto& [name, at] : pattern.NamedCapturingGroups()) {
    const StringPiece group = groups[static_cast<std::size_t>(at)];
    const std::string slot = name.substr(0, name.find('2'));
    const bool is_list = slot == "path" || slot == "items" || slot == "options";
    if (group.data() == nullptr) continue;
    auto values = is_list ? split_list(group) : std::vector{unquoted(group)};
    if (!values.empty()) step.slots[slot] = std::move(values);
  }
  return true;
}

void add_step(std::vector<Step>& out, std::string_view text) {
  static const RE2 kExplicit(
      R"((?is)(?:(?:call|use)\s+|调用\s*|使用\s*)?([a-z][\w.:/-]*)\s*(\{.*\}))");
  static const std::vector<Pattern> kPatterns = compile();
  text = core::trimmed(text);
  if (text.ends_with("。")) text.remove_suffix(std::string_view("。").size());
  if (text.ends_with('.') && !text.ends_with(" .")) text.remove_suffix(1);
  if (text.empty() || out.size() == kMaxSteps) return;
  Step& step = out.emplace_back();
  step.text = text;
  if (RE2::FullMatch(step.text, kExplicit, &step.tool, &step.arguments)) return;
  for (const auto& [intent, pattern] : kPatterns) {
    if (step.intent == nullptr && fits(*pattern, step)) step.intent = intent;
  }
}

// Appends the text below a blank line (rules of the session, attachments) to the text of a final
// talk step, so that the reply shows that the model received it.
void add_below(std::vector<Step>& steps, std::string_view below) {
  if (steps.empty()) return;
  const auto text_slot = steps.back().slots.find("text");
  if (text_slot != steps.back().slots.end()) text_slot->second.front().append("\n\n").append(below);
}

}  // namespace

Request read_request(std::string_view text) {
  static const RE2 kHan(R"(\p{Han})");
  static const RE2 kQuoted(kQuote);
  static const RE2 kMark(std::string("(?is)((") + kQuote +
                         R"()|\n\s*\n|[\s,，.。]*(?:[;；]|\b(?:and )?then\b|)" +
                         R"(然后|接着|最后)[\s,，]*))");
  text = core::utf8_truncate(text.substr(0, core::utf8_prefix(text)), kMaxRequestBytes);
  text = core::trimmed(text);
  Request out;
  std::string plain(text);
  RE2::GlobalReplace(&plain, kQuoted, "");
  if (RE2::PartialMatch(plain, kHan)) out.language = Language::chinese;
  StringPiece rest(text);
  StringPiece mark;
  StringPiece quote;
  std::size_t begin = 0;
  while (out.steps.size() < kMaxSteps && RE2::FindAndConsume(&rest, kMark, &mark, &quote)) {
    if (!quote.empty()) continue;
    const auto end = static_cast<std::size_t>(mark.data() - text.data());
    add_step(out.steps, text.substr(begin, end - begin));
    begin = end + mark.size();
    if (!core::trimmed({mark.data(), mark.size()}).empty()) continue;
    add_below(out.steps, text.substr(begin));
    return out;
  }
  add_step(out.steps, text.substr(begin));
  return out;
}

}  // namespace parley::demo_model
