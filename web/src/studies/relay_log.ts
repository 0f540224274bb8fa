// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Test data: a log in the form of this relay, with ids. A participant and the agent "Cinema guide" book; two calls
// of the agent are refused in each booking. `records`: least length; the bookings repeat.
const kMovies = ['Harbour of Glass', 'Two Left Shoes'].map((title, at) => ({ id: `m${at + 1}`, title }));
const kSeats = ['C3', 'C4', 'C5'].map((label) => ({ id: `s1-${label}`, label }));
const kSpeech = 'Two seats in the middle are free, next to each other.';

interface Line {
  sessionId: string;
  eventIndex: number;
  timestamp: string;
  direction: string;
  type: string;
  payload: unknown;
}
type Fields = Record<string, unknown>;

class LogWriter {
  readonly lines: Line[] = [];
  #history: Fields[] = [];
  #spec: Fields & { state: Fields; stage: string } = { stage: 'movie', state: {} };
  #calls = 0;

  write(direction: string, type: string, payload: unknown, more: Fields = {}): void {
    const eventIndex = this.lines.length;
    const timestamp = new Date(1_791_970_200_000 + eventIndex * 700).toISOString();
    this.lines.push({ sessionId: 's-1', eventIndex, timestamp, direction, type, payload, ...more });
  }

  fromHost(type: string, payload: unknown, more: Fields = {}, to: Fields = more): void {
    this.write('in', type, payload, { clientId: 'c-host', ...more });
    this.write('out', type, { delivered: 1, payload }, to);
  }

  push(source: 'host' | 'user'): void {
    this.fromHost('state.updated', { source, uiSpec: this.#spec, messageHistory: [...this.#history], toolSchema: [] });
  }

  note(entry: Fields): void {
    const id = `h-${this.lines.length}-${this.#history.length}`;
    this.#history.push({ id, timestamp: this.lines.length, stage: this.#spec.stage, ...entry });
  }

  stage(stage: string, items: { id: string }[], valueField: string, component: string): void {
    const visibleItems = items.map((item) => ({ id: item.id, value: (item as Fields)[valueField] }));
    const display = { valueField, component };
    this.#spec = {
      stage,
      title: stage,
      description: '',
      visibleItems,
      state: { booking: {} },
      items,
      modification: {},
      display,
    };
    this.note({ type: 'system', spec: this.#spec });
    this.push('host');
  }

  alter(state: Fields): void {
    this.#spec = { ...this.#spec, state: { ...this.#spec.state, ...state } };
  }

  call(toolName: string, params: Fields, reply: { code?: string; state?: Fields }): void {
    this.#calls += 1;
    const [id, relayId] = [`req-${this.#calls}`, `r-${this.#calls}`];
    this.write('in', 'tool.call', { toolName, params, reason: 'It fits.' }, { id, clientId: 'c-agent' });
    this.write('out', 'tool.call', { toolName, params, reason: 'It fits.' }, { id: relayId });
    const [asked, answered] = [{ replyTo: relayId }, { replyTo: id, clientId: 'c-agent' }];
    if (reply.code !== undefined) {
      this.fromHost('error', { code: reply.code, message: 'It is not shown.' }, asked, answered);
      return;
    }
    this.alter(reply.state ?? {});
    this.fromHost(
      'tool.result',
      { ok: true, toolName, uiSpec: this.#spec, messageHistory: [...this.#history] },
      asked,
      answered,
    );
    this.push('host');
  }

  choose(label: string): void {
    this.note({ type: 'user', action: 'select', label });
    this.push('user');
  }

  book(): void {
    this.#history = [];
    this.stage('movie', kMovies, 'title', 'buttonGroup');
    this.call('select', { itemId: 't9' }, { code: 'TOOL_EXECUTION_FAILED' });
    this.call('select', { itemId: 'm1' }, { state: { selected: { id: 'm1', value: 'Harbour of Glass' } } });
    this.choose('Harbour of Glass');
    this.stage('seat', kSeats, 'label', 'seatMap');
    this.fromHost('user.message', { text: 'In the middle, please.', stage: 'seat' });
    const [first, second] = kSeats.map((seat) => ({ id: seat.id, value: seat.label }));
    for (const selectedList of [[first], [first, second]]) {
      this.alter({ selectedList });
      this.push('user');
    }
    this.choose('2 seat(s) selected');
    this.call('setQuantity', { typeId: 'tt1', quantity: 5 }, { code: 'INVALID_PARAMS' });
    this.stage('confirm', [], 'id', 'summary');
    this.choose('Booking Confirmed!');
    this.write('in', 'agent.message', { text: kSpeech }, { clientId: 'c-agent' });
    this.write('out', 'agent.message', { text: kSpeech });
  }
}

export function relayLog(records = 0): Line[] {
  const writer = new LogWriter();
  const labels = { studyId: 'movie-night', participantId: 'P-07' };
  writer.write('internal', 'study.opened', { session: 'default', implicit: false, ...labels });
  writer.write('internal', 'relay.join', { clientId: 'c-host', role: 'host' });
  writer.write('internal', 'relay.join', { clientId: 'c-agent', role: 'agent', agentName: 'Cinema guide' });
  writer.write('in', 'session.start', labels, { id: 'req-0', clientId: 'c-agent' });
  writer.write('out', 'session.start', labels, { id: 'r-0' });
  writer.fromHost('session.started', { sessionId: 's-1' }, { replyTo: 'r-0' });
  do writer.book();
  while (writer.lines.length < records);
  writer.write('in', 'session.end', { reason: 'study-complete' }, { id: 'req-end', clientId: 'c-agent' });
  writer.write('out', 'session.end', { reason: 'study-complete' }, { id: 'r-end' });
  writer.fromHost('session.ended', { sessionId: 's-1', logFile: 's-1.jsonl', stateReset: true }, { replyTo: 'r-end' });
  writer.write('internal', 'relay.disconnect', { clientId: 'c-agent', role: 'agent' });
  writer.write('internal', 'study.closed', { reason: 'study-complete', stateReset: true });
  return writer.lines;
}
