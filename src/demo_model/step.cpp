// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "demo_model/step.h"

#include <utility>

#include "demo_model/expression.h"

namespace parley::demo_model {
namespace {

// In the patterns: <Q> a quote, <F> a path, <P> either, <W> a quote or a word that may be a name,
// <U> a URL.
struct Fragment {
  std::string_view mark;
  std::string_view pattern;
};
constexpr std::string_view kQuote =
    R"(```.*?```|`[^`]+`|"[^"]+"|“[^”]+”|'[^']+'|‘[^’]+’|「[^」]+」|《[^》]+》)";
constexpr std::string_view kPath =
    R"((?:[\w\p{Han}./~*+@%-]*\.[A-Za-z][\w-]{0,9}|[\w.~*+@%-]*/[\w./~*+@%-]*|)"
    R"((?:Makefile|Dockerfile|README|LICENSE|CHANGELOG)\b))";
constexpr Fragment kFragments[] = {{"<P>", "<Q>|<F>"},
                                   {"<F>", kPath},
                                   {"<W>", R"((?:<Q>|[\w./~+@%-]+))"},
                                   {"<U>", R"(https?://[^\s"'<>()`\p{Han}，。；、]*[\w/=&#%~+-])"},
                                   {"<Q>", kQuote}};

constexpr std::size_t kMaxPaths = 32;  // of one step

struct Row {
  Intent intent;
  std::string_view english;
  std::string_view chinese;
};

// The first row that fits the beginning of a step counts.
constexpr Row kRows[] = {
    {Intent::ask_person,
     R"(ask (?:me|the user|the person|a person)\b[\s,:]*(?:(?:for|about)\s+)?(?P<text>.+?))"
     R"((?:[\s,;:]+(?:with\s+)?(?:the\s+)?(?:options|choices)\s*:?\s*(?P<options>.+)|)"
     R"(:\s+(?P<options2>.+))?$)",
     R"((?:询问|问)(?:一下)?(?:我|用户)[\s:：，,]*(?P<text>.+?))"
     R"((?:[，,\s]*选项(?:为|是|有)?[:：]?\s*(?P<options>.+)|[:：]\s*(?P<options2>.+))?$)"},
    {Intent::ask_agent,
     R"((?:ask|tell|let|have|delegate to) (?:the )?(?P<agent>[\w-]+) (?:sub-?)?agent\b)"
     R"((?: to\b)?[\s:,]*(?P<text>.+))",
     R"((?:让|叫|委托)\s*(?P<agent>[\w-]+)\s*(?:智能体|子代理|代理)\s*去?[\s:：，]*(?P<text>.+))"},
    {Intent::node_set,
     R"((?:set|change) (?:the )?(?:(?P<input>[\w-]+)(?: input| value)? (?:of|in|on) )"
     R"((?:the )?node #?(?P<node>[\w-]+)|node #?(?P<node2>[\w-]+)(?:'s)? (?P<input2>[\w-]+)))"
     R"((?: value)?(?: to |\s*=\s*)(?P<value>.+))",
     R"((?:把|将|设置|修改)?\s*(?:节点\s*#?(?P<node>[\w-]+)|第?(?P<node2>[\w-]+)\s*号节点)\s*的?\s*)"
     R"((?P<input>[\w-]+)\s*(?:的值)?\s*(?:改成|改为|设为|设成|设置为|换成|调成|调到|为|=)\s*(?P<value>.+))"},
    {Intent::todo_write,
     R"((?:(?:(?:write|make|create|set|add|put|update)\b(?: \w+){0,3}? )?)"
     R"((?:to-?do|plan|task)s?(?: list)?(?:\s*:| of| with)(?P<items>.+)|)"
     R"(add (?P<items2>.+) to (?:my|the) (?:to-?do|task)s?(?: list)?\W*$|remind me (?:to )?(?P<items3>.+)|)"
     R"((?:write|make|create) (?:\w+ ){0,3}?(?:to-?do list|plan)\W*$))",
     R"((?:(?:添加|加|写|列|制定|创建|新建|做)?(?:一?[个份])?\s*(?:待办|计划|任务)(?:事项|清单|列表)?\s*)"
     R"((?:[:：](?P<items>.+)|$)|提醒我(?P<items2>.+)|(?:把|将)(?P<items3>.+?)(?:加入|加到|添加到|放进))"
     R"((?:我的)?(?:待办|任务|计划)))"},
    {Intent::todo_read,
     R"((?:show|read|list|what|display)\b.*\b(?:to-?dos?|task list|plan)(?: list)?\W*$)",
     R"((?:查看|显示|列出|看看|看一下|读取).*(?:待办|任务清单|计划)(?:事项|清单|列表)?\s*。?$)"},
    {Intent::recall,
     R"((?:recall|what do you (?:remember|know)|do you remember)(?: about| of| that)?\s+(?P<text>.+?)[\s.?!]*$)",
     R"((?:你?还?记得|想起)\s*(?:关于)?\s*(?P<text>.+?)(?:的事情?)?(?:吗|么)[？?]?$|)"
     R"(回忆(?:一下)?(?:关于)?\s*(?P<text2>.+))"},
    {Intent::remember, R"((?:remember|memori[sz]e|keep in mind)(?: that)?[\s:,]+(?P<text>.+))",
     R"(记(?:住|下|得)[\s:：，]*(?P<text>.+))"},
    {Intent::shell,
     R"((?:run|execute) (?:the |this )?(?:shell |bash )?command\b[\s:]*(?P<command>.+)|)"
     R"(\$ (?P<command2>.+)|(?:run|execute) (?:the|my|all|an?|it|this|that)\b(?:.* with (?P<command3>.+))?|)"
     R"((?:run|execute) (?P<command4>.+))",
     R"((?:运行|执行)(?:一下)?\s*(?:shell|终端)?\s*(?:命令)?[\s:：]*(?P<command>[^\p{Han}\s].*)?)"},
    {Intent::fetch,
     R"((?:fetch|get|download|open|read|visit|load|show|what)\b.*?(?P<url><U>)|(?P<url2><U>)$)",
     R"((?:抓取|获取|下载|打开|访问|读取|看).*?(?P<url><U>))"},
    {Intent::move,
     R"((?:move|rename|mv) (?:the )?(?:(?:file|folder) )?(?P<path><W>) (?:to|into|as) )"
     R"((?:the )?(?:(?:file|folder) )?(?P<to><W>))",
     R"((?:把|将|移动|重命名)\s*(?:文件)?\s*(?P<path><P>|它)\s*(?:移动?|重命名|改名)?(?:到|为|成)\s*(?P<to><P>|<W>))"},
    {Intent::edit,
     R"((?:in|edit) (?:the )?(?:file )?(?P<path><P>)[\s,:]+(?:and )?(?:replace|change) (?P<old><Q>|.+?) )"
     R"((?:with|by|to) (?P<new><Q>|.+)|)"
     R"((?:replace|change) (?P<old2><Q>|.+?) (?:with|by|to) (?P<new2><Q>|.+?) in (?:the )?(?:file )?)"
     R"((?P<path2><P>|it\b))",
     R"((?:在\s*(?P<path><P>)\s*[里中]\s*(?:把|将)\s*(?P<old><Q>|.+?)|(?:把|将)\s*(?:文件)?\s*(?P<path2><P>|它))"
     R"(\s*[里中]?的?\s*(?P<old2><Q>|.+?))\s*(?:替换[为成]|改[为成]|换成)\s*(?P<new><Q>|.+))"},
    {Intent::remove,
     R"((?:delete|remove|rm|erase) (?:the )?(?:(?:files?|folder|directory) )?)"
     R"((?P<paths>(?:<P>|<W>)(?:(?:,? and |, ?)<P>)*)(?: recursively)?[\s.!]*$|(?:delete|remove|erase)\b)",
     R"((?:递归)?(?:删除|删掉|移除)(?:文件夹|文件|目录)?\s*)"
     R"((?:(?P<paths><P>(?:\s*(?:和|与|以及|、|，)\s*<P>)*|<W>)|(?P<path>它))\s*。?$|)"
     R"((?:把|将)\s*(?:文件)?\s*(?P<path2><P>|它)\s*(?:删除|删掉|删了))"},
    {Intent::make_folder,
     R"((?:(?:create|make|add) (?:(?:a|the|new) )*(?:folder|directory)|mkdir) (?:named |called )?(?P<path><W>))",
     R"((?:新建|创建|建立)(?:一个)?(?:目录|文件夹)\s*(?:名为|叫做?)?\s*(?P<path><W>))"},
    {Intent::write,
     R"((?:write|save|(?P<creates>create|make)) (?:(?:the|an?) )?(?:new )?(?:file )?(?:named |called )?(?P<path><P>))"
     R"(,? (?:with(?: the)?(?: contents?| text)?|containing|that says|saying)[\s:]+(?P<content>.+)|)"
     R"((?:write|save|put|(?P<append>append|add)) (?P<content2><Q>|\{.*\}|.+?) (?:to|into|in|as) )"
     R"((?:the |a )?(?:new )?(?:file )?(?:named |called )?(?P<path2><P>|it\b)|)"
     R"((?P<creates2>create|touch) (?:(?:the|an?) )?(?:new )?(?:file )?(?:named |called )?(?P<path3><P>)|)"
     R"((?:write|save) (?:(?:the|to|as|file) )*(?P<path4><F>)|(?:write|save)\b)",
     R"((?:把|将)\s*(?P<content><Q>|\{.*\}|.+?)\s*(?:写[入到进]|保存[到为]|存[入到]|(?P<append>追加到))\s*(?:文件)?\s*)"
     R"((?P<path><P>|它)|(?:(?P<creates>创建|新建|生成)(?:一个)?|写入?|保存)[到为]?\s*(?:新?文件)?\s*(?:名为|叫做?)?\s*)"
     R"((?P<path2><F>)(?:\s*[，,]?\s*内容(?:为|是)?\s*[:：]?\s*(?P<content2>.+))?|写[入上]?\s*(?P<content3><Q>|\S.*))"},
    {Intent::glob,
     R"((?:find|list|show|which|what|glob|(?:search|look) for)(?: me)?(?: all)?(?: the)?(?: files)?)"
     R"((?: matching| named| like)? (?P<pattern>[\w./~-]*\*[\w./~*-]*)(?:.*? (?:in|under) (?:the )?(?:folder )?(?P<folder><W>))?|)"
     R"((?:find|search|look)(?: for)?(?: all| the)* files? (?:(?:named|called|matching) (?P<pattern2><W>)|(?P<pattern3><P>)))",
     R"((?:查找|搜索|列出|找)(?:所有|全部)?的?\s*(?P<pattern>[\w./~-]*\*[\w./~*-]*))"},
    {Intent::search,
     R"((?:search|grep) (?:in )?(?P<folder><W>) for (?P<pattern><Q>|.+?)[.?!]*$|)"
     R"((?:search for|look for|grep(?: for)?|find|search) (?:the (?:text|word) )?(?P<pattern2><Q>|.+?))"
     R"((?: (?:in|inside|within|under) (?:the )?(?:folder |directory |file )?(?P<folder2><W>))?[.?!]*$)",
     R"((?:在\s*(?P<folder><P>|<W>)\s*(?:目录|文件夹)?[里中下]?\s*)?(?:搜索|查找|检索|搜|找)(?:一下)?\s*)"
     R"((?:包含|文本)?\s*(?P<pattern><Q>|.+?)\s*(?:的(?:文件|内容|行))?[。？]*$)"},
    {Intent::list,
     R"((?:list|show|what|which|how many)(?: me)?(?: all)?(?: the)? (?:files|folders|entries)\b(?: are)?)"
     R"((?: here| there)*(?: (?:in|of|inside|under)(?: the| this| my)?(?: current| working)?)"
     R"((?: folder| directory)?(?: (?P<folder><W>))?)?\W*$|)"
     R"((?:list|show|open|what(?:'s| is) in)(?: me)?(?: the contents? of)?(?: the| this)?(?: current| working)?)"
     R"( (?:folder|directory)(?: (?P<folder2><W>))?\W*$|(?:ls|dir)(?: (?P<folder3><W>))?$|list (?P<folder4><P>)\W*$)",
     R"((?:列出|列一?下|显示|查看|看看|看一下)\s*(?:当前|这个|所有|全部)?\s*(?P<folder><Q>|[\w/~-]+)?\s*)"
     R"((?:(?:目录|文件夹)[下里中]?的?(?:所有)?(?:文件|内容)?|[下里中]?的?文件)[。？]?$|)"
     R"((?:(?P<folder2><Q>|[\w/~-]+)\s*)?(?:目录|文件夹|这里)?[下里中]?(?:有哪些|有什么|有多少个?|多少个?)文件)"},
    {Intent::read,
     R"((?:read|open|show|print|cat|display|view)\b(?P<paths>.*<P>.*)|(?:summari[sz]e|explain|describe|compare|)"
     R"(analy[sz]e|check|look at|count|what|what's|how many|which|(?:tell|give) me)\b(?P<paths2>.*<F>.*)|)"
     R"((?:read|show|open|print|count|summari[sz]e)(?: me)? (?:it|them|(?:the |that )?file)\b.*)",
     R"((?:读取|读一下|读|打开|查看|显示|看看|看一下|看|总结|概括|解释|比较|对比|统计|分析)(?:一下)?\s*(?:文件)?\s*)"
     R"((?P<paths>.*<P>.*)|(?P<paths2><P>)\s*(?:里|中|的内容|写了|有).*|(?:读取?|打开|查看|总结|统计).*(?:它|文件))"},
    {Intent::tell,
     R"((?:tell|show|give) me (?:what|the (?:contents?|results?|output|answer|text))\b.*|)"
     R"((?:tell|show) me\W*$|what does it say\W*$)",
     R"((?:告诉我|说说|讲讲|给我看看?)\s*(?:它|其|这个|文件)?的?\s*(?:内容|结果|里面|写|说|有|答案|输出).*)"},
    {Intent::say, R"((?:say|repeat|echo)[\s:]+(?P<text>.+))",
     R"((?:说|重复)[\s:：]*(?P<text><Q>|\s\S.*|[:：].+))"},
    {Intent::capabilities,
     R"((?:help|what can you do|who are you|what are you|(?:which|what) tools\b.*)\W*$)",
     R"(你?(?:能做什么|会什么|会做什么|是谁|帮助|有哪些工具|有什么工具).*)"},
    {Intent::greet,
     R"((?:hello|hi|hey|good (?:morning|evening)|(?P<thanks>thanks|thank you))\b.{0,40}$)",
     R"((?:你好|您好|早上好|晚上好|(?P<thanks>谢谢)).{0,20}$)"},
};

struct CompiledRow {
  Intent intent;
  Expression english;
  Expression chinese;
};

std::string expanded(std::string pattern) {
  for (const Fragment& fragment : kFragments) {
    for (std::size_t at = 0; (at = pattern.find(fragment.mark, at)) != std::string::npos;) {
      pattern.replace(at, fragment.mark.size(), "(?:" + std::string(fragment.pattern) + ")");
    }
  }
  return pattern;
}

Expression beginning(std::string_view pattern) {
  return Expression(expanded("^(?:" + std::string(pattern) + ")"));
}

const std::vector<CompiledRow>& rows() {
  static const std::vector<CompiledRow> kCompiled = [] {
    std::vector<CompiledRow> out;
    for (const Row& row : kRows) {
      out.push_back({row.intent, beginning(row.english), beginning(row.chinese)});
    }
    return out;
  }();
  return kCompiled;
}

std::string_view without_fillers(std::string_view text) {
  static const Expression kFillers(
      R"(^(?:(?:please|could you|can you|would you|help me(?: to)?|i want you to|now|also|just|)"
      R"(first|and)\b|请你?|麻烦你?|帮我|你?(?:能不能|能否|可以)|先|再|就|并|首先|第一步)[\s,，:：]*)");
  while (const auto filler = kFillers.find(text)) text.remove_prefix(filler->end);
  return text;
}

// The paths of "a.txt, b.txt and c.txt". A quote that does not look like one counts only alone.
std::vector<std::string> paths_in(std::string_view text) {
  static const Expression kPathAlone(expanded("的内容|和|与|以及|、|，|(?P<path><P>)"));
  static const Expression kLooksSo(R"([^\n]*[./][^\n]*)");
  std::vector<std::string> out;
  std::vector<std::string> quotes;
  for (auto hit = kPathAlone.find(text); hit && out.size() + quotes.size() < kMaxPaths;
       hit = kPathAlone.find(text, hit->end)) {
    if (!hit->slots.contains("path")) continue;
    std::string path = unquoted(hit->slots.at("path"));
    (kLooksSo.is(path) || path == hit->slots.at("path") ? out : quotes).push_back(path);
  }
  return out.empty() ? quotes : out;
}

void refine_write(Step& step) {
  static const Expression kResult(
      R"((?:it|that|this|them|(?:the|its|their) (?:results?|contents?|output|answer|text|page))|)"
      R"((?:它|其|文件|网页)?的?(?:内容|结果|回答|答案|输出)|它)");
  // A language model would have to make it up: "a poem about the sea".
  static const Expression kWish(R"(^(?:an?|the|some|my|something)\b|^一[首篇个段份])");
  const bool creates = step.slots.erase("creates") > 0;
  if (step.slots.contains("append")) step.slots["append"] = {"true"};
  const auto content = step.slots.find("content");
  if (content == step.slots.end()) {
    step.of_result = !creates;
    if (creates) step.slots["content"] = {""};
    return;
  }
  const std::string& text = content->second.front();
  step.of_result = kResult.is(text);
  static const Expression kQuotedText(R"(["“'`「]$)");
  const std::string_view before = std::string_view(step.text).substr(0, step.text.find(text));
  if (step.of_result || (!kQuotedText.in(before) && kWish.in(text))) step.slots.erase(content);
}

void refine_question(Step& step, Language language) {
  std::string& text = step.slots["text"].front();
  if (text.empty()) return;
  std::vector<std::string>& options = step.slots["options"];
  options = options.empty() ? options : split_list(options.front());
  if (options.size() == 1) text += ": " + options.front();
  if (options.size() < 2) step.slots.erase("options");
  if (!text.ends_with("?") && !text.ends_with("？"))
    text += language == Language::chinese ? "？" : "?";
  if (text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
}

void refine(Step& step, Language language) {
  static const Expression kCounts(R"(how many|\bcount\b|number of|多少|统计|几行|几个)");
  static const Expression kJudges(
      R"((?:^|\s)(?:summari[sz]e|explain|compare|describe|analy[sz]e)\s|总结|概括|解释|比较|分析)");
  static const Expression kWhole(R"(\brecursively\b|递归)");
  static const Expression kThat(R"(it|them|this|that|something|the file|它|它们|那个文件)");
  step.counts = kCounts.in(step.text);
  step.judges = kJudges.in(step.text);
  if (const std::string paths = step.first("paths"); !paths.empty()) {
    step.slots["path"] = paths_in(paths);
    if (step.first("path").empty()) step.slots["path"] = {unquoted(paths)};
    step.slots.erase("paths");
  }
  const std::string path = step.first("path");
  if (path.empty() || kThat.is(path)) step.slots.erase("path");
  if (step.intent == Intent::write) refine_write(step);
  if (step.intent == Intent::remove && kWhole.in(step.text)) step.slots["recursive"] = {"true"};
  if (step.intent == Intent::ask_person) refine_question(step, language);
  if (step.slots.contains("items")) step.slots["items"] = split_list(step.first("items"));
  if (step.intent == Intent::glob && step.first("pattern").find('*') == std::string::npos) {
    step.slots["pattern"] = {"**/" + step.first("pattern")};
  }
}

Step read_step(std::string text, Language language) {
  static const Expression kExplicit(
      R"(^(?:(?:call|use)\s+|调用\s*|使用\s*)?(?P<tool>[A-Za-z][\w.:/-]*)\s*(?P<arguments>\{.*\})[.。]?$)");
  Step step;
  step.text = std::move(text);
  const std::string_view plain = without_fillers(step.text);
  if (const auto hit = kExplicit.find(plain)) {
    step.tool = hit->slots.at("tool");
    step.arguments = hit->slots.at("arguments");
    return step;
  }
  for (const CompiledRow& row : rows()) {
    auto hit = row.english.find(plain);
    if (!hit) hit = row.chinese.find(plain);
    if (!hit) continue;
    step.intent = row.intent;
    for (const auto& [slot, value] : hit->slots) {
      const bool is_raw = slot == "items" || slot == "paths" || slot == "options";
      step.slots[slot] = {is_raw ? std::string(value) : unquoted(value)};
    }
    refine(step, language);
    break;
  }
  return step;
}

bool is_about_files(Intent intent) {
  return intent == Intent::read || intent == Intent::write || intent == Intent::edit ||
         intent == Intent::remove || intent == Intent::move;
}

}  // namespace

std::string Step::first(std::string_view slot) const {
  const auto found = slots.find(slot);
  return found == slots.end() || found->second.empty() ? std::string() : found->second.front();
}

Request read_request(std::string_view text) {
  Request request;
  request.language = language_of(text);
  std::string last;
  for (std::string& part : split_steps(text)) {
    Step step = read_step(std::move(part), request.language);
    if (is_about_files(step.intent)) {
      if (step.first("path").empty() && !last.empty()) step.slots["path"] = {last};
      last = step.first(step.intent == Intent::move ? "to" : "path");
    }
    request.steps.push_back(std::move(step));
  }
  return request;
}

}  // namespace parley::demo_model
