// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { asArray, asObject, asText } from '@/wire/json';
import { kOpenMessage } from './messages';
import { type PushMessage, type PushOption, readPush } from './push_message';
import type { WorkerScope } from './worker_scope';

interface Words {
  unknown: string; // title for a message that this version cannot read
  sent: string;
  over: string;
  unsent: string;
  openPage: string;
}

const kEnglish: Words = {
  unknown: 'Something waits for you',
  sent: 'Answered: {label}',
  over: 'This question is no longer open.',
  unsent: 'The answer could not be sent.',
  openPage: 'Open Parley to answer.',
};
const kChinese: Words = {
  unknown: '有事等待你处理',
  sent: '已回答：{label}',
  over: '这个问题已不再等待回答。',
  unsent: '无法发送回答。',
  openPage: '打开 Parley 来回答。',
};
const kIcon = '/icons/icon-192.png';
const kBadge = '/icons/badge-96.png';
const kAction = 'option-';

// Data of a shown notification.
interface StoredNotice {
  hash: string;
  title: string;
  options: PushOption[];
}

// TypeScript's types of documents have no actions: only notifications of a worker have them.
type Options = NotificationOptions & { actions?: { action: string; title: string }[]; renotify?: boolean };

function storedNoticeOf(data: unknown): StoredNotice {
  const it = asObject(data);
  const options = asArray(it['options'])
    .map(asObject)
    .map((option) => ({ label: asText(option['label']), path: asText(option['path']), safe: option['safe'] === true }));
  return { hash: asText(it['hash']) || '#/inbox', title: asText(it['title']), options };
}

// Shows pushed messages as notifications, and sends answers from them.
export class Notices {
  private readonly words: Words;

  constructor(private readonly scope: WorkerScope) {
    this.words = scope.language.toLowerCase().startsWith('zh') ? kChinese : kEnglish;
  }

  // `text`: the payload of a push; '': none.
  async push(text: string): Promise<void> {
    const message = readPush(text);
    if (message === null)
      return this.show(this.words.unknown, { body: this.words.openPage, tag: 'parley', data: storedNoticeOf({}) });
    if (message.kind === 'closed') return this.close(message.key);
    await this.ask(message);
  }

  // `action`: the pressed button; '': the notification itself.
  async click(notification: Pick<Notification, 'close' | 'data' | 'tag'>, action: string): Promise<void> {
    notification.close();
    const stored = storedNoticeOf(notification.data);
    const option = action.startsWith(kAction) ? stored.options[Number(action.slice(kAction.length))] : undefined;
    if (option) await this.answer(option, stored, notification.tag);
    else await this.open(stored.hash);
  }

  private async ask({ body, hash, key, options, title }: PushMessage): Promise<void> {
    const stored: StoredNotice = { hash, title, options };
    const actions = options
      .slice(0, this.scope.maxActions)
      .map(({ label }, at) => ({ action: `${kAction}${at}`, title: label }));
    await this.show(title, { body, tag: key, data: stored, actions, renotify: true });
  }

  private async answer(option: PushOption, stored: StoredNotice, tag: string): Promise<void> {
    const result = await this.post(option.path);
    const data: StoredNotice = { ...stored, options: [] };
    if (result === 'sent')
      await this.show(stored.title, {
        body: this.words.sent.replace('{label}', option.label),
        tag,
        data,
        silent: true,
      });
    else if (result === 'over') await this.show(stored.title, { body: this.words.over, tag, data });
    else await this.show(stored.title, { body: `${this.words.unsent} ${this.words.openPage}`, tag, data });
  }

  // A redirect is a failure: it leads to a sign-in page of a proxy, whose success is not that of the answer.
  private async post(path: string): Promise<'sent' | 'over' | 'unsent'> {
    try {
      const { ok, status } = await this.scope.fetch(path, {
        method: 'POST',
        credentials: 'omit',
        cache: 'no-store',
        redirect: 'error',
      });
      if (ok) return 'sent';
      return [404, 409, 410].includes(status) ? 'over' : 'unsent';
    } catch {
      return 'unsent';
    }
  }

  private async close(tag: string): Promise<void> {
    for (const notification of await this.scope.registration.getNotifications({ tag })) notification.close();
  }

  // Brings an open page to the front and moves it there; opens one if there is none.
  private async open(hash: string): Promise<void> {
    const home = this.scope.registration.scope;
    const pages = await this.scope.clients.matchAll({ type: 'window', includeUncontrolled: true });
    const page = pages.find(({ url }) => url.split(/[?#]/, 1)[0] === home);
    if (!page) return void (await this.scope.clients.openWindow(`${home}${hash}`));
    page.postMessage({ type: kOpenMessage, address: hash.slice(1) });
    await page.focus();
  }

  private show(title: string, options: Options): Promise<void> {
    return this.scope.registration.showNotification(title, { icon: kIcon, badge: kBadge, ...options });
  }
}
