// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "runtime/model/offline_request.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/utf8.h"

namespace parley::model::offline {
namespace {

using Kind = Value::Kind;

bool has_value(const Text& text, Kind kind) {
  return std::any_of(text.values.begin(), text.values.end(),
                     [kind](const Value& value) { return value.kind == kind; });
}

bool has_path(const Text& text) {
  return std::any_of(text.values.begin(), text.values.end(), [](const Value& value) {
    return value.kind == Kind::path || value.kind == Kind::weak_path ||
           ((value.kind == Kind::quoted || value.kind == Kind::code) && is_path(value.text));
  });
}

// A quote that may be the name of a file, blanks and all.
bool has_quoted_name(const Text& text) {
  return std::any_of(text.values.begin(), text.values.end(), [](const Value& value) {
    std::string name = value.text;
    std::replace(name.begin(), name.end(), ' ', '_');
    return value.kind == Kind::quoted && is_path(name);
  });
}

bool has_pattern(const Text& text) {
  return std::any_of(text.values.begin(), text.values.end(), [](const Value& value) {
    return value.text.find('*') != std::string::npos &&
           (value.kind == Kind::path || is_path(value.text));
  });
}

// --- steps -----------------------------------------------------------------------------------

// With which a new step may begin.
constexpr std::array<std::string_view, 45> kVerbs = {
    "read",      "open",      "show",     "print",    "list",   "ls",     "find", "search",
    "grep",      "look",      "write",    "create",   "save",   "append", "make", "edit",
    "replace",   "change",    "delete",   "remove",   "move",   "rename", "run",  "execute",
    "fetch",     "download",  "get",      "remember", "recall", "ask",    "tell", "say",
    "summarise", "summarize", "count",    "compare",  "add",    "call",   "use",  "display",
    "put",       "copy",      "describe", "explain",  "book"};
constexpr std::array<std::string_view, 46> kChineseVerbs = {
    "读取",   "读",     "打开", "查看", "显示", "列出", "查找", "搜索", "写入", "写",
    "创建",   "新建",   "保存", "追加", "编辑", "替换", "修改", "删除", "移除", "移动",
    "重命名", "运行",   "执行", "抓取", "获取", "下载", "记住", "记下", "回忆", "问我",
    "询问",   "问用户", "说",   "总结", "统计", "比较", "添加", "调用", "使用", "把",
    "将",     "生成",   "告诉", "建立", "用",   "预订"};

bool starts_with_word(std::string_view text, std::string_view word) {
  return text.starts_with(word) && find_word(text, word) == 0;
}

std::string_view without_fillers(std::string_view text) {
  for (bool found = true; found;) {
    found = false;
    for (const std::string_view word :
         {"please", "also", "now", "just", "请", "再", "帮我", "就", "先", "你"}) {
      text = trimmed(text);
      if (!starts_with_word(text, word)) continue;
      text.remove_prefix(word.size());
      found = true;
    }
  }
  return trimmed(text);
}

bool begins_with_verb(std::string_view plain) {
  const std::string_view rest = without_fillers(plain);
  const auto begins = [rest](std::string_view verb) { return starts_with_word(rest, verb); };
  return std::any_of(kVerbs.begin(), kVerbs.end(), begins) ||
         std::any_of(kChineseVerbs.begin(), kChineseVerbs.end(), begins);
}

// The end of a separator that begins at `at`; `at` if there is none.
std::size_t separator_end(std::string_view plain, std::size_t at) {
  const std::string_view rest = plain.substr(at);
  for (const std::string_view mark :
       {"；", "。", "！", "然后", "接着", "随后", "接下来", "最后", "之后", "完成后", "\n", ";"}) {
    if (rest.starts_with(mark)) return at + mark.size();
  }
  const bool begins_word = at == 0 || plain[at - 1] == ' ' || plain[at - 1] == ',';
  for (const std::string_view word : {"and then", "then", "after that", "afterwards", "finally"}) {
    if (begins_word && starts_with_word(rest, word)) return at + word.size();
  }
  const bool ends_sentence = rest.size() > 1 &&
                             (rest[0] == '.' || rest[0] == '!' || rest[0] == '?') &&
                             (rest[1] == ' ' || rest[1] == '\n');
  if (ends_sentence) return at + 1;
  for (const std::string_view word : {"and", ",", "，", "并且", "并", "再", "、"}) {
    const bool stands = word != "and" || begins_word;
    if (stands && starts_with_word(rest, word) && begins_with_verb(rest.substr(word.size()))) {
      return at + word.size();
    }
  }
  return at;
}

// What is asked, remembered or handed on may itself sound like a step.
bool is_one_piece(std::string_view plain) {
  if (has_any(plain, {"todo", "todos", "to-do", "task list", "待办"})) return true;
  const std::string_view rest = without_fillers(plain);
  for (const std::string_view word : {"remember", "say", "ask", "tell", "delegate", "batch", "let",
                                      "have", "记住", "说", "问", "询问", "让", "委托", "批量"}) {
    if (starts_with_word(rest, word)) return true;
  }
  return false;
}

// Of what is asked the answer may be written somewhere.
bool keeps_an_answer(std::string_view so_far, std::string_view rest) {
  const auto begins = [&rest](std::string_view word) { return starts_with_word(rest, word); };
  rest = without_fillers(rest);
  const bool is_question = has_any(so_far, {"ask", "问", "询问"});
  return is_question &&
         (begins("write") || begins("save") || begins("把") || begins("写") || begins("保存"));
}

bool is_loose(std::string_view separator) {
  const std::string_view word = trimmed(separator);
  for (const std::string_view loose : {"and", ",", "，", "并且", "并", "再", "、"}) {
    if (word == loose) return true;
  }
  return false;
}

std::string_view without_number(std::string_view step) {
  step = trimmed(step);
  std::size_t digits = 0;
  while (digits < step.size() && step[digits] >= '0' && step[digits] <= '9') ++digits;
  if (digits > 0 && digits < 3 && digits + 1 < step.size() &&
      (step[digits] == '.' || step[digits] == ')') && step[digits + 1] == ' ') {
    step.remove_prefix(digits + 2);
  }
  if (step.starts_with("- ") || step.starts_with("* ")) step.remove_prefix(2);
  for (const std::string_view word : {"First,", "first,", "First ", "first ", "首先", "第一步"}) {
    if (step.starts_with(word)) step.remove_prefix(word.size());
  }
  for (const std::string_view mark : {"，", "：", ",", ":"}) {
    if (step.starts_with(mark)) step.remove_prefix(mark.size());
  }
  return trimmed(step);
}

// --- intents ---------------------------------------------------------------------------------

Intent person_intent(const Text& text) {
  const std::string& plain = text.plain;
  if (has_any(plain, {"batch", "批量"})) return Intent::batch;
  if (has_any(plain, {"ask me", "ask the user", "ask the person", "ask a person", "ask user",
                      "问我", "问用户", "询问", "问一下", "问问"})) {
    return Intent::ask_person;
  }
  if (has_any(plain, {"agent", "subagent", "delegate", "智能体", "子代理", "代理", "委托"})) {
    return Intent::ask_agent;
  }
  const bool finds = has_any(plain, {"find", "search", "grep", "look for", "查找", "搜索"});
  if (has_any(plain, {"remind me", "提醒我"})) return Intent::todo_write;
  if (!finds &&
      has_any(plain, {"todo", "todos", "to-do", "to do list", "task list", "待办", "任务清单"})) {
    const bool reads = has_any(plain, {"show", "what", "read", "list my", "list the", "display",
                                       "查看", "显示", "列出", "看看", "有哪些", "有什么"});
    return reads ? Intent::todo_read : Intent::todo_write;
  }
  if (has_any(plain, {"recall", "do you remember", "do you know about me", "what did i tell",
                      "回忆", "还记得", "你记得", "想起", "记得什么"})) {
    return Intent::recall;
  }
  if (has_any(plain,
              {"remember", "memorise", "memorize", "keep in mind", "记住", "记下", "记得"})) {
    return Intent::remember;
  }
  return Intent::unknown;
}

Intent changing_intent(const Text& text) {
  const std::string& plain = text.plain;
  if (has_any(plain, {"move", "rename", "mv", "移动", "重命名", "改名", "移到"}))
    return Intent::move;
  const bool makes =
      has_any(plain, {"create", "make", "new", "add", "mkdir", "创建", "新建", "建立", "建"});
  const bool folder = has_any(plain, {"folder", "directory", "dir", "mkdir", "目录", "文件夹"});
  if (makes && folder && !has_any(plain, {"file", "content", "内容"})) return Intent::make_folder;
  const bool replaces =
      has_any(plain, {"replace", "substitute", "替换", "改成", "改为", "换成"}) ||
      (has_any(plain, {"edit", "change", "modify", "update", "编辑", "修改"}) && has_path(text));
  if (replaces) return Intent::edit;
  if (has_any(plain, {"delete", "remove", "rm", "erase", "删除", "删掉", "移除"}))
    return Intent::remove;
  // "What is written in a.txt?" is about reading.
  if (has_any(plain, {"写了什么", "写的什么", "写着什么", "is written", "wrote"}))
    return Intent::unknown;
  if (has_any(plain, {"write", "create", "save", "append", "touch", "写入", "写", "创建", "新建",
                      "保存", "追加", "生成"}) ||
      (has_any(plain, {"put", "make", "add"}) && has_path(text))) {
    return Intent::write;
  }
  return Intent::unknown;
}

Intent reading_intent(const Text& text) {
  const std::string& plain = text.plain;
  const bool finds = has_any(plain, {"find", "search", "grep", "look for", "where is", "查找",
                                     "搜索", "检索", "搜", "找"});
  const bool files = has_any(plain, {"files", "file named", "files named", "文件"});
  const bool names_kind =
      has_any(plain, {"named", "matching", "ending", "called", "匹配", "名为", "后缀"});
  const bool lists =
      has_any(plain, {"list", "ls", "what files", "which files", "show files", "show the files",
                      "show folder", "show directory", "how many files", "列出", "列一下", "列下",
                      "有哪些文件", "有什么文件", "文件列表", "多少个文件", "多少文件"});
  if (has_pattern(text) && (lists || finds || files) &&
      !has_any(plain, {"grep", "containing", "contain", "包含", "text"})) {
    const bool searches_text =
        finds && (has_value(text, Kind::quoted) || has_value(text, Kind::code));
    return searches_text ? Intent::search : Intent::glob;
  }
  if (finds && files && names_kind) return Intent::glob;
  if (finds) return Intent::search;
  const bool reads = has_any(plain, {"read",
                                     "open",
                                     "show",
                                     "print",
                                     "cat",
                                     "display",
                                     "view",
                                     "content",
                                     "contents",
                                     "summarise",
                                     "summarize",
                                     "explain",
                                     "describe",
                                     "what is in",
                                     "what's in",
                                     "what does",
                                     "how many lines",
                                     "how many words",
                                     "count",
                                     "compare",
                                     "look at",
                                     "check",
                                     "读",
                                     "打开",
                                     "查看",
                                     "显示",
                                     "看",
                                     "内容",
                                     "总结",
                                     "概括",
                                     "解释",
                                     "多少行",
                                     "统计",
                                     "比较",
                                     "里有什么"});
  const bool folder = has_any(plain, {"folder", "directory", "目录", "文件夹"});
  if (lists || (reads && folder && !has_any(plain, {"file", "content"}))) return Intent::list;
  if (reads && (has_path(text) || has_quoted_name(text) || has_any(plain, {"file", "文件"}))) {
    return Intent::read;
  }
  if (reads && has_any(plain, {"it", "them", "它", "它们"})) return Intent::read;
  if (folder && has_any(plain, {"what is in", "what's in", "有什么", "有哪些"}))
    return Intent::list;
  return Intent::unknown;
}

Intent saying_intent(const Text& text) {
  const std::string_view rest = without_fillers(text.plain);
  for (const std::string_view word : {"say", "repeat", "echo", "说", "重复"}) {
    if (starts_with_word(rest, word)) return Intent::say;
  }
  return Intent::unknown;
}

Intent talk_intent(const Text& text) {
  const std::string_view rest = without_fillers(text.plain);
  if (has_any(rest, {"what can you do", "help", "who are you", "what are you", "which tools",
                     "what tools", "你能做什么", "你会什么", "帮助", "你是谁", "有哪些工具",
                     "有什么工具"})) {
    return Intent::capabilities;
  }
  if (has_any(rest, {"hello", "hi", "hey", "good morning", "good evening", "thanks", "thank you",
                     "你好", "您好", "谢谢", "早上好", "晚上好"}) &&
      rest.size() < 60) {
    return Intent::greet;
  }
  return Intent::unknown;
}

// --- what later steps take over --------------------------------------------------------------

bool is_about_files(Intent intent) {
  return intent == Intent::read || intent == Intent::write || intent == Intent::edit ||
         intent == Intent::remove || intent == Intent::move;
}

void take_over_paths(Request& request) {
  std::string last;
  for (Step& step : request.steps) {
    std::vector<std::string>& paths = step.slots.paths;
    const bool lacks = step.intent == Intent::move ? paths.size() == 1 : paths.empty();
    if (is_about_files(step.intent) && lacks && !last.empty()) paths.insert(paths.begin(), last);
    if (is_about_files(step.intent) && !paths.empty()) last = paths.back();
  }
}

// "Read a.txt and b.txt" was split at no verb; "it" alone is no step.
bool is_worth_a_step(const Text& text) { return bare(text.text).size() > 1; }

}  // namespace

std::vector<std::string> split_steps(const Text& text) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  const auto end_step = [&](std::size_t end) {
    std::string_view step = without_number(std::string_view(text.text).substr(begin, end - begin));
    for (const std::string_view mark : {",", "，", "、", " "}) {
      if (step.ends_with(mark)) step.remove_suffix(mark.size());
    }
    if (!bare(step).empty()) out.emplace_back(step);
  };
  for (std::size_t at = 0; at < text.plain.size();) {
    const std::size_t end = separator_end(text.plain, at);
    const std::string_view so_far = std::string_view(text.plain).substr(begin, at - begin);
    const bool splits =
        end > at && !bare(so_far).empty() &&
        !(is_loose(std::string_view(text.plain).substr(at, end - at)) && is_one_piece(so_far) &&
          !keeps_an_answer(so_far, std::string_view(text.plain).substr(end)));
    if (splits) {
      end_step(at);
      begin = end;
    }
    at = end > at ? end : at + character_size(text.plain, at);
  }
  end_step(text.plain.size());
  return out;
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> out;
  std::string rest(text);
  for (const std::string_view word :
       {" and ", " or ", "、", "，", ";", "；", "\n", "和", "或者", "或"}) {
    for (std::size_t at = rest.find(word); at != std::string::npos; at = rest.find(word, at + 1)) {
      rest.replace(at, word.size(), ",");
    }
  }
  std::size_t begin = 0;
  while (begin <= rest.size()) {
    const std::size_t end = std::min(rest.find(',', begin), rest.size());
    const std::string_view item = bare(std::string_view(rest).substr(begin, end - begin));
    if (!item.empty()) out.emplace_back(item);
    begin = end + 1;
  }
  return out;
}

Intent intent_of(const Text& text) {
  const std::string& plain = text.plain;
  Intent intent = person_intent(text);
  if (intent != Intent::unknown) return intent;
  if (trimmed(text.text).starts_with("$ ") ||
      has_any(plain, {"run", "execute", "shell", "bash", "terminal", "运行", "执行", "终端"})) {
    return Intent::shell;
  }
  if (has_value(text, Kind::url)) return Intent::fetch;
  for (const auto& find : {saying_intent, changing_intent, reading_intent, talk_intent}) {
    intent = find(text);
    if (intent != Intent::unknown) return intent;
  }
  return Intent::unknown;
}

Request read_request(std::string_view text) {
  const Text whole =
      read_text(core::utf8_truncate(text.substr(0, core::utf8_prefix(text)), kMaxRequestBytes));
  Request request;
  request.language = language_of(whole);
  for (const std::string& part : split_steps(whole)) {
    if (request.steps.size() >= kMaxSteps) break;
    Step step;
    step.text = read_text(part);
    if (!is_worth_a_step(step.text)) continue;
    step.intent = intent_of(step.text);
    step.slots = slots_of(step.intent, step.text);
    request.steps.push_back(std::move(step));
  }
  take_over_paths(request);
  return request;
}

}  // namespace parley::model::offline
