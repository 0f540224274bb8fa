// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0

// True if the text is on the clipboard. On plain HTTP outside this computer the browser offers no
// clipboard interface, so a selection is copied instead.
export async function copyText(text: string): Promise<boolean> {
  const clipboard = (navigator as Partial<Navigator>).clipboard;
  if (clipboard) {
    try {
      await clipboard.writeText(text);
      return true;
    } catch {
      return copySelection(text);
    }
  }
  return copySelection(text);
}

function copySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.setAttribute('readonly', '');
  field.style.position = 'fixed';
  field.style.opacity = '0';
  document.body.append(field);
  field.select();
  const copied = document.execCommand('copy');
  field.remove();
  return copied;
}
