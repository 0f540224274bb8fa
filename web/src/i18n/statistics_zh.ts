// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { statisticsEn } from './statistics_en';

export const statisticsZh: typeof statisticsEn = {
  title: '统计',
  range: '时间段',
  days: '{count} 天',
  open: '现在待回答',
  asked: '提问',
  answered: '已回答',
  expired: '未及时回答',
  cancelled: '已取消',
  share: '{percent} 已回答',
  perDay: '每日提问',
  perDayWords: '{count} 天内提问 {asked} 个，回答 {answered} 个。',
  time: '回答用时',
  timeWords: '一天中一半的回答不超过中位数，十分之九不超过第 90 百分位数。',
  median: '中位数',
  p90: '第 90 百分位数',
  day: '日期',
  table: '以表格显示',
  agents: '按智能体',
  projects: '按项目',
  people: '按成员',
  name: '名称',
  unnamed: '无名称',
  loading: '正在统计…',
  none: '这段时间没有提问',
  noneWords: '智能体提问后，本页显示提问的数量和等待回答的时间。',
  failed: '无法加载统计。{reason}',
  absent: '此服务器没有统计功能，新版本才有。',
  noAnswers: '这段时间没有回答。',
};
