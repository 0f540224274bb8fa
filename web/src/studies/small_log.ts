// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Test data: a short log of a relay that writes no ids and attributes every change to the host.
const kItems = [
  { id: 'm1', title: 'Harbour of Glass' },
  { id: 'm2', title: 'Two Left Shoes' },
];
const kVisible = kItems.map(({ id, title }) => ({ id, value: title }));
const kMovie = {
  stage: 'movie',
  title: 'Select Movie',
  description: 'Choose a movie',
  visibleItems: kVisible,
  state: { booking: {} },
  items: kItems,
  modification: {},
  display: { valueField: 'title', component: 'buttonGroup' },
};
const kChosen = { ...kMovie, state: { booking: {}, selected: kVisible[1] } };
const kTheater = {
  ...kMovie,
  stage: 'theater',
  title: 'Select Theater',
  items: [{ id: 't1', name: 'Lantern Hall' }],
  visibleItems: [{ id: 't1', value: 'Lantern Hall' }],
  display: { valueField: 'name', component: 'buttonGroup' },
};
const kSystem = { id: 'sys-1', type: 'system', timestamp: 0, stage: 'movie', spec: kMovie };
const kPicked = { id: 'usr-1', type: 'user', timestamp: 0, stage: 'movie', action: 'select', label: 'Two Left Shoes' };
const kOpening = { id: 'sys-2', type: 'system', timestamp: 0, stage: 'theater', spec: kTheater };

type Line = [second: number, direction: string, type: string, payload: unknown];

const kLines: Line[] = [
  [0, 'internal', 'relay.join', { clientId: 'h', role: 'host' }],
  [0.2, 'in', 'state.updated', { source: 'host', uiSpec: kMovie, messageHistory: [kSystem], toolSchema: [] }],
  [1, 'internal', 'relay.join', { clientId: 'a', role: 'agent' }],
  [1.1, 'in', 'session.start', { studyId: 'movie-night', participantId: 'P-01' }],
  [1.1, 'out', 'session.start', { studyId: 'movie-night', participantId: 'P-01' }],
  [1.2, 'in', 'session.started', { sessionId: 'default' }],
  [3, 'in', 'tool.call', { toolName: 'select', params: { itemId: 'm2' }, reason: 'A comedy.' }],
  [3, 'out', 'tool.call', { toolName: 'select', params: { itemId: 'm2' }, reason: 'A comedy.' }],
  [3.1, 'in', 'tool.result', { ok: true, toolName: 'select', uiSpec: kChosen }],
  [3.1, 'out', 'tool.result', { delivered: 1, payload: { ok: true, toolName: 'select', uiSpec: kChosen } }],
  [3.1, 'in', 'state.updated', { source: 'host', uiSpec: kChosen, messageHistory: [kSystem], toolSchema: [] }],
  [5, 'in', 'tool.call', { toolName: 'setQuantity', params: { quantity: -1 } }],
  [5, 'out', 'tool.call', { toolName: 'setQuantity', params: { quantity: -1 } }],
  [5.1, 'in', 'error', { code: 'TOOL_EXECUTION_FAILED', message: 'quantity must be an integer >= 0' }],
  [9, 'in', 'user.message', { text: 'Yes, that one', stage: 'movie' }],
  [
    12,
    'in',
    'state.updated',
    { source: 'host', uiSpec: kTheater, messageHistory: [kSystem, kPicked, kOpening], toolSchema: [] },
  ],
  [20, 'in', 'session.end', { reason: 'study-complete' }],
  [20.1, 'in', 'session.ended', { sessionId: 'default', logFile: 'logs/study/default.jsonl', stateReset: true }],
  [20.1, 'in', 'state.updated', { source: 'host', uiSpec: null, messageHistory: [], toolSchema: [] }],
  [21, 'internal', 'relay.disconnect', { clientId: 'a', role: 'agent' }],
];

export const kSmallLog = kLines
  .map(([second, direction, type, payload], eventIndex) => {
    const timestamp = new Date(Date.UTC(2026, 9, 14, 9, 0) + second * 1000).toISOString();
    return JSON.stringify({ sessionId: 'default', eventIndex, timestamp, direction, type, payload });
  })
  .join('\n');
