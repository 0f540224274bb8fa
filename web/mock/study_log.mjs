// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Makes study logs as the relay writes them, of any length, the same for the same seed: a
// participant books a movie beside an agent that filters, points, explains itself, and is refused
// now and then.

const kMovies = [
  { id: 'm1', title: 'Harbour of Glass', genre: ['Drama', 'Mystery'], duration: 128, rating: 'PG-13' },
  { id: 'm2', title: 'The Last Cartographer', genre: ['Adventure'], duration: 143, rating: 'PG' },
  { id: 'm3', title: 'Two Left Shoes', genre: ['Comedy', 'Family'], duration: 97, rating: 'G' },
  { id: 'm4', title: 'Quiet Engines', genre: ['Sci-Fi', 'Drama'], duration: 151, rating: 'R' },
];
const kTheaters = [
  { id: 't1', name: 'Lantern Hall', location: 'Old Town' },
  { id: 't2', name: 'Riverside 8', location: 'Harbour District' },
];
const kTicketTypes = [
  { id: 'tt1', name: 'Adult', price: 14, priceDisplay: '$14.00', description: 'Ages 18 and over' },
  { id: 'tt2', name: 'Child', price: 9, priceDisplay: '$9.00', description: 'Ages 3 to 12' },
  { id: 'tt3', name: 'Senior', price: 10, priceDisplay: '$10.00', description: 'Ages 65 and over' },
];
const kTitles = {
  movie: ['Select Movie', 'Choose a movie you want to watch'],
  theater: ['Select Theater', 'Choose a theater near you'],
  date: ['Select Date', 'Pick a date for your movie'],
  time: ['Select Time', 'Choose a showtime'],
  seat: ['Select Seats', 'Choose your seats'],
  ticket: ['Select Tickets', 'Choose ticket types and quantities'],
  confirm: ['Confirm Booking', 'Review your booking'],
};
const kTools = ['filter', 'sort', 'highlight', 'augment', 'clearModification', 'postMessage', 'prev', 'select', 'next'];

function randomFrom(seed) {
  let state = (seed * 2654435761 + 1) >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 4294967296;
  };
}

function seatsOf(random) {
  return ['A', 'B', 'C', 'D', 'E', 'F'].flatMap((row) =>
    Array.from({ length: 8 }, (_, at) => ({
      id: `s1-${row}${at + 1}`,
      row,
      number: at + 1,
      label: `${row}${at + 1}`,
      status: random() < 0.2 ? 'occupied' : 'available',
    })),
  );
}

class StudyWriter {
  constructor({ seed = 1, start = Date.UTC(2026, 9, 14, 9, 30), sessionId = 's-20261014-001' } = {}) {
    this.random = randomFrom(seed);
    this.at = start;
    this.sessionId = sessionId;
    this.lines = [];
    this.history = [];
    this.spec = null;
    this.booking = {};
    this.calls = 0;
  }

  write(direction, type, payload, more = {}) {
    this.lines.push({
      sessionId: this.sessionId,
      eventIndex: this.lines.length,
      timestamp: new Date(this.at).toISOString(),
      direction,
      type,
      payload,
      ...more,
    });
  }

  pause(from, to) {
    this.at += Math.round(from + this.random() * (to - from));
  }

  fromHost(type, payload, more = {}) {
    this.write('in', type, payload, { clientId: 'c-host', ...more });
    this.write('out', type, { delivered: 1, payload }, more);
  }

  push(source) {
    const payload = { source, uiSpec: this.spec, messageHistory: [...this.history], toolSchema: this.schema() };
    this.fromHost('state.updated', payload);
  }

  schema() {
    const names = this.spec === null ? ['postMessage'] : kTools;
    return names.map((name) => ({ name, description: `The tool ${name}`, parameters: {} }));
  }

  note(entry) {
    const stage = this.spec?.stage ?? 'movie';
    this.history.push({ id: `h-${this.sessionId}-${this.lines.length}-${this.history.length}`, timestamp: this.at, stage, ...entry });
  }

  // One act of the agent; what it does to the page when it is allowed.
  call(toolName, params, reason, change, error) {
    this.calls += 1;
    const id = `req-${String(this.calls).padStart(4, '0')}`;
    const relayId = `r-${this.calls}`;
    const payload = { toolName, params, ...(reason === '' ? {} : { reason }) };
    this.write('in', 'tool.call', payload, { id, clientId: 'c-agent' });
    this.at += 1;
    this.write('out', 'tool.call', payload, { id: relayId });
    this.pause(6, 40);
    if (error) {
      this.write('in', 'error', error, { replyTo: relayId, clientId: 'c-host' });
      this.write('out', 'error', { delivered: 1, payload: error }, { replyTo: id, clientId: 'c-agent' });
      return;
    }
    change();
    const result = { ok: true, toolName, messageHistory: [...this.history] };
    if (this.spec !== null) result.uiSpec = this.spec;
    this.write('in', 'tool.result', result, { replyTo: relayId, clientId: 'c-host' });
    this.write('out', 'tool.result', { delivered: 1, payload: result }, { replyTo: id, clientId: 'c-agent' });
    this.at += 2;
    this.push('host');
  }

  alter(change) {
    this.spec = { ...this.spec, ...change, state: { ...this.spec.state, ...change.state } };
    const last = this.history.findLastIndex((entry) => entry.type === 'system');
    if (last >= 0) this.history[last] = { ...this.history[last], spec: this.spec };
  }

  stage(stage, items, valueField, component, state = {}, meta = undefined) {
    const [title, description] = kTitles[stage];
    const visibleItems = items.map((item) => ({
      id: item.id,
      value: String(item[valueField]),
      ...(item.status === 'occupied' ? { isDisabled: true } : {}),
    }));
    this.spec = {
      stage,
      title,
      description,
      visibleItems,
      state: { ...state, booking: this.booking },
      items,
      modification: {},
      display: { valueField, component },
      ...(meta ? { meta } : {}),
    };
    // Past stages stay in the history as summaries, as in a history over its limit.
    this.history = this.history.map((entry) =>
      entry.type === 'system' && !entry.spec.summary
        ? { ...entry, spec: { stage: entry.stage, title: entry.spec.title, summary: true, visibleCount: entry.spec.visibleItems.length } }
        : entry,
    );
    this.note({ type: 'system', stage, spec: this.spec });
    this.push('host');
  }

  choose(label) {
    this.note({ type: 'user', action: 'select', label });
    this.push('user');
    this.at += 15;
  }

  say(text) {
    const payload = { text, stage: this.spec.stage };
    this.fromHost('user.message', payload);
    this.note({ type: 'user', action: 'input', label: text });
    this.push('user');
  }

  explain(text) {
    this.write('in', 'agent.message', { text }, { clientId: 'c-agent' });
    this.write('out', 'agent.message', { text });
    this.at += 8;
    this.note({ type: 'agent', text });
    this.push('host');
  }

  participantSelects(item) {
    this.alter({ state: { selected: { id: item.id, value: item.value } } });
    this.push('user');
  }

  begin(labels) {
    this.write('internal', 'study.opened', { session: 'default', implicit: false, ...labels });
    this.write('internal', 'relay.join', { clientId: 'c-host', role: 'host' });
    this.pause(400, 2500);
    this.write('internal', 'relay.join', { clientId: 'c-agent', role: 'agent', agentName: 'Cinema guide' });
    this.pause(20, 90);
    const payload = { studyId: labels.studyId, participantId: labels.participantId };
    this.write('in', 'session.start', payload, { id: 'req-0000', clientId: 'c-agent' });
    this.write('out', 'session.start', payload, { id: 'r-0' });
    this.at += 4;
    this.fromHost('session.started', { sessionId: this.sessionId }, { replyTo: 'r-0' });
  }

  chooseMovie() {
    this.stage('movie', kMovies, 'title', 'buttonGroup');
    this.pause(2500, 9000);
    this.explain('Hello! Tell me what you feel like watching tonight, and with whom.');
    this.pause(6000, 21000);
    this.say('Something with a story, not too long please. Two of us.');
    this.pause(1800, 4200);
    this.call('filter', { field: 'genre', operator: 'contains', value: 'Drama' }, 'They asked for a story, so only dramas are left.', () => {
      const shown = kMovies.filter((movie) => movie.genre.includes('Drama'));
      this.alter({
        visibleItems: shown.map((movie) => ({ id: movie.id, value: movie.title })),
        modification: { filter: { field: 'genre', operator: 'contains', value: 'Drama' } },
      });
    });
    this.pause(900, 1700);
    this.call('highlight', { itemIds: ['m1'], style: 'border' }, 'The shorter of the two: 128 minutes.', () => {
      this.alter({
        state: { highlighted: [{ id: 'm1', value: kMovies[0].title }] },
        modification: { ...this.spec.modification, highlight: { itemIds: ['m1'], style: 'border' } },
      });
    });
    this.pause(700, 1300);
    this.call('augment', { items: [{ itemId: 'm1', value: 'Harbour of Glass (2 h 8 min)' }] }, 'Shows the length, because they care about it.', () => {
      this.alter({
        visibleItems: this.spec.visibleItems.map((item) => (item.id === 'm1' ? { ...item, value: 'Harbour of Glass (2 h 8 min)' } : item)),
        modification: { ...this.spec.modification, augment: [{ itemId: 'm1', value: 'Harbour of Glass (2 h 8 min)' }] },
      });
    });
    this.pause(3000, 15000);
    this.participantSelects({ id: 'm1', value: 'Harbour of Glass (2 h 8 min)' });
    this.pause(900, 2500);
    this.booking = { movie: { id: 'm1', title: kMovies[0].title } };
    this.choose(kMovies[0].title);
  }

  chooseTheater() {
    this.stage('theater', kTheaters, 'name', 'buttonGroup', {}, { movieId: 'm1' });
    this.pause(1500, 4000);
    this.call('select', { itemId: 't9' }, 'The nearest one.', () => undefined, {
      code: 'TOOL_EXECUTION_FAILED',
      message: '"t9" cannot be selected: it is not shown in this stage.',
    });
    this.pause(800, 1400);
    this.call('select', { itemId: 't2' }, 'Riverside 8 shows it in the evening.', () =>
      this.alter({ state: { selected: { id: 't2', value: 'Riverside 8' } } }),
    );
    this.pause(600, 1100);
    this.call('next', {}, 'One theater fits, so on to the dates.', () => {
      this.booking = { ...this.booking, theater: { id: 't2', name: 'Riverside 8' } };
      this.note({ type: 'user', action: 'select', label: 'Riverside 8' });
    });
    this.at += 20;
  }

  chooseMoment() {
    const dates = Array.from({ length: 14 }, (_, day) => {
      const date = new Date(Date.UTC(2026, 9, 14 + day));
      const id = date.toISOString().slice(0, 10);
      const dayOfWeek = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][date.getUTCDay()];
      return { id, date: id, dayOfWeek, displayText: `Oct ${date.getUTCDate()} (${dayOfWeek})`, available: true };
    });
    this.stage('date', dates, 'displayText', 'calendar', {}, { movieId: 'm1', theaterId: 't2' });
    this.pause(4000, 45000);
    this.say('Friday would be good.');
    this.pause(1500, 3000);
    this.call('select', { itemId: '2026-10-16' }, 'The first Friday.', () =>
      this.alter({ state: { selected: { id: '2026-10-16', value: 'Oct 16 (Fri)' } } }),
    );
    this.pause(2000, 5000);
    this.booking = { ...this.booking, date: '2026-10-16' };
    this.choose('2026-10-16');
    const times = ['14:10', '17:30', '20:15'].map((time, at) => ({ id: `s${at + 1}`, time, availableSeats: 40 - at * 9, totalSeats: 48 }));
    this.stage('time', times, 'time', 'buttonGroup', {}, { movieId: 'm1', theaterId: 't2', date: '2026-10-16' });
    this.pause(2000, 6000);
    this.call('sort', { field: 'time', order: 'desc' }, '', () =>
      this.alter({ visibleItems: [...this.spec.visibleItems].reverse(), modification: { sort: { field: 'time', order: 'desc' } } }),
    );
    this.pause(2500, 8000);
    this.participantSelects({ id: 's2', value: '17:30' });
    this.pause(700, 1500);
    this.booking = { ...this.booking, showing: { id: 's2', time: '17:30' } };
    this.choose('17:30');
  }

  chooseSeats() {
    const seats = seatsOf(this.random);
    const free = seats.filter((seat) => seat.status === 'available');
    const meta = { movieId: 'm1', theaterId: 't2', date: '2026-10-16', showtimeId: 's2', rows: ['A', 'B', 'C', 'D', 'E', 'F'], seatsPerRow: 8 };
    this.stage('seat', seats, 'label', 'seatMap', { selectedList: [] }, meta);
    this.pause(3000, 9000);
    const middle = free.filter((seat) => ['C', 'D'].includes(seat.row)).slice(0, 4);
    this.call('highlight', { itemIds: middle.map((seat) => seat.id), style: 'glow' }, 'Seats in the middle, next to each other.', () =>
      this.alter({
        state: { highlighted: middle.map((seat) => ({ id: seat.id, value: seat.label })) },
        modification: { highlight: { itemIds: middle.map((seat) => seat.id), style: 'glow' } },
      }),
    );
    for (const seat of middle.slice(0, 2)) {
      this.pause(1200, 4000);
      this.alter({ state: { selectedList: [...this.spec.state.selectedList, { id: seat.id, value: seat.label }] } });
      this.push('user');
    }
    this.pause(900, 2500);
    const chosen = this.spec.state.selectedList;
    this.booking = { ...this.booking, selectedSeats: chosen, tickets: [] };
    this.choose('2 seat(s) selected');
    const quantities = kTicketTypes.map((type) => ({ item: { id: type.id, value: type.name }, count: 0 }));
    this.stage('ticket', kTicketTypes, 'name', 'counter', { quantities }, { maxTotal: 2, selectedSeats: chosen.map((seat) => seat.id) });
  }

  finish() {
    this.pause(1500, 3500);
    this.call('setQuantity', { typeId: 'tt1', quantity: 5 }, 'Everybody is an adult.', () => undefined, {
      code: 'INVALID_PARAMS',
      message: '"quantity" must not be above 2, the number of seats.',
    });
    this.pause(700, 1500);
    const tickets = [{ ticketTypeId: 'tt1', name: 'Adult', price: 14, quantity: 2 }];
    this.call('setQuantity', { typeId: 'tt1', quantity: 2 }, 'Two seats, two adults.', () =>
      this.alter({ state: { quantities: this.spec.state.quantities.map((it, at) => (at === 0 ? { ...it, count: 2 } : it)) } }),
    );
    this.pause(3000, 8000);
    this.booking = { ...this.booking, tickets };
    this.choose('2 ticket(s)');
    const meta = {
      movie: this.booking.movie,
      theater: this.booking.theater,
      date: '2026-10-16',
      time: '17:30',
      seats: this.booking.selectedSeats.map((seat) => seat.value),
      tickets: [{ type: 'Adult', quantity: 2, price: 14 }],
      totalPrice: 28,
    };
    this.stage('confirm', [], 'id', 'summary', {}, meta);
    this.pause(2500, 9000);
    this.choose('Booking Confirmed!');
    this.pause(900, 1900);
    this.explain('Your seats are booked. Enjoy the evening!');
  }

  end() {
    this.pause(1500, 4000);
    this.write('in', 'session.end', { reason: 'study-complete' }, { id: 'req-end', clientId: 'c-agent' });
    this.write('out', 'session.end', { reason: 'study-complete' }, { id: 'r-end' });
    this.at += 12;
    const payload = { sessionId: this.sessionId, logFile: `logs/study/${this.sessionId}.jsonl`, stateReset: true };
    this.fromHost('session.ended', payload, { replyTo: 'r-end' });
    this.write('internal', 'relay.disconnect', { clientId: 'c-agent', role: 'agent' });
    this.write('internal', 'study.closed', { reason: 'study-complete', stateReset: true });
  }
}

const kActs = ['chooseMovie', 'chooseTheater', 'chooseMoment', 'chooseSeats', 'finish'];

// Lines of a log with at least `records` records; 0: one booking. `open`: it has not ended.
export function studyLog({ records = 0, open = false, stopAfter = kActs.length, labels, ...options } = {}) {
  const writer = new StudyWriter(options);
  writer.begin({ studyId: 'movie-night', participantId: 'P-07', condition: 'adaptive', scenario: 'friday-evening', ...labels });
  do {
    writer.booking = {};
    writer.history = [];
    for (const act of kActs.slice(0, stopAfter)) writer[act]();
    writer.pause(2000, 20000);
  } while (writer.lines.length < records);
  if (!open) writer.end();
  return writer.lines;
}
