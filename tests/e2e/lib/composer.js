// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Parts of the form in which a person answers, and files to attach.
export const part = (within, name) => within.locator(`[data-test=${name}]`);
export const field = (card) => part(card, 'answer-field');
export const chip = (card, words) => part(card, 'quick-reply').filter({ hasText: words });

// A picture of one red pixel.
export const kPicture = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
);
export const picture = (name = 'door.png') => ({ name, mimeType: 'image/png', buffer: kPicture });
export const plainFile = (name, words) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(words) });
export const attach = (card, ...files) => part(card, 'attach-input').setInputFiles(files);
export const attached = (card, name) => part(card, 'answer-file').filter({ hasText: name });

// Sends a `drop` or `paste` with files ({ name, type, base64 }) or with text (by type) to an element.
export function give(target, event, { files = [], text = {} }) {
  return target.evaluate(
    (element, { event, files, text }) => {
      const data = new DataTransfer();
      for (const { base64, name, type } of files) {
        data.items.add(new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], name, { type }));
      }
      for (const [type, words] of Object.entries(text)) data.setData(type, words);
      const options = { bubbles: true, cancelable: true };
      if (event === 'paste')
        return element.dispatchEvent(new ClipboardEvent('paste', { ...options, clipboardData: data }));
      element.dispatchEvent(new DragEvent('dragover', { ...options, dataTransfer: data }));
      return element.dispatchEvent(new DragEvent('drop', { ...options, dataTransfer: data }));
    },
    { event, files, text },
  );
}

// Holds back the frames that the page sends once held.on is true; they never reach the server.
export async function holdFrames(page) {
  const held = { on: false, count: 0 };
  await page.routeWebSocket(/\/ws\?/, (socket) => {
    const server = socket.connectToServer();
    socket.onMessage((frame) => {
      if (held.on) held.count += 1;
      else server.send(frame);
    });
  });
  return held;
}
