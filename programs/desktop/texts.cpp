// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
#include "programs/desktop/texts.h"

#include <array>
#include <cstddef>

namespace parley::desktop {
namespace {

struct Sentence {
  Text id;
  const char* english;
  const char* chinese;
};

constexpr std::array kSentences = {
    Sentence{Text::show, "Show Parley", "显示 Parley"},
    Sentence{Text::pause, "Pause notifications", "暂停提醒"},
    Sentence{Text::settings, "Settings", "设置"},
    Sentence{Text::quit, "Quit", "退出"},
    Sentence{Text::reload, "Reload", "重新加载"},
    Sentence{Text::cancel, "Cancel", "取消"},
    Sentence{Text::save, "Save", "保存"},
    Sentence{Text::add, "Add a server", "添加服务器"},
    Sentence{Text::remove, "Remove", "移除"},
    Sentence{Text::allow, "Allow", "允许"},
    Sentence{Text::deny, "Deny", "拒绝"},
    Sentence{Text::try_now, "Try now", "立即重试"},
    Sentence{Text::state_online, "connected", "已连接"},
    Sentence{Text::state_connecting, "connecting", "正在连接"},
    Sentence{Text::state_offline, "not reachable, trying again", "无法连接，正在重试"},
    Sentence{Text::state_denied, "the token is refused", "令牌被拒绝"},
    Sentence{Text::state_off, "off", "已停用"},
    Sentence{Text::waiting, "Waiting", "等待处理"},
    Sentence{Text::nothing_waits, "Nothing waits for you", "没有等待处理的事项"},
    Sentence{Text::nothing_waits_hint,
             "Questions and reports of your agents appear here, from all servers.",
             "所有服务器上智能体的问题和报告都会显示在这里。"},
    Sentence{Text::more_wait, "{} more: see the inbox of each server",
             "还有 {} 项：请查看各服务器的收件箱"},
    Sentence{Text::question, "Question", "问题"},
    Sentence{Text::report, "Report", "报告"},
    Sentence{Text::asks, "{} asks", "{} 提问"},
    Sentence{Text::reports, "{} reports", "{} 报告"},
    Sentence{Text::some_agent, "An agent", "智能体"},
    Sentence{Text::connect_title, "Connect to a server", "连接服务器"},
    Sentence{Text::connect_hint,
             "Paste the link that “parley serve” prints, or enter the address and a token.",
             "粘贴 “parley serve” 显示的链接，或输入地址和令牌。"},
    Sentence{Text::connect, "Connect", "连接"},
    Sentence{Text::alias, "Name", "名称"},
    Sentence{Text::address, "Address", "地址"},
    Sentence{Text::token, "Token", "令牌"},
    Sentence{Text::bad_address,
             "The address must be that of a server, for example http://127.0.0.1:22080.",
             "请输入服务器地址，例如 http://127.0.0.1:22080。"},
    Sentence{Text::bad_token, "A token is needed, without spaces. “parley token create” makes one.",
             "请输入不含空格的令牌，可用 “parley token create” 创建。"},
    Sentence{Text::too_many_servers, "At most {} servers are possible.",
             "最多可添加 {} 台服务器。"},
    Sentence{Text::servers, "Servers", "服务器"},
    Sentence{Text::enabled, "On", "启用"},
    Sentence{Text::no_servers, "No server yet.", "还没有服务器。"},
    Sentence{Text::on_question, "When a question comes", "收到问题时"},
    Sentence{Text::on_report, "When a report comes", "收到报告时"},
    Sentence{Text::attention_none, "Only count it", "仅计数"},
    Sentence{Text::attention_tray, "Icon and notification", "图标和通知"},
    Sentence{Text::attention_popup, "Bring up the window", "弹出窗口"},
    Sentence{Text::attention_top, "Bring up the window, on top", "弹出窗口并置顶"},
    Sentence{Text::close_to_tray, "Closing the window keeps Parley in the tray",
             "关闭窗口后留在托盘"},
    Sentence{Text::autostart, "Start when I log in", "登录时启动"},
    Sentence{Text::language, "Language", "语言"},
    Sentence{Text::automatic, "Automatic", "自动"},
    Sentence{Text::typing, "Type messages from my phone into this computer",
             "将手机发来的消息输入到这台电脑"},
    Sentence{Text::typing_hint,
             "A chat message that anyone with your token sends to “{}” is typed as if at the "
             "keyboard.",
             "任何持有你的令牌的人发给“{}”的聊天消息，都会像键盘输入一样写入。"},
    Sentence{Text::typing_into, "Type into", "输入到"},
    Sentence{Text::focused_window, "The window with the focus", "当前窗口"},
    Sentence{Text::computer_name, "Name of this computer", "这台电脑的名称"},
    Sentence{Text::long_text, "Type {} characters?", "要输入 {} 个字符吗？"},
    Sentence{Text::long_text_hint, "A long text has arrived from {}.", "收到来自 {} 的长文本。"},
    Sentence{Text::type_it, "Type", "输入"},
    Sentence{Text::not_typed, "A message was not typed", "消息未输入"},
    Sentence{Text::no_typing_program, "The program agentassistant-input is not installed.",
             "未安装 agentassistant-input 程序。"},
    Sentence{Text::too_long, "A text of more than 1 MiB cannot be typed.",
             "无法输入超过 1 MiB 的文本。"},
    Sentence{Text::too_many_messages, "Too many messages wait to be typed.",
             "等待输入的消息过多。"},
    Sentence{Text::nobody_agreed, "Nobody agreed to the long text in time.",
             "长文本未及时得到确认。"},
    Sentence{Text::window_gone, "The window “{}” is not open. Choose another in the settings.",
             "窗口“{}”未打开，请在设置中选择其他窗口。"},
    Sentence{Text::microphone_title, "Microphone", "麦克风"},
    Sentence{Text::microphone, "Let {} use the microphone?", "允许 {} 使用麦克风吗？"},
    Sentence{Text::saved, "Saved as {}", "已保存为 {}"},
    Sentence{Text::not_saved, "Not saved: {}", "未保存：{}"},
    Sentence{Text::unreachable, "The server is not reachable. Trying again by itself.",
             "无法连接服务器，将自动重试。"},
    Sentence{Text::bad_certificate,
             "The certificate of the server is not trusted by this computer.",
             "这台电脑不信任服务器的证书。"},
    Sentence{Text::no_console, "There is no console at this address. Check it in the settings.",
             "该地址没有控制台，请在设置中检查。"},
    Sentence{Text::page_ended, "The page has ended unexpectedly. Loading it again by itself.",
             "页面意外终止，正在自动重新加载。"},
    Sentence{Text::in_the_tray, "Parley goes on in the tray", "Parley 仍在托盘中运行"},
    Sentence{Text::in_the_tray_hint, "Start it again, or use its icon, to see the window.",
             "再次启动或点击图标即可显示窗口。"},
    Sentence{Text::settings_fault, "The settings cannot be read", "无法读取设置"},
    Sentence{Text::settings_unsaved, "The settings could not be saved", "无法保存设置"},
};

constexpr bool in_order() {
  for (std::size_t i = 0; i < kSentences.size(); ++i) {
    if (static_cast<std::size_t>(kSentences.at(i).id) != i) return false;
  }
  return kSentences.size() == static_cast<std::size_t>(Text::settings_unsaved) + 1;
}
static_assert(in_order(), "one sentence for each Text, in its order");

}  // namespace

Language language_of(LanguageChoice choice, std::string_view locale) {
  if (choice == LanguageChoice::english) return Language::english;
  const bool chinese = choice == LanguageChoice::chinese || locale.starts_with("zh");
  return chinese ? Language::chinese : Language::english;
}

std::string say(Language language, Text text, std::string_view part) {
  constexpr std::string_view kPart = "{}";
  const Sentence& sentence = kSentences.at(static_cast<std::size_t>(text));
  std::string out = language == Language::chinese ? sentence.chinese : sentence.english;
  const std::size_t at = out.find(kPart);
  if (at != std::string::npos) out.replace(at, kPart.size(), part);
  return out;
}

}  // namespace parley::desktop
