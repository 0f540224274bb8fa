// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <utility>

#include "runtime/model/offline_tool.h"

namespace parley::model::offline {
namespace {

using Words = std::vector<std::string_view>;

// The words of the names of tools that do what an intent wants.
struct Family {
  Words strong;  // one is enough
  Words weak;    // needs one of `nouns` beside it
  Words nouns;
};

Family changing_family(Intent intent) {
  switch (intent) {
    case Intent::write:
      return {{"write", "create", "save", "put", "append"},
              {"make", "new", "add"},
              {"file", "files", "text", "document", "content", "contents"}};
    case Intent::make_folder:
      return {{"mkdir"}, {"create", "make", "new", "add"}, {"dir", "directory", "folder"}};
    case Intent::edit:
      return {{"edit", "replace", "substitute"},
              {"update", "modify", "change", "str"},
              {"file", "text", "string", "str", "content", "in"}};
    case Intent::remove:
      return {{"delete", "remove", "rm", "unlink", "erase"},
              {},
              {"file", "files", "path", "dir", "directory", "folder", "entry"}};
    case Intent::move:
      return {
          {"move", "rename", "mv"}, {}, {"file", "files", "path", "dir", "directory", "folder"}};
    case Intent::shell:
      return {{"bash", "shell", "exec", "execute", "sh", "powershell", "terminal", "cmd"},
              {"run"},
              {"command", "commands", "shell", "terminal", "bash", "script", "process", "cmd"}};
    default:
      return {};
  }
}

Family family_of(Intent intent) {
  switch (intent) {
    case Intent::read:
      return {{"read", "cat", "open", "view"},
              {"get", "load", "show", "fetch"},
              {"file", "files", "text", "document", "content", "contents"}};
    case Intent::list:
      return {{"ls", "list", "dir"},
              {"show", "browse", "read"},
              {"file", "files", "dir", "directory", "folder", "tree", "contents"}};
    case Intent::glob:
      return {{"glob"},
              {"find", "search", "match", "list"},
              {"file", "files", "pattern", "name", "glob"}};
    case Intent::search:
      return {{"grep", "search", "ripgrep", "rg"},
              {"find", "query"},
              {"file", "files", "content", "contents", "text", "code", "in", "regex"}};
    case Intent::fetch:
      return {{"fetch", "fetcher", "webfetch", "curl", "browse", "download"},
              {"get", "open", "read", "visit", "navigate", "http"},
              {"web", "url", "http", "page", "webpage", "website", "request", "uri"}};
    case Intent::remember:
      return {{"remember", "memorize", "memorise"},
              {"save", "store", "add", "write", "create"},
              {"memory", "memories", "fact", "note"}};
    case Intent::recall:
      return {{"recall"},
              {"search", "get", "list", "read", "find", "query"},
              {"memory", "memories", "facts", "notes"}};
    case Intent::todo_write:
      return {{"todo", "todos", "todowrite"},
              {"add", "write", "create", "update"},
              {"write", "add", "create", "set", "update", "task", "tasks", "list", "todo"}};
    case Intent::todo_read:
      return {{"todo", "todos", "todoread"},
              {"read", "get", "list", "show"},
              {"read", "get", "list", "show", "task", "tasks", "todo"}};
    case Intent::ask_person:
      return {{"ask"},
              {"question", "prompt", "input", "confirm"},
              {"user", "human", "question", "questions", "person", "me"}};
    case Intent::ask_agent:
      return {{"agent", "agents", "subagent", "delegate"},
              {"invoke", "task", "spawn", "run", "call"},
              {"agent", "agents", "sub", "task", "invoke", "call", "run", "spawn"}};
    case Intent::batch:
      return {{"batch", "multi"}, {}, {"tool", "tools", "call", "calls"}};
    default:
      return changing_family(intent);
  }
}

bool is_in(const Words& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

bool is_neutral(std::string_view word) {
  static constexpr std::array<std::string_view, 16> kNeutral = {
      "the", "a",  "from",       "disk", "workspace", "project", "local", "tool",
      "mcp", "fs", "filesystem", "by",   "with",      "path",    "use",   "v1"};
  return std::find(kNeutral.begin(), kNeutral.end(), word) != kNeutral.end();
}

constexpr int kFits = 6;

// How well a tool's name says what the intent wants; kFits and more will do.
int family_score(const Family& family, const std::string& name) {
  const std::vector<std::string> words = words_of(name);
  int score = 0;
  bool has_strong = false;
  bool has_weak = false;
  bool has_noun = false;
  for (const std::string& word : words) {
    if (!has_strong && is_in(family.strong, word)) {
      has_strong = true;
    } else if (is_in(family.nouns, word)) {
      has_noun = true;
    } else if (is_in(family.weak, word)) {
      has_weak = true;
    } else if (!is_neutral(word)) {
      score -= 5;
    }
  }
  if (!has_strong && !(has_weak && has_noun)) return 0;
  score += has_strong ? 10 : 5;
  if (has_noun) score += 4;
  // The plain name is the one that is meant: "read" before "read_text_file".
  if (words.size() == 1) score += 5;
  return score;
}

// --- tools that no intent knows --------------------------------------------------------------

struct Translation {
  std::string_view chinese;
  std::string_view english;
};
constexpr std::array<Translation, 62> kTranslations = {{
    {"天气", "weather"},    {"电影", "movie"},    {"影片", "movie"},     {"票", "ticket"},
    {"座位", "seat"},       {"预订", "book"},     {"订", "book"},        {"预定", "book"},
    {"搜索", "search"},     {"查找", "find"},     {"查询", "query"},     {"时间", "time"},
    {"日期", "date"},       {"用户", "user"},     {"计算", "calculate"}, {"翻译", "translate"},
    {"邮件", "email"},      {"消息", "message"},  {"发送", "send"},      {"图片", "image"},
    {"图像", "image"},      {"城市", "city"},     {"打开", "open"},      {"关闭", "close"},
    {"灯", "light"},        {"设置", "set"},      {"添加", "add"},       {"增加", "add"},
    {"删除", "delete"},     {"移除", "remove"},   {"更新", "update"},    {"数据库", "database"},
    {"工作流", "workflow"}, {"节点", "node"},     {"取消", "cancel"},    {"开始", "start"},
    {"停止", "stop"},       {"列出", "list"},     {"获取", "get"},       {"创建", "create"},
    {"订单", "order"},      {"场次", "showing"},  {"影院", "cinema"},    {"点击", "click"},
    {"按钮", "button"},     {"滚动", "scroll"},   {"选择", "select"},    {"播放", "play"},
    {"音乐", "music"},      {"日程", "calendar"}, {"提醒", "reminder"},  {"股票", "stock"},
    {"汇率", "exchange"},   {"地图", "map"},      {"路线", "route"},     {"温度", "temperature"},
    {"文档", "document"},   {"模型", "model"},    {"运行", "run"},       {"状态", "status"},
    {"问题", "issue"},      {"评论", "comment"},
}};

bool is_stop_word(const std::string& word) {
  static constexpr std::array<std::string_view, 62> kStop = {
      "the",   "a",     "an",    "of",   "to",     "in",      "on",     "for",   "and",
      "or",    "with",  "by",    "is",   "are",    "be",      "it",     "its",   "this",
      "that",  "from",  "as",    "at",   "i",      "me",      "my",     "you",   "your",
      "we",    "can",   "do",    "does", "please", "will",    "would",  "what",  "which",
      "who",   "how",   "when",  "if",   "not",    "all",     "any",    "some",  "one",
      "use",   "used",  "using", "tool", "call",   "returns", "return", "given", "name",
      "value", "about", "there", "has",  "have",   "new",     "mcp",    "into"};
  return word.size() < 2 || std::find(kStop.begin(), kStop.end(), word) != kStop.end();
}

std::string stem(std::string word) {
  if (word.size() > 4 && word.ends_with("ies")) return word.substr(0, word.size() - 3) + "y";
  if (word.size() > 5 && word.ends_with("ing")) return word.substr(0, word.size() - 3);
  if (word.size() > 3 && word.ends_with('s') && !word.ends_with("ss")) word.pop_back();
  return word;
}

std::set<std::string> stems_of(std::string_view text) {
  std::set<std::string> out;
  for (std::string& word : words_of(text)) {
    if (!is_stop_word(word)) out.insert(stem(std::move(word)));
  }
  for (const Translation& translation : kTranslations) {
    if (text.find(translation.chinese) != std::string_view::npos) {
      out.insert(stem(std::string(translation.english)));
    }
  }
  return out;
}

// Pairs of Chinese letters that two texts share.
int shared_chinese(std::string_view one, std::string_view other) {
  int shared = 0;
  for (std::size_t at = 0; at + 6 <= one.size(); at += character_size(one, at)) {
    if (!is_cjk(one, at) || !is_cjk(one, at + 3)) continue;
    if (other.find(one.substr(at, 6)) != std::string_view::npos) ++shared;
  }
  return shared;
}

struct Overlap {
  int score = 0;
  bool is_whole_name = false;  // of two words or more
};

Overlap overlap_of(const Step& step, const std::set<std::string>& wanted, const ToolSpec& tool) {
  Overlap out;
  int in_name = 0;
  const std::set<std::string> name = stems_of(tool.name);
  for (const std::string& word : name) in_name += wanted.contains(word) ? 1 : 0;
  int in_description = 0;
  for (const std::string& word : stems_of(tool.description)) {
    in_description += !name.contains(word) && wanted.contains(word) ? 1 : 0;
  }
  in_description += shared_chinese(step.text.plain, tool.description);
  if (in_name > 0 || in_description >= 2) {
    out.score = 3 * in_name + in_description - static_cast<int>(name.size()) + in_name;
  }
  if (in_name == 0 && in_description < 2) out.score = 0;
  out.is_whole_name = name.size() >= 2 && in_name == static_cast<int>(name.size());
  return out;
}

// The tool that the request calls by its name: "call get_weather", "使用 get_weather".
const ToolSpec* named_tool(const Step& step, const std::vector<ToolSpec>& tools) {
  const ToolSpec* found = nullptr;
  for (const ToolSpec& tool : tools) {
    if (tool.name.empty()) continue;
    const std::size_t at = step.text.text.find(tool.name);
    if (at == std::string::npos) continue;
    const bool compound = words_of(tool.name).size() > 1;
    bool called = false;
    const std::string_view before = trimmed(std::string_view(step.text.plain).substr(0, at));
    for (const std::string_view word :
         {"call", "use", "tool", "the tool", "调用", "使用", "用", "工具"}) {
      called = called || before.ends_with(word);
    }
    const std::size_t end = at + tool.name.size();
    const bool goes_on =
        end < step.text.text.size() && (step.text.text[end] == '_' || step.text.text[end] == '-');
    if ((compound || called) && !goes_on &&
        (found == nullptr || tool.name.size() > found->name.size())) {
      found = &tool;
    }
  }
  return found;
}

const ToolSpec* best_of_family(Intent intent, const std::vector<ToolSpec>& tools) {
  const Family family = family_of(intent);
  const ToolSpec* best = nullptr;
  int best_score = kFits - 1;
  for (const ToolSpec& tool : tools) {
    const int score = family_score(family, tool.name);
    if (score <= best_score) continue;
    best = &tool;
    best_score = score;
  }
  return best;
}

bool is_talk(Intent intent) {
  return intent == Intent::say || intent == Intent::greet || intent == Intent::capabilities;
}

}  // namespace

const ToolSpec* tool_for(const Step& step, const std::vector<ToolSpec>& tools) {
  if (const ToolSpec* named = named_tool(step, tools)) return named;
  if (is_talk(step.intent)) return nullptr;
  const std::set<std::string> wanted = stems_of(step.text.plain);
  const ToolSpec* best = nullptr;
  Overlap most;
  for (const ToolSpec& tool : tools) {
    const Overlap overlap = overlap_of(step, wanted, tool);
    if (overlap.score <= most.score) continue;
    best = &tool;
    most = overlap;
  }
  if (step.intent == Intent::unknown) return most.score >= 2 ? best : nullptr;
  const ToolSpec* known = best_of_family(step.intent, tools);
  if (best != nullptr && known != best && most.is_whole_name && most.score > 6) return best;
  if (known == nullptr && step.intent == Intent::list) known = best_of_family(Intent::glob, tools);
  if (known == nullptr && step.intent == Intent::todo_read)
    known = best_of_family(Intent::todo_write, tools);
  if (known != nullptr) return known;
  return most.is_whole_name ? best : nullptr;
}

}  // namespace parley::model::offline
