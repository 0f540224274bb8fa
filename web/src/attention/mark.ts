// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

export type MarkState = 'connected' | 'asking' | 'offline';

// The mark of Parley: two arcs that face each other and share one dot.
export const kMarkArcs = ['M8.6 3.8A9.4 9.4 0 0 0 8.6 20.2', 'M15.4 3.8A9.4 9.4 0 0 1 15.4 20.2'];
export const kAskedColour = '#e0900f';

export function markSvg(state: MarkState): string {
  const arcs = kMarkArcs.map((path) => `<path d="${path}"/>`).join('');
  const dot =
    state === 'offline'
      ? '<circle cx="12" cy="12" r="2.3" stroke-width="1.6"/>'
      : `<circle cx="12" cy="12" r="${state === 'asking' ? 4 : 3}" fill="currentColor" stroke="none"/>`;
  const width = state === 'offline' ? 1.8 : 2.8;
  const colour = state === 'asking' ? kAskedColour : '#4a443b';
  const dark = state === 'asking' ? kAskedColour : '#d8d1c5';
  return (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24">' +
    `<style>g{color:${colour}}@media(prefers-color-scheme:dark){g{color:${dark}}}</style>` +
    `<g fill="none" stroke="currentColor" stroke-width="${width}" stroke-linecap="round">${arcs}${dot}</g></svg>`
  );
}

export function showMark(state: MarkState): void {
  const link = document.querySelector<HTMLLinkElement>('#favicon');
  if (link) link.href = `data:image/svg+xml,${encodeURIComponent(markSvg(state))}`;
}
