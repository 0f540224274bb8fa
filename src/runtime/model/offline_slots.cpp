// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "runtime/model/offline_request.h"

namespace parley::model::offline {
namespace {

using Kind = Value::Kind;

// Without the full stop of the sentence around it; other marks may belong to it.
std::string_view without_stop(std::string_view text) {
  text = trimmed(text);
  for (const std::string_view mark : {":", "：", "，", ","}) {
    if (text.starts_with(mark)) text = trimmed(text.substr(mark.size()));
  }
  for (const std::string_view mark : {".", "。"}) {
    if (text.ends_with(mark)) text.remove_suffix(mark.size());
  }
  return trimmed(text);
}

// What a language model would have to make up: "a poem about the sea".
bool is_wish(std::string_view content) {
  return has_any(content,
                 {"poem",      "haiku",   "story",  "essay", "summary", "report", "function",
                  "script",    "program", "letter", "joke",  "article", "song",   "tests",
                  "something", "诗",      "故事",   "文章",  "报告",    "总结",   "程序",
                  "脚本",      "函数",    "笑话",   "代码"});
}

bool is_quote(const Value& value) { return value.kind == Kind::quoted || value.kind == Kind::code; }

// Reads the slots of one step.
class SlotReader {
 public:
  SlotReader(Intent intent, const Text& text) : intent_(intent), text_(text), plain_(text.plain) {}

  Slots read() {
    slots_.counts =
        has_any(plain_, {"how many", "count", "number of", "多少", "统计", "几个", "几行"});
    for (const Value& value : text_.values) {
      if (value.kind == Kind::url) slots_.urls.push_back(value.text);
    }
    switch (intent_) {
      case Intent::read:
      case Intent::remove:
      case Intent::make_folder:
      case Intent::list:
        slots_.paths = paths();
        break;
      case Intent::glob:
        glob();
        break;
      case Intent::search:
        search();
        break;
      case Intent::write:
        write();
        break;
      case Intent::edit:
        edit();
        break;
      case Intent::move:
        move();
        break;
      default:
        rest();
        break;
    }
    return std::move(slots_);
  }

 private:
  void rest() {
    switch (intent_) {
      case Intent::shell:
        slots_.command = command();
        break;
      case Intent::fetch:
        break;
      case Intent::remember:
        slots_.subject = said_after({"remember that", "remember", "memorise", "memorize",
                                     "keep in mind that", "keep in mind", "记住", "记下", "记得"});
        break;
      case Intent::recall:
        slots_.subject = said_after({"about", "关于"});
        if (!slots_.subject) {
          slots_.subject = said_after({"recall", "回忆一下", "回忆", "记得", "想起", "tell you"});
        }
        break;
      case Intent::todo_write:
        todo();
        break;
      case Intent::ask_person:
        question();
        break;
      case Intent::ask_agent:
        delegate();
        break;
      case Intent::say:
        slots_.subject = said_after({"say", "repeat", "echo", "说", "重复"});
        break;
      default:
        slots_.paths = paths();
        break;
    }
  }

  // --- pieces of the text --------------------------------------------------------------------

  std::string original(std::size_t begin, std::size_t end = std::string::npos) const {
    return text_.text.substr(begin, end == std::string::npos ? end : end - begin);
  }

  std::optional<std::string> quoted(std::size_t index) const {
    for (const Value& value : text_.values) {
      if (is_quote(value) && index-- == 0) return value.text;
    }
    return std::nullopt;
  }

  // What follows the first of the words: a quote alone, or all that is left.
  std::optional<std::string> said_after(std::initializer_list<std::string_view> words) const {
    const Hit hit = find_any(plain_, words);
    if (!hit) return quoted(0);
    const std::string rest(bare(original(hit.end)));
    for (const Value& value : text_.values) {
      const bool is_all = value.begin >= hit.end && bare(original(hit.end, value.begin)).empty() &&
                          bare(original(value.end)).empty();
      if (is_quote(value) && is_all) return value.text;
    }
    if (rest.empty()) return quoted(0);
    return rest;
  }

  // The bare word that begins at or after `at`, unless it is one of little meaning.
  std::string word_at(std::size_t at) const {
    while (at < plain_.size() && (plain_[at] == ' ' || plain_[at] == ':')) ++at;
    std::size_t end = at;
    while (end < plain_.size() && plain_[end] > ' ' &&
           static_cast<unsigned char>(plain_[end]) < 0x80 &&
           std::string_view(",;:!?\"'`()").find(plain_[end]) == std::string_view::npos) {
      ++end;
    }
    std::string word(bare(original(at, end)));
    constexpr std::array<std::string_view, 32> kLittle = {
        "the",   "a",      "an",        "it",     "this",    "that", "my",      "me",
        "all",   "and",    "to",        "in",     "of",      "for",  "with",    "file",
        "files", "folder", "directory", "here",   "there",   "is",   "are",     "from",
        "into",  "on",     "named",     "called", "current", "your", "content", "contents"};
    std::string lowered(bare(plain_.substr(at, end - at)));
    const bool is_little = std::find(kLittle.begin(), kLittle.end(), lowered) != kLittle.end();
    return is_little ? std::string() : word;
  }

  // The bare word right before `at`.
  std::string word_before(std::size_t at) const {
    while (at > 0 && plain_[at - 1] == ' ') --at;
    std::size_t begin = at;
    while (begin > 0 && ((plain_[begin - 1] >= 'a' && plain_[begin - 1] <= 'z') ||
                         (plain_[begin - 1] >= '0' && plain_[begin - 1] <= '9') ||
                         plain_[begin - 1] == '_' || plain_[begin - 1] == '-')) {
      --begin;
    }
    const std::string word = word_at(begin);
    return word.size() == at - begin ? word : std::string();
  }

  // --- paths ---------------------------------------------------------------------------------

  std::vector<std::string> valued_paths() const {
    std::vector<std::string> out;
    for (const Value& value : text_.values) {
      if (value.kind == Kind::path || (is_quote(value) && is_path(value.text)))
        out.push_back(value.text);
    }
    if (!out.empty()) return out;
    for (const Value& value : text_.values) {
      if (value.kind == Kind::weak_path) out.push_back(value.text);
    }
    return out;
  }

  // A word that is a path because of the word beside it: "the folder src", "src 目录".
  std::string worded_path() const {
    for (const std::string_view word :
         {"named", "called", "file", "folder", "directory", "dir", "in", "inside", "under", "名为",
          "叫做", "叫", "文件夹", "文件", "目录", "ls", "cat", "rm", "mkdir"}) {
      const std::size_t at = find_word(plain_, word);
      if (at == std::string_view::npos) continue;
      std::string found = word_at(at + word.size());
      if (!found.empty()) return found;
    }
    for (const std::string_view word :
         {"folder", "directory", "dir", "file", "目录", "文件夹", "文件", "下", "里", "中"}) {
      const std::size_t at = find_word(plain_, word);
      std::string found = at == std::string_view::npos ? std::string() : word_before(at);
      constexpr std::array<std::string_view, 13> kNoNames = {
          "list", "show", "read", "open",  "delete",  "remove", "create",
          "make", "new",  "add",  "print", "display", "what"};
      if (std::find(kNoNames.begin(), kNoNames.end(), found) != kNoNames.end()) found.clear();
      if (!found.empty()) return found;
    }
    return {};
  }

  std::vector<std::string> paths() const {
    std::vector<std::string> out = valued_paths();
    if (!out.empty()) return out;
    if (const auto name = quoted(0); name && name->find('\n') == std::string::npos) return {*name};
    if (std::string word = worded_path(); !word.empty()) out.push_back(std::move(word));
    return out;
  }

  // --- intents with more than a path ---------------------------------------------------------

  void glob() {
    for (const Value& value : text_.values) {
      if (value.text.find('*') != std::string::npos && !slots_.pattern) {
        slots_.pattern = value.text;
      } else if ((value.kind == Kind::path || value.kind == Kind::weak_path) && !slots_.folder) {
        slots_.folder = value.text;
      }
    }
    if (slots_.pattern) return;
    if (slots_.folder && slots_.folder->find('/') == std::string::npos) {
      slots_.pattern = "**/" + *std::exchange(slots_.folder, std::nullopt);
    } else if (const auto name = quoted(0)) {
      slots_.pattern = "**/" + *name;
    } else if (std::string word = worded_path(); !word.empty()) {
      slots_.pattern = "**/*" + word + "*";
    }
  }

  void search() {
    const std::vector<std::string> found = valued_paths();
    for (const std::string& path : found) {
      const bool is_glob = path.find('*') != std::string::npos;
      (is_glob ? slots_.options : slots_.paths).push_back(path);
    }
    for (const Value& value : text_.values) {
      const bool is_place = std::find(found.begin(), found.end(), value.text) != found.end();
      if (is_quote(value) && (!is_place || found.size() > 1)) {
        slots_.pattern = value.text;
        std::erase(slots_.paths, value.text);
        break;
      }
    }
    if (!slots_.pattern) slots_.pattern = searched_words();
    if (!slots_.paths.empty()) {
      slots_.folder = slots_.paths.front();
    } else if (std::string word = searched_folder(); !word.empty()) {
      slots_.folder = std::move(word);
    }
  }

  // "... in src", "在 src 中 ..."
  std::string searched_folder() const {
    const Hit in = find_any(plain_, {" in ", " inside ", " within ", " under "});
    if (in) return word_at(in.end);
    const Hit at = find_any(plain_, {"在"});
    return at ? word_at(at.end) : std::string();
  }

  // "search src for foo", "find foo in src", "在 src 中搜索 foo".
  std::optional<std::string> searched_words() const {
    Hit hit = find_any(plain_, {"search for", "look for", "grep for", "where is", "for", "搜索",
                                "查找", "检索", "搜", "找"});
    if (!hit) hit = find_any(plain_, {"search", "find", "grep"});
    if (!hit) return std::nullopt;
    const Hit stop =
        find_any(plain_, {" in ", " within ", " inside ", " under ", "在", "于"}, hit.end);
    std::size_t end = stop ? stop.begin : text_.text.size();
    for (const Value& value : text_.values) {
      const bool is_place = value.kind == Kind::path || value.kind == Kind::weak_path;
      if (is_place && value.begin >= hit.end) end = std::min(end, value.begin);
    }
    std::string_view words = std::string_view(text_.text).substr(hit.end, end - hit.end);
    words = bare(words);
    for (const std::string_view filler :
         {"all ", "the word ", "the text ", "the ", "包含", "文本", "单词", "一下"}) {
      if (words.starts_with(filler)) words.remove_prefix(filler.size());
    }
    for (const std::string_view suffix : {"的文件", "的内容", "的行"}) {
      if (words.ends_with(suffix)) words.remove_suffix(suffix.size());
    }
    words = bare(words);
    while (words.starts_with('-') && words.find(' ') != std::string_view::npos) {
      words = bare(words.substr(words.find(' ')));  // options of grep
    }
    if (words.empty()) return std::nullopt;
    return std::string(words);
  }

  void write() {
    std::vector<Value> candidates;
    for (const Value& value : text_.values) {
      const bool fits = value.kind == Kind::path || value.kind == Kind::weak_path ||
                        (is_quote(value) && is_path(value.text));
      if (fits) candidates.push_back(value);
    }
    std::size_t taken = std::string::npos;  // where the path begins
    for (const Value& value : candidates) {
      const std::string_view before = trimmed(std::string_view(plain_).substr(0, value.begin));
      bool leads = false;
      for (const std::string_view word : {"to", "into", "in", "file", "as", "到", "入", "文件",
                                          "为", "名为", "called", "named"}) {
        leads = leads || before.ends_with(word);
      }
      if (taken == std::string::npos || (leads && !is_led_)) {
        taken = value.begin;
        slots_.paths = {value.text};
        is_led_ = leads;
      }
    }
    if (slots_.paths.empty()) {
      if (std::string word = worded_path(); !word.empty()) slots_.paths = {word};
    }
    for (const Value& value : text_.values) {
      const bool fits = is_quote(value) || value.kind == Kind::json;
      if (fits && value.begin != taken && !slots_.content) slots_.content = value.text;
    }
    if (!slots_.content) worded_content(taken);
  }

  void worded_content(std::size_t path_begin) {
    const Hit marks =
        find_any(plain_, {"with the content", "with the text", "with content", "with contents",
                          "with text", "containing", "that says", "saying", "内容为", "内容是",
                          "内容：", "内容:", "写上", "写着"});
    if (marks && !without_stop(original(marks.end)).empty()) {
      slots_.content = std::string(without_stop(original(marks.end)));
      return;
    }
    if (has_any(plain_, {"it", "the result", "result", "the output", "that", "its content",
                         "its contents", "the content", "the contents", "the answer", "answer",
                         "回答", "答案", "结果", "内容", "输出", "它"})) {
      slots_.of_result = true;
      return;
    }
    // "write hello world to a.txt", "将 你好 写入 a.txt"
    const Hit verb = find_any(plain_, {"write", "append", "save", "put", "写入", "写"});
    const Hit to = verb ? find_any(plain_, {" to ", " into ", " in ", "到"}, verb.end) : Hit();
    if (to && path_begin != std::string::npos && to.begin < path_begin) {
      const std::string_view words =
          bare(std::string_view(text_.text).substr(verb.end, to.begin - verb.end));
      if (!words.empty() && words != "a file") slots_.content = std::string(words);
    }
    const Hit ba = find_any(plain_, {"把", "将"});
    if (!slots_.content && ba && verb && ba.end < verb.begin) {
      const std::string_view words =
          bare(std::string_view(text_.text).substr(ba.end, verb.begin - ba.end));
      if (!words.empty()) slots_.content = std::string(words);
    }
    // "新建文件 a.txt，写入 你好": the second step
    if (!slots_.content && slots_.paths.empty() && verb) {
      const std::string_view words = without_stop(std::string_view(text_.text).substr(verb.end));
      if (!words.empty()) slots_.content = std::string(words);
    }
    if (slots_.content && is_wish(*slots_.content)) {
      slots_.content.reset();
      return;
    }
    if (!slots_.content && has_any(plain_, {"save", "保存", "存到", "存入"}))
      slots_.of_result = true;
    const bool makes = has_any(plain_, {"create", "make", "touch", "new", "创建", "新建", "生成"});
    if (!slots_.content && !slots_.of_result && makes && !is_wish(plain_)) slots_.content = "";
  }

  void edit() {
    std::vector<std::string> quotes;
    for (const Value& value : text_.values) {
      if (is_quote(value)) quotes.push_back(value.text);
      if (value.kind == Kind::path || value.kind == Kind::weak_path)
        slots_.paths.push_back(value.text);
    }
    if (slots_.paths.empty() && quotes.size() > 2) {
      const auto path = std::find_if(quotes.begin(), quotes.end(),
                                     [](const std::string& q) { return is_path(q); });
      if (path != quotes.end()) {
        slots_.paths.push_back(*path);
        quotes.erase(path);
      }
    }
    if (quotes.size() >= 2) {
      slots_.old_text = quotes[0];
      slots_.new_text = quotes[1];
      return;
    }
    worded_edit();
  }

  // "replace foo with bar in a.txt", "把 a.txt 里的 foo 改成 bar".
  void worded_edit() {
    const Hit verb = find_any(plain_, {"replace", "change", "substitute"});
    const Hit with =
        verb ? find_any(plain_, {" with ", " to ", " by ", " into "}, verb.end) : Hit();
    if (with) {
      const Hit in = find_any(plain_, {" in "}, with.end);
      slots_.old_text = std::string(bare(original(verb.end, with.begin)));
      slots_.new_text = std::string(bare(original(with.end, in ? in.begin : std::string::npos)));
    }
    const Hit becomes = find_any(plain_, {"替换为", "替换成", "改成", "改为", "换成"});
    const Hit ba = find_any(plain_, {"把", "将"});
    const Hit of = find_any(plain_, {"里的", "中的", "的"}, ba ? ba.end : 0);
    const Hit from = of && of.end < becomes.begin ? of : ba;
    if (!with && becomes && from && from.end < becomes.begin) {
      slots_.old_text = std::string(bare(original(from.end, becomes.begin)));
      slots_.new_text = std::string(bare(original(becomes.end)));
    }
    for (auto* slot : {&slots_.old_text, &slots_.new_text}) {
      if (*slot && (*slot)->empty()) slot->reset();
    }
  }

  void move() {
    slots_.paths = valued_paths();
    const Hit to = find_any(
        plain_, {" to ", " into ", " as ", "移动到", "移到", "重命名为", "改名为", "为", "到"});
    if (slots_.paths.size() >= 2 || !to) return;
    // A folder or a name without an extension: "move a.txt to archive".
    std::string target = word_at(to.end);
    const bool is_target = !slots_.paths.empty() && plain_.find('\x01') > to.begin;
    if (is_target) {
      const Hit verb = find_any(plain_, {"move", "rename", "mv", "把", "将"});
      if (std::string source = verb ? word_at(verb.end) : std::string(); !source.empty()) {
        slots_.paths.insert(slots_.paths.begin(), source);
      }
    } else if (!target.empty()) {
      slots_.paths.push_back(target);
    }
  }

  std::optional<std::string> command() const {
    if (auto code = quoted(0)) return code;
    const std::string_view whole = trimmed(text_.text);
    if (whole.starts_with("$ ")) return std::string(trimmed(whole.substr(2)));
    Hit hit = find_any(plain_, {"run", "execute", "运行", "执行"});
    if (!hit) hit = find_any(plain_, {"shell", "bash", "terminal", "终端"});
    if (!hit) return std::nullopt;
    std::string_view rest = trimmed(std::string_view(text_.text).substr(hit.end));
    for (const std::string_view filler :
         {"the shell command", "the command", "a shell command", "a command", "command", "shell",
          "一下", "命令", ":", "："}) {
      if (rest.starts_with(filler)) rest = trimmed(rest.substr(filler.size()));
    }
    const Hit tail = find_any(
        rest, {" in the shell", " in a shell", " in bash", " in the terminal", "命令", "。"});
    if (tail) rest = trimmed(rest.substr(0, tail.begin));
    if (rest.ends_with('.') && !rest.ends_with(" .") && !rest.ends_with("/."))
      rest.remove_suffix(1);
    const std::string first = words_of(rest).empty() ? std::string() : words_of(rest).front();
    constexpr std::array<std::string_view, 9> kNoCommands = {"the",  "a",    "my", "all", "it",
                                                             "this", "some", "an", "that"};
    const bool is_none = first.empty() || std::find(kNoCommands.begin(), kNoCommands.end(),
                                                    first) != kNoCommands.end();
    if (is_none) {
      // "run the tests with make test"
      const Hit with = find_any(rest, {" with ", " using "});
      if (!with) return std::nullopt;
      rest = trimmed(rest.substr(with.end));
    }
    return std::string(rest);
  }

  void todo() {
    if (const Hit remind =
            find_any(plain_, {"remind me to", "remind me of", "remind me", "提醒我"})) {
      slots_.items = {std::string(bare(original(remind.end)))};
      return;
    }
    for (const Value& value : text_.values) {
      if (is_quote(value)) slots_.items.push_back(value.text);
    }
    if (!slots_.items.empty()) return;
    const std::size_t colon = std::min(plain_.find(':'), plain_.find("："));
    if (colon != std::string::npos) {
      slots_.items = split_list(original(colon + (plain_[colon] == ':' ? 1 : 3)));
      return;
    }
    const Hit add = find_any(plain_, {"add", "put", "把", "将"});
    const Hit to = add ? find_any(plain_,
                                  {" to my ", " to the ", " on my ", " on the ", " as a ", "加入",
                                   "添加到", "放到", "加到"},
                                  add.end)
                       : Hit();
    if (to) {
      slots_.items = split_list(original(add.end, to.begin));
      return;
    }
    const Hit todo = find_any(plain_, {"todo list", "todos", "todo", "to-do", "待办事项", "待办"});
    if (todo) slots_.items = split_list(original(todo.end));
  }

  void question() {
    Hit hit =
        find_any(plain_, {"ask me", "ask the user", "ask the person", "ask a person", "ask user",
                          "问我", "问用户", "询问用户", "询问我", "询问", "问一下", "问问"});
    const Hit options =
        find_any(plain_, {"with the choices", "with the options", "with choices", "with options",
                          "choices:", "options:", "选项为", "选项是", "选项"});
    if (options) slots_.options = split_list(original(options.end));
    std::size_t end = options ? options.begin : std::string::npos;
    std::string_view asked = bare(
        std::string_view(text_.text)
            .substr(hit ? hit.end : 0, end == std::string::npos ? end : end - (hit ? hit.end : 0)));
    // "which colour: red, green or blue"
    for (const std::string_view colon : {": ", "："}) {
      const std::size_t at = asked.find(colon);
      if (at == std::string_view::npos || at == 0 || options) continue;
      const std::vector<std::string> parts = split_list(asked.substr(at + colon.size()));
      if (parts.size() < 2) continue;
      slots_.options = parts;
      asked = bare(asked.substr(0, at));
    }
    for (const std::string_view filler : {"for ", "about "}) {
      if (asked.starts_with(filler)) asked.remove_prefix(filler.size());
    }
    const auto quote = quoted(0);
    if (quote && !options) {
      slots_.subject = *quote;
    } else if (!asked.empty()) {
      slots_.subject = std::string(asked);
      const bool has_mark = asked.ends_with("?") || asked.ends_with("？");
      if (!has_mark) *slots_.subject += language_of(text_) == Language::chinese ? "？" : "?";
      char& first = slots_.subject->front();
      if (first >= 'a' && first <= 'z') first = static_cast<char>(first - 'a' + 'A');
    }
  }

  void delegate() {
    const Hit agent =
        find_any(plain_, {"sub-agent", "subagent", "agent", "智能体", "子代理", "代理"});
    std::string name = agent ? word_before(agent.begin) : std::string();
    if (name.empty() || name == "sub") name = agent ? word_at(agent.end) : std::string();
    if (!name.empty()) slots_.agent = name;
    const std::size_t from = agent ? agent.end : 0;
    const Hit to = find_any(plain_, {" to ", ":", "：", "去"}, from);
    std::string task(bare(original(to ? to.end : from)));
    if (!to && slots_.agent && task.starts_with(*slots_.agent))
      task = std::string(bare(task.substr(slots_.agent->size())));
    if (const auto quote = quoted(0); quote && task.find(' ') == std::string::npos) task = *quote;
    if (!task.empty()) slots_.subject = task;
  }

  const Intent intent_;
  const Text& text_;
  const std::string& plain_;
  Slots slots_;
  bool is_led_ = false;
};

}  // namespace

Slots slots_of(Intent intent, const Text& text) { return SlotReader(intent, text).read(); }

}  // namespace parley::model::offline
