// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The booking backend, the study kit and a relay with one agent on the other end, from memory, for
// looking at the booking page. POST /mock/agent sends an envelope as the agent; POST /mock/presence?
// agents=A,B says who is there; POST /mock/other-host makes another host the active one,
// ?gone=1 lets it go.
import { randomUUID } from 'node:crypto';

const kDay = 86_400_000;
const movies = [
  ['m1', 'The Paper Boat Regatta', ['Family', 'Adventure'], 104, 'PG'],
  ['m2', 'Orbit of the Clockmaker', ['Sci-Fi', 'Drama'], 131, 'PG-13'],
  ['m3', 'Midnight at Pinecone Halt', ['Mystery', 'Drama'], 97, 'R'],
  ['m4', 'A Map of Small Rivers', ['Documentary'], 96, 'G'],
].map(([id, title, genre, duration, rating]) => {
  const posterUrl = id === 'm4' ? '' : `/posters/${id}.svg`; // one has to do without
  return { id, title, genre, duration, rating, posterUrl, releaseDate: '2026-03-01' };
});
const theaters = [
  { id: 't1', name: 'Harbour Cinema', location: 'Quay Street 4', screenCount: 3 },
  { id: 't2', name: 'Old Mill', location: 'Mill Lane 12', screenCount: 2 },
];
const ticketTypes = [
  { id: 'tt1', name: 'Adult', price: 14, description: 'Ages 18 and over' },
  { id: 'tt2', name: 'Child', price: 9, description: 'Ages 3 to 12' },
  { id: 'tt3', name: 'Senior', price: 10, description: 'Ages 65 and over' },
];
const dates = [...Array(14).keys()].map((day) => new Date(Date.now() + day * kDay).toISOString().slice(0, 10));
const taken = new Set();

function showings({ movieId, theaterId, date }) {
  return ['10:00', '13:00', '16:00', '19:00', '22:00'].map((time, index) => {
    const id = `s-${movieId}-${theaterId}-${date}-${index}`;
    const availableSeats = [87, 42, 8, 63, 0][index];
    return { id, movieId, theaterId, screenNumber: 1, date, time, totalSeats: 100, availableSeats };
  });
}

function seats(showingId) {
  return [...'ABCDEFGHIJ'].flatMap((row, at) =>
    [...Array(10).keys()].map((index) => {
      const id = `${showingId}-${row}${index + 1}`;
      const occupied = taken.has(id) || (at * 7 + index * 3) % 11 === 0;
      const type = row === 'I' || row === 'J' ? 'premium' : 'standard';
      return { id, showingId, row, number: index + 1, type, status: occupied ? 'occupied' : 'available' };
    }),
  );
}

function book({ showingId, seats: wanted, tickets }) {
  if (wanted.some((id) => taken.has(id))) {
    return [409, { error: 'Some seats are already occupied', occupiedSeats: wanted.filter((id) => taken.has(id)) }];
  }
  for (const id of wanted) taken.add(id);
  const totalPrice = tickets.reduce((sum, it) => sum + it.quantity * ticketTypes.find(({ id }) => id === it.ticketTypeId).price, 0);
  const booking = { id: randomUUID(), showingId, customerName: 'Guest', customerEmail: 'guest@example.com', totalPrice, status: 'confirmed', createdAt: new Date().toISOString() };
  return [201, { booking }];
}

const kit = {
  id: 'pilot',
  title: 'Booking with an agent',
  consent: 'You book cinema seats on this page, together with a software agent.\n\n- It takes about **ten minutes**.\n- What you do here is recorded under your code, without your name.\n- You may stop at any time.',
  endText: 'Your bookings were only part of the study: **nothing has been sold**.',
};
const scenario = {
  id: 'evening',
  title: 'An evening with friends',
  instructions: 'You and a friend want to see a film this week.\n\n1. Find a film that suits you both.\n2. It should begin **after 18:00**.\n3. Sit together, not in the first row.\n\nAsk the agent for help whenever you like.',
  data: { seed: 7, days: 14 },
};

// [status, body] for the routes that are ours, otherwise null.
export function answerBooking(method, path, query, body) {
  const parts = path.split('/').slice(2); // "", "v1" are gone
  if (parts[0] === 'study-kit') {
    if (parts[1] !== kit.id) return [404, { error: 'Study not found' }];
    if (parts[2] !== 'assign') return [200, kit];
    const condition = { id: 'full', title: 'Full', agent: true, guiAdaptation: true, tools: ['filter', 'sort', 'highlight', 'augment', 'clearModification', 'select', 'setQuantity', 'next', 'prev', 'postMessage'] };
    return [200, { studyId: kit.id, participantId: body.participantId ?? 'P-7K3M', condition, scenario }];
  }
  if (parts[0] !== 'booking') return null;
  const [, what, which, id] = parts;
  if (what === 'datasets') return [201, { dataset: 'sample' }];
  if (what === 'movies') return [200, { movies }];
  if (what === 'theaters') return [200, { theaters: which === 'movie' && id === 'm4' ? [] : theaters }];
  if (what === 'showings' && which === 'dates') return [200, { dates }];
  if (what === 'showings') return [200, { showings: showings(Object.fromEntries(query)) }];
  if (what === 'seats') return [200, { seats: seats(which) }];
  if (what === 'ticket-types') return [200, { ticketTypes }];
  if (what === 'bookings' && method === 'POST') return book(body);
  return [404, { error: 'Not found' }];
}

// --- the relay ---------------------------------------------------------------------------------

let host = null;
let otherHost = false;
let agents = []; // names of agents that are only said to be there
const realAgents = new Set(); // {socket, name}
const requests = new Map(); // id at the host -> {socket, id}

function toHost(type, payload, more = {}) {
  host?.send(JSON.stringify({ v: 'mvp-0.2', type, ...more, payload }));
}

function presence() {
  const names = [...agents, ...[...realAgents].map(({ name }) => name)];
  const list = names.map((name, index) => ({ id: `agent-${index + 1}`, name }));
  const payload = { sessionId: 'default', hostActive: host !== null, agentCount: list.length, agents: list, fullHistory: false };
  toHost('relay.presence', payload);
  for (const { socket } of realAgents) socket.send(JSON.stringify({ v: 'mvp-0.2', type: 'relay.presence', payload }));
}

function joinAgent(socket, { id, payload }) {
  const agent = { socket, name: payload.agentName ?? payload.clientName ?? 'Agent' };
  realAgents.add(agent);
  socket.send(JSON.stringify({ v: 'mvp-0.2', type: 'relay.joined', replyTo: id, payload: { role: 'agent', sessionId: payload.sessionId } }));
  presence();
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    const mine = randomUUID();
    if (message.id !== undefined) requests.set(mine, { socket, id: message.id });
    if (message.type !== 'relay.join') host?.send(JSON.stringify({ ...message, id: mine }));
  });
  socket.on('close', () => {
    realAgents.delete(agent);
    presence();
  });
}

// Replies go to the agent that asked, everything else to all.
function fromHost(message) {
  const asked = requests.get(message.replyTo);
  if (asked) asked.socket.send(JSON.stringify({ ...message, replyTo: asked.id }));
  else if (message.replyTo === undefined) for (const { socket } of realAgents) socket.send(JSON.stringify(message));
}

export function joinRelay(socket) {
  socket.send(JSON.stringify({ v: 'mvp-0.2', type: 'relay.hello', payload: { message: 'Send relay.join with role=host|agent' } }));
  socket.on('message', (data) => {
    const message = JSON.parse(String(data));
    const { type, payload } = message;
    if (host === socket) fromHost(message);
    if (type !== 'relay.join') return;
    if (payload.role === 'agent') {
      joinAgent(socket, message);
      return;
    }
    if (otherHost && !payload.takeover) {
      const refusal = { code: 'SESSION_NOT_ACTIVE', message: 'Another host is active in this session.' };
      socket.send(JSON.stringify({ v: 'mvp-0.2', type: 'error', payload: refusal }));
      socket.close(4409);
      return;
    }
    otherHost = false;
    host = socket;
    socket.send(JSON.stringify({ v: 'mvp-0.2', type: 'relay.joined', payload: { role: 'host', sessionId: payload.sessionId } }));
    presence();
  });
  socket.on('close', () => {
    if (host !== socket) return;
    host = null;
    presence();
  });
}

// True if the request was one of the relay's levers.
export function moveRelay(path, query, body) {
  if (path === '/mock/presence') {
    agents = (query.get('agents') ?? '').split(',').filter((name) => name !== '');
    presence();
  } else if (path === '/mock/agent') toHost(body.type, body.payload, { id: randomUUID() });
  else if (path === '/mock/other-host') {
    otherHost = query.get('gone') !== '1';
    if (!otherHost) return true;
    toHost('error', { code: 'SESSION_NOT_ACTIVE', message: 'Host connection replaced by a newer host.' });
    host?.close(4409);
  } else return false;
  return true;
}
