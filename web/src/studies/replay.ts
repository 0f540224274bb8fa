// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
import type { HistoryEntry, UiSpec } from '@/stage/ui_spec';
import { changesBetween, type Change } from './changes';
import { asObject, asText, isObject, type Json } from '@/wire/json';
import { bodyOf, type StudyRecord } from './record';

export interface Person {
  clientId: string; // empty in logs without client ids
  name: string;
  phase: string; // reported by the agent: idle, planning, executing; or empty
}

export type Outcome = 'waiting' | 'done' | 'refused';

export interface ToolCall {
  index: number;
  at: number;
  agent: Person;
  toolName: string;
  params: Json;
  reason: string; // empty: none
  outcome: Outcome;
  code: string;
  message: string;
  tookMs: number;
  id: unknown;
  relayId: unknown; // id of the call at the host
}

export interface Facts {
  studyId: string;
  participantId: string;
  condition: string;
  scenario: string;
  implicit: boolean;
}

// The state of the study and of the participant's page after a record. Immutable; each record creates a new
// state.
export interface ReplayState {
  index: number; // of the last applied record; -1: none
  at: number;
  uiSpec: UiSpec | null; // null: no stage yet, or loading
  history: HistoryEntry[];
  offered: string[]; // names of the offered tools
  stage: string; // the last shown stage
  agents: Person[];
  host: boolean;
  facts: Facts;
  phase: 'before' | 'open' | 'ended';
  endReason: string;
  waiting: ToolCall[];
  lastCall: ToolCall | null;
  lastWords: { index: number; agent: Person; text: string } | null;
  lastAct: { index: number; text: string; changes: Change[] } | null;
  completed: boolean; // a booking is confirmed
  counts: { calls: number; refused: number; acts: number };
  agentActsUntil: number; // a change of the page before this time is attributed to an agent's call
  unplaced: boolean; // a reply was logged whose call is not known yet
  isMarked: boolean; // the log marks the participant's changes
}

export type EntryKind = 'agent' | 'refused' | 'participant' | 'stage' | 'session';

export type What =
  | { is: 'call'; call: ToolCall }
  | { is: 'words'; agent: Person; text: string }
  | { is: 'said'; text: string }
  | { is: 'acted'; changes: Change[] }
  | { is: 'stage'; stage: string; title: string }
  | { is: 'joined' | 'left'; role: string; person: Person }
  | { is: 'opened' | 'closed' | 'ended'; text: string }
  | { is: 'started'; facts: Facts }
  | { is: 'error'; code: string; message: string };

// An entry of the list and of the time line.
export interface Entry {
  index: number;
  at: number;
  kind: EntryKind;
  what: What;
}

export interface Step {
  state: ReplayState;
  entries: Entry[];
  settled: ToolCall | null; // an earlier call whose outcome is known now
}

// Time after the answer to a call in which its change of the page is logged.
const kSettleMs = 1000;
const kMaxWaiting = 64;
// Records allowed between a call and its refusal by the relay: a note about a missing reason.
const kNoteRoom = 2;
const kConfirmed = 'Booking Confirmed!';

export const kNobody: Person = { clientId: '', name: '', phase: '' };

export const kBeginning: ReplayState = {
  index: -1,
  at: 0,
  uiSpec: null,
  history: [],
  offered: [],
  stage: '',
  agents: [],
  host: false,
  facts: { studyId: '', participantId: '', condition: '', scenario: '', implicit: false },
  phase: 'before',
  endReason: '',
  waiting: [],
  lastCall: null,
  lastWords: null,
  lastAct: null,
  completed: false,
  counts: { calls: 0, refused: 0, acts: 0 },
  agentActsUntil: 0,
  unplaced: false,
  isMarked: false,
};

// Applies one record to a state, and collects its entries.
class Stepper {
  readonly entries: Entry[] = [];
  settled: ToolCall | null = null;
  readonly body: Json;

  constructor(
    readonly state: ReplayState,
    readonly record: StudyRecord,
  ) {
    this.body = bodyOf(record);
  }

  note(kind: EntryKind, what: What): void {
    this.entries.push({ index: this.record.index, at: this.record.at, kind, what });
  }

  // The agent of this record; added if it joined before the log began.
  agent(): Person {
    const { state, record } = this;
    const clientId = record.clientId ?? '';
    const known = state.agents.find((agent) => agent.clientId === clientId);
    if (known) return known;
    if (clientId === '' && state.agents.length === 1 && state.agents[0]) return state.agents[0];
    const agent: Person = { clientId, name: asText(this.body['agentName']), phase: '' };
    state.agents = [...state.agents, agent];
    return agent;
  }
}

function isSpec(value: unknown): value is UiSpec {
  return isObject(value) && typeof value['stage'] === 'string';
}

function readHistory(value: unknown[]): HistoryEntry[] {
  const entries = value.every(isObject) ? value : value.filter(isObject);
  return entries as unknown as HistoryEntry[];
}

function isConfirmation(entry: HistoryEntry): boolean {
  return entry.type === 'user' && entry.stage === 'confirm' && entry.label === kConfirmed;
}

function takeSurfaces(step: Stepper): void {
  const { body, state } = step;
  if (isSpec(body['uiSpec'])) state.uiSpec = body['uiSpec'];
  else if (body['uiSpec'] === null) state.uiSpec = null;
  const history = body['messageHistory'];
  if (Array.isArray(history) && history !== state.history) {
    state.history = readHistory(history);
    state.completed ||= state.history.some(isConfirmation);
  }
  if (Array.isArray(body['toolSchema'])) {
    state.offered = body['toolSchema'].map((tool) => asText(asObject(tool)['name']));
  }
  const stage = state.uiSpec?.stage ?? '';
  if (stage === '' || stage === state.stage) return;
  state.stage = stage;
  step.note('stage', { is: 'stage', stage, title: state.uiSpec?.title ?? '' });
}

function onUpdate(step: Stepper): void {
  const { body, record, state } = step;
  const before = { uiSpec: state.uiSpec, history: state.history };
  const isMarked = body['source'] === 'user';
  state.isMarked ||= isMarked;
  const place = step.entries.length;
  takeSurfaces(step);
  // In logs that attribute every change to the host, a change without an agent's call is the participant's.
  const mayBeTheirs = isMarked || (!state.isMarked && record.at > state.agentActsUntil);
  if (!mayBeTheirs) {
    state.agentActsUntil = 0;
    return;
  }
  const changes = changesBetween(before, state);
  if (changes.length === 0) return;
  state.lastAct = { index: record.index, text: '', changes };
  state.counts = { ...state.counts, acts: state.counts.acts + 1 };
  const [stage] = step.entries.splice(place, 1);
  step.note('participant', { is: 'acted', changes });
  if (stage) step.entries.push(stage);
}

function onCall(step: Stepper): void {
  const { body, record, state } = step;
  const call: ToolCall = {
    index: record.index,
    at: record.at,
    agent: step.agent(),
    toolName: asText(body['toolName']),
    params: asObject(body['params']),
    reason: asText(body['reason']).trim(),
    outcome: 'waiting',
    code: '',
    message: '',
    tookMs: 0,
    id: record.id,
    relayId: undefined,
  };
  state.waiting = [...state.waiting, call].slice(-kMaxWaiting);
  state.lastCall = call;
  state.counts = { ...state.counts, calls: state.counts.calls + 1 };
  state.agentActsUntil = Number.MAX_SAFE_INTEGER;
  step.note('agent', { is: 'call', call });
}

// The relay forwards a call to the host under an id of its own.
function onForwardedCall({ body, record, state }: Stepper): void {
  if (record.id === undefined) return;
  const toolName = asText(body['toolName']);
  const place = state.waiting.findIndex((it) => it.relayId === undefined && it.toolName === toolName);
  const call = state.waiting[place];
  if (!call) return;
  if (call.id === record.id) return; // this relay logs the agent's id
  const named = { ...call, relayId: record.id };
  state.waiting = state.waiting.with(place, named);
  if (state.lastCall?.index === call.index) state.lastCall = named;
}

function byTool(calls: readonly ToolCall[], toolName: string): ToolCall | undefined {
  return calls.find((call) => call.toolName === toolName) ?? (toolName === '' ? calls[0] : undefined);
}

// The call of an answer: answers of the host have the relay's id, answers to the agent the agent's.
function answeredCall({ body, record, state }: Stepper): ToolCall | undefined {
  const { clientId, direction, replyTo, type } = record;
  const toolName = asText(body['toolName']);
  if (direction === 'in') {
    if (replyTo !== undefined) {
      return state.waiting.find((call) => (call.relayId ?? call.id) === replyTo);
    }
    return toolName !== '' || type === 'error' ? byTool(state.waiting, toolName) : undefined;
  }
  if (replyTo === undefined) {
    return state.unplaced
      ? byTool(
          state.waiting.filter((call) => call.id === undefined),
          toolName,
        )
      : undefined;
  }
  const named = state.waiting.filter((call) => call.id === replyTo);
  return named.find((call) => call.agent.clientId === clientId) ?? byTool(named, toolName);
}

function settle(step: Stepper, call: ToolCall, refused: boolean): void {
  const { body, record, state } = step;
  const settled: ToolCall = {
    ...call,
    outcome: refused ? 'refused' : 'done',
    code: refused ? asText(body['code']) : '',
    message: refused ? asText(body['message']) : '',
    tookMs: Math.max(0, record.at - call.at),
  };
  state.waiting = state.waiting.filter((it) => it.index !== call.index);
  if (state.lastCall?.index === call.index) state.lastCall = settled;
  if (refused) state.counts = { ...state.counts, refused: state.counts.refused + 1 };
  state.agentActsUntil = refused ? 0 : record.at + kSettleMs;
  step.settled = settled;
}

function onReply(step: Stepper): void {
  const { body, record, state } = step;
  const refused = record.type !== 'tool.result' || body['ok'] === false;
  const call = answeredCall(step);
  if (call) settle(step, call, refused);
  if (record.direction === 'out') {
    if (!call && refused && state.unplaced) noteError(step);
    state.unplaced = false;
    return;
  }
  if (!refused) takeSurfaces(step);
  if (call) return;
  // The next message to the agent identifies the call.
  state.unplaced = record.replyTo !== undefined && state.waiting.length > 0;
  if (refused && !state.unplaced) noteError(step);
}

// A refusal by the relay itself. It belongs to the message in replyTo; in logs without replyTo, to the message
// right before it, or to a call that the host did not answer.
function onRelayError(step: Stepper): void {
  const { body, record, state } = step;
  const theirs = state.waiting.filter((call) => call.agent.clientId === record.clientId);
  const last = theirs.at(-1);
  const just = last && record.index - last.index <= kNoteRoom ? last : undefined;
  const late = body['code'] === 'TOOL_EXECUTION_FAILED' || body['code'] === 'SESSION_NOT_ACTIVE';
  const named = theirs.find((it) => record.replyTo !== undefined && it.id === record.replyTo);
  const call = named ?? (record.replyTo === undefined ? (just ?? (late ? theirs[0] : undefined)) : undefined);
  if (call) settle(step, call, true);
  else noteError(step);
}

function noteError(step: Stepper): void {
  const { body } = step;
  step.note('refused', { is: 'error', code: asText(body['code']), message: asText(body['message']) });
}

function takeFacts(step: Stepper): void {
  const { body, state } = step;
  const facts = { ...state.facts };
  for (const name of ['studyId', 'participantId', 'condition', 'scenario'] as const) {
    facts[name] = asText(body[name]) || facts[name];
  }
  if (typeof body['implicit'] === 'boolean') facts.implicit = body['implicit'];
  state.facts = facts;
}

function nameIn(body: Json): string {
  return asText(body['agentName']) || asText(body['clientName']) || asText(body['name']);
}

function onPresence(step: Stepper, here: boolean): void {
  const { body, record, state } = step;
  const clientId = asText(body['clientId']) || (record.clientId ?? '');
  const role = asText(body['role']);
  const known = state.agents.find((agent) => agent.clientId === clientId);
  const person = known ?? { clientId, name: nameIn(body), phase: '' };
  const others = state.agents.filter((agent) => agent.clientId !== clientId);
  state.agents = here && role === 'agent' ? [...others, person] : others;
  if (role === 'host') state.host = here;
  step.note('session', { is: here ? 'joined' : 'left', role, person });
}

function onPresenceList({ body, state }: Stepper): void {
  if (typeof body['hostActive'] === 'boolean') state.host = body['hostActive'];
  if (!Array.isArray(body['agents'])) return;
  state.agents = body['agents'].map((it) => {
    const agent = asObject(it);
    const clientId = asText(agent['id']);
    const phase = state.agents.find((known) => known.clientId === clientId)?.phase ?? '';
    return { clientId, name: asText(agent['name']), phase };
  });
}

function onStatus(step: Stepper): void {
  const { body, state } = step;
  const agent = step.agent();
  const name = asText(body['agentName']) || agent.name;
  const now = { ...agent, name, phase: asText(body['phase']) };
  state.agents = state.agents.map((it) => (it.clientId === agent.clientId ? now : it));
}

function onWords(step: Stepper): void {
  const text = asText(step.body['text']);
  if (text.trim() === '') return;
  const agent = step.agent();
  step.state.lastWords = { index: step.record.index, agent, text };
  step.state.agentActsUntil = step.record.at + kSettleMs;
  step.note('agent', { is: 'words', agent, text });
}

function onSaid(step: Stepper): void {
  const { body, record, state } = step;
  const text = asText(body['text']);
  state.lastAct = { index: record.index, text, changes: [] };
  state.counts = { ...state.counts, acts: state.counts.acts + 1 };
  step.note('participant', { is: 'said', text });
}

function onClosing(step: Stepper, is: 'closed' | 'ended'): void {
  const { body, state } = step;
  state.endReason = asText(body['reason']) || asText(body['endReason']) || state.endReason;
  if (is === 'closed') state.phase = 'ended';
  step.note('session', { is, text: state.endReason });
}

type Handler = (step: Stepper) => void;

const kReceived: Record<string, Handler> = {
  'session.start': (step) => {
    step.agent();
    step.state.phase = 'open';
    takeFacts(step);
    step.note('session', { is: 'started', facts: step.state.facts });
  },
  'session.end': (step) => {
    step.agent();
    onClosing(step, 'ended');
  },
  'snapshot.get': (step) => void step.agent(),
  'tool.call': onCall,
  'agent.message': onWords,
  'agent.status': onStatus,
  'session.ended': (step) => {
    step.state.phase = 'ended';
  },
  'snapshot.state': takeSurfaces,
  'tool.result': onReply,
  error: onReply,
  'state.updated': onUpdate,
  'user.message': onSaid,
};

const kSent: Record<string, Handler> = {
  'tool.call': onForwardedCall,
  'tool.result': onReply,
  error: onReply,
  'relay.presence': onPresenceList,
};

const kInternal: Record<string, Handler> = {
  'study.opened': (step) => {
    step.state.phase = 'open';
    takeFacts(step);
    step.note('session', { is: 'opened', text: asText(step.body['studyId']) });
  },
  'study.closed': (step) => {
    onClosing(step, 'closed');
  },
  'relay.join': (step) => {
    onPresence(step, true);
  },
  'relay.disconnect': (step) => {
    onPresence(step, false);
  },
  'relay.presence': onPresenceList,
  'relay.error': onRelayError,
};

const kHandlers = { in: kReceived, out: kSent, internal: kInternal };
const kOfHost = new Set([
  'session.started',
  'session.ended',
  'snapshot.state',
  'tool.result',
  'state.updated',
  'user.message',
]);

// The state after `record`, and the entries of the record.
export function step(before: ReplayState, record: StudyRecord): Step {
  const state: ReplayState = { ...before, index: record.index, at: record.at };
  const stepper = new Stepper(state, record);
  if (record.direction === 'in' && kOfHost.has(record.type)) state.host = true;
  kHandlers[record.direction][record.type]?.(stepper);
  return { state, entries: stepper.entries, settled: stepper.settled };
}
