// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// A person who chats: each message is sent until it is known to be stored. The protocol has no
// message that is sent again: one whose connection was lost may be stored as often as it was sent.
import { setTimeout as pause } from 'node:timers/promises';
import { Socket } from './socket.js';

const kPatienceMs = 10_000;
const kPauseMs = 1_000;

async function isStored(world, space, session, request) {
  const path = `/v1/sessions/${session}/events?limit=1000`;
  const read = await world.insist('GET', path, { token: space.token });
  return read.status === 200 && read.json().events.some((each) => each.payload.request_id === request);
}

// Sends a message and waits for the end of its run; false: the connection was lost, or the chat is busy.
async function say(socket, session, requestId) {
  const frame = {
    type: 'USER_MESSAGE',
    sessionCode: session,
    requestId,
    content: 'Hello',
    data: { type: 'USER_MESSAGE' },
  };
  socket.send(JSON.stringify(frame));
  const isEnd = (text) => {
    const { type, requestId: of, data } = JSON.parse(text);
    return of === requestId && (type === 'ERROR' || ['COMPLETE', 'ERROR', 'INTERRUPTED'].includes(data?.promptType));
  };
  const end = await socket.find(isEnd, kPatienceMs);
  return end !== undefined && JSON.parse(end).data?.promptType === 'COMPLETE';
}

export async function chat(world, space) {
  const made = await world.insist('POST', '/api/v1/sessions', { token: space.token, body: { title: 'faults' } });
  const session = made.json().data;
  const sent = world.history.chatted(space, session);
  let socket;
  while (!world.isOver) {
    const requestId = world.name('message');
    while (!world.isOver || !(await isStored(world, space, session, requestId))) {
      if (socket === undefined || socket.isClosed) {
        socket = await Socket.open(world.node.url, `/api/ws/chat/${session}?token=${space.token}`);
        if (socket === undefined) {
          await world.wasLost();
          continue;
        }
      }
      sent.push(requestId);
      if (await say(socket, session, requestId)) break;
      await pause(kPauseMs);
      if (await isStored(world, space, session, requestId)) break;
    }
    await pause(kPauseMs * (0.5 + Math.random()));
  }
  socket?.end();
}
