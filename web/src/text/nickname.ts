// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

export const kNicknameMin = 2;
export const kNicknameMax = 20;

const kWords = {
  en: {
    first: ['Calm', 'Bright', 'Quick', 'Gentle', 'Clever', 'Steady', 'Merry', 'Keen'],
    second: ['Heron', 'Otter', 'Maple', 'Robin', 'Harbor', 'Comet', 'Willow', 'Lynx'],
    join: ' ',
  },
  zh: {
    first: ['安静的', '明亮的', '敏捷的', '温和的', '聪明的', '沉稳的', '快乐的', '敏锐的'],
    second: ['白鹭', '水獭', '枫叶', '知更鸟', '港湾', '彗星', '垂柳', '山猫'],
    join: '',
  },
} as const;

export function friendlyNickname(language: 'en' | 'zh', random: () => number = Math.random): string {
  const words = kWords[language];
  const pick = (list: readonly string[]) => list[Math.floor(random() * list.length)] ?? '';
  const number = 10 + Math.floor(random() * 90);
  return `${pick(words.first)}${words.join}${pick(words.second)}${words.join}${number}`;
}

// Trimmed, if it has a permitted length; otherwise null. Counted in characters, not in bytes.
export function validNickname(text: string): string | null {
  const name = text.trim().replace(/\s+/g, ' ');
  const length = [...name].length;
  return length >= kNicknameMin && length <= kNicknameMax ? name : null;
}
