// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

const kStrong = /[\p{L}]/u;
const kRightToLeft = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

// The direction of a text by its first letter, as of dir="auto": for a line that begins with a word of the page.
export function directionOf(text: string): 'ltr' | 'rtl' {
  const first = kStrong.exec(text)?.[0] ?? '';
  return kRightToLeft.test(first) ? 'rtl' : 'ltr';
}
