// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { visibleText } from '@/text/visible_text';
import { asArray, asObject, asText, parsedJson } from '@/wire/json';

export interface PushOption {
  label: string;
  path: string; // answers by POST
  safe: boolean; // allows nothing
}

const kPushKinds = ['question', 'task_finish', 'closed', 'test'] as const;

// A message that the server pushes to a browser. kind 'closed': the question `key` is no longer open.
export interface PushMessage {
  kind: (typeof kPushKinds)[number];
  key: string;
  title: string;
  body: string;
  options: PushOption[];
  hash: string; // of the page that a click opens: "#/inbox/item/..."
}

const kVersion = 1;
// Characters of a notification. The server (src/services/notify/notice.h) offers other than safe options only within
// these limits.
const kMaxTitle = 120;
const kMaxBody = 400;
const kMaxLabel = 40;
const kMaxOptions = 9;
const kHere = 'https://here.invalid'; // stands for this server

interface Cut {
  text: string;
  isWhole: boolean;
}

const cut = (text: string, limit: number): Cut => {
  const chars = [...visibleText(text.trim())];
  const isWhole = chars.length <= limit;
  return { text: isWhole ? chars.join('') : `${chars.slice(0, limit - 1).join('')}…`, isWhole };
};

// An address of this server; null: an address of another one, or none.
function ownAddress(address: string): URL | null {
  if (!address.startsWith('/')) return null;
  try {
    const url = new URL(address, kHere);
    return url.origin === kHere ? url : null;
  } catch {
    return null;
  }
}

// Null: not a message of this version.
export function readPush(text: string): PushMessage | null {
  const it = asObject(parsedJson(text));
  const kind = kPushKinds.find((known) => known === it['kind']);
  const key = asText(it['key']);
  const title = cut(asText(it['title']), kMaxTitle);
  const body = cut(asText(it['body']), kMaxBody);
  if (it['v'] !== kVersion || !kind || key === '' || (kind !== 'closed' && title.text === '')) return null;
  const options = asArray(it['options'])
    .slice(0, kMaxOptions)
    .flatMap((each): PushOption[] => {
      const option = asObject(each);
      const label = cut(asText(option['label']), kMaxLabel);
      const url = ownAddress(asText(option['url']));
      const safe = option['safe'] === true;
      // A button must not allow what the notification does not show.
      const isSeen = label.isWhole && (safe || (title.isWhole && body.isWhole));
      return label.text === '' || url === null || !isSeen
        ? []
        : [{ label: label.text, path: `${url.pathname}${url.search}`, safe }];
    });
  const hash = ownAddress(asText(it['url']))?.hash ?? '';
  return { kind, key, title: title.text, body: body.text, options, hash: hash.startsWith('#/') ? hash : '#/inbox' };
}
