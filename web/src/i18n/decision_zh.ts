// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { decisionEn } from './decision_en';

export const decisionZh: typeof decisionEn = {
  sends: '正在发送',
  chosen: '你选择了',
  forOthers: '用于 {count} 个请求',
  undo: '撤销',
  cancel: '取消',
  now: '立即发送',
  confirm: '确认',
  always: '始终允许…',
  alwaysHint: '先显示规则',
  place: {
    session: '本次会话结束前有效，不写入文件。',
    project: '写入本机上的此项目设置',
    user: '写入你所有项目的设置',
    file: '位置：{file}',
  },
  reason: '理由…',
  reasonLabel: '理由（可选）',
  reasonPlaceholder: '告诉智能体原因，或改做什么…',
  hintKeys: '按 {keys} 选择，Enter 确认，Esc 取消',
  same: '其余 {count} 个同样处理 | 其余 {count} 个同样处理',
  sameHint: '它们的请求完全相同：',
  before: {
    of: '：',
    allowed: '此前允许过 1 次。 | 此前允许过 {count} 次，从未拒绝。',
    denied: '此前拒绝过 1 次。 | 此前拒绝过 {count} 次，从未允许。',
    both: '此前允许 {allowed} 次，拒绝 {denied} 次。',
    last: { allowed: '最近一次：允许', lasting: '最近一次：始终允许', denied: '最近一次：拒绝' },
    lastBy: {
      allowed: '最近一次：由 {name} 允许',
      lasting: '最近一次：由 {name} 始终允许',
      denied: '最近一次：由 {name} 拒绝',
    },
    way: '（{way}）',
    rule: '设为规则…',
  },
  sameNever: '长期规则只用于当前请求。',
};
