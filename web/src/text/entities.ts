// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// Character references for markdown-it, decoded by the browser, which has the table of the 2,200 names. The package
// `entities` resolves to this file in the console (vite.config.ts): its table is 15 KB of the first load.

const kMaxUnits = 2; // UTF-16 code units of the longest reference
const holder = document.createElement('textarea'); // its content is text only: no elements, no requests

// One reference with its semicolon; the text itself if there is no such name. The browser also reads names that are
// followed by other characters ("&notit;"), which is more than one reference.
export function decodeHTMLStrict(reference: string): string {
  holder.innerHTML = reference;
  const text = holder.textContent;
  return text.length <= kMaxUnits ? text : reference;
}
