// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { createPinia, setActivePinia } from 'pinia';
import { beforeEach, describe, expect, it } from 'vitest';
import { WebsocketMessageSchema } from '@/gen/agentassist_pb';
import { decodeFrame } from '@/protocol/frames';
import { usePeople } from './people';

describe('people', () => {
  let people: ReturnType<typeof usePeople>;
  let sent: Uint8Array[];

  const hear = (init: MessageInitShape<typeof WebsocketMessageSchema>) => {
    people.receive(create(WebsocketMessageSchema, init));
  };
  const user = (clientId: string, nickname: string) => ({ clientId, nickname, connectedAt: 1n });
  const status = (clientId: string, nickname: string, word: string) => {
    hear({
      Cmd: 'UserConnectionStatusNotification',
      UserConnectionStatusNotification: { user: user(clientId, nickname), status: word },
    });
  };
  const chatMessage = (senderClientId: string, content: string) => {
    hear({
      Cmd: 'ChatMessageNotification',
      ChatMessageNotification: { chatMessage: { senderClientId, senderNickname: 'Bo', content, sentAt: 7n } },
    });
  };

  beforeEach(() => {
    setActivePinia(createPinia());
    people = usePeople();
    sent = [];
    people.attach((frame) => sent.push(frame) > 0);
    people.loggedIn('me');
    const onlineUsers = [user('me', 'Ada'), user('b', 'Bo')];
    hear({ Cmd: 'GetOnlineUsers', GetOnlineUsersResponse: { onlineUsers } });
  });

  it('lists the others, without oneself', () => {
    expect(people.others.map((it) => it.nickname)).toEqual(['Bo']);
  });

  it('follows joins, leaves and new names', () => {
    status('c', 'Cy', 'connected');
    status('b', 'Bob', 'connected');
    expect(people.others.map((it) => it.nickname)).toEqual(['Cy', 'Bob']);
    status('c', 'Cy', 'disconnected');
    expect(people.others.map((it) => it.nickname)).toEqual(['Bob']);
  });

  it('sends a message to the chosen person', () => {
    people.say('b', 'hi');
    expect(decodeFrame(sent[0] ?? new Uint8Array())?.SendChatMessageRequest).toMatchObject({
      receiverClientId: 'b',
      content: 'hi',
    });
    expect(people.chatWith('b').lines[0]).toMatchObject({ mine: true, undelivered: false });
  });

  it('reports a receiver that has gone, and sends nothing', () => {
    status('b', 'Bo', 'disconnected');
    people.say('b', 'hi');
    expect(sent).toEqual([]);
    expect(people.chatWith('b').lines[0]?.undelivered).toBe(true);
  });

  it('counts unread messages until the chat is opened', () => {
    chatMessage('b', 'one');
    chatMessage('b', 'two');
    expect(people.unread).toBe(2);
    people.show('b');
    expect(people.unread).toBe(0);
    chatMessage('b', 'three');
    expect(people.unread).toBe(0);
    expect(people.chatWith('b').lines.map((line) => [line.text, line.at])).toEqual([
      ['one', 7000],
      ['two', 7000],
      ['three', 7000],
    ]);
  });

  it('continues a chat with a person back under a new id', () => {
    chatMessage('b', 'one');
    status('b', 'Bo', 'disconnected');
    status('b2', 'Bo', 'connected');
    expect(people.chatWith('b2').lines).toHaveLength(1);
    expect(people.chats.has('b')).toBe(false);
  });

  it('gives no chat to a namesake while its owner is online', () => {
    chatMessage('b', 'one');
    status('b2', 'Bo', 'connected');
    expect(people.chats.has('b')).toBe(true);
    expect(people.chatWith('b2').lines).toEqual([]);
  });
});
