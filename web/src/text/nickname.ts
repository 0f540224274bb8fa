// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

export const kNicknameMin = 2;
export const kNicknameMax = 20;

// Earlier versions gave each browser a random name: "Merry Otter 20", "快乐的水獭20".
const kMadeUp =
  /^(?:(?:Calm|Bright|Quick|Gentle|Clever|Steady|Merry|Keen) (?:Heron|Otter|Maple|Robin|Harbor|Comet|Willow|Lynx) \d{2}|(?:安静|明亮|敏捷|温和|聪明|沉稳|快乐|敏锐)的(?:白鹭|水獭|枫叶|知更鸟|港湾|彗星|垂柳|山猫)\d{2})$/;

// True for a name that nobody has chosen: it says nothing about the person or the device.
export function isMadeUp(name: string): boolean {
  return kMadeUp.test(name);
}

// Trimmed, if it has a permitted length; otherwise null. Counted in characters, not in bytes.
export function validNickname(text: string): string | null {
  const name = text.trim().replace(/\s+/g, ' ');
  const length = [...name].length;
  return length >= kNicknameMin && length <= kNicknameMax ? name : null;
}
