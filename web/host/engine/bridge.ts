// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The host's connection to the relay: joins, answers agents, pushes changes, and reconnects. Requests are
// answered one after another; a result is sent before the state that it caused.
import {
  type AgentActivity,
  type AgentCall,
  type BridgeView,
  kMaxLogLines,
  readPresence,
  withLogLine,
} from './bridge_view';
import { FrameQueue } from './frame_queue';
import type { ChangeSource, HostEngine, HostState } from './host_engine';
import {
  endedFrame,
  type Envelope,
  errorFrame,
  joinFrame,
  parseEnvelope,
  resultFrame,
  snapshotFrame,
  startedFrame,
  type StudyLabels,
  updatedFrame,
  userMessageFrame,
} from './relay_frames';
import { nextTurn, type OpenTransport, type RelayTransport } from './relay_transport';

export interface BridgeOptions {
  engine: HostEngine;
  open: OpenTransport;
  sessionId?: string; // default: "default"
  takeover?: boolean; // replaces another host at the first join
  study?: StudyLabels;
  logLines?: number; // limit of the kept traffic; default kMaxLogLines
  turn?: (act: () => void) => void; // default: through a MessageChannel
  now?: () => number;
  random?: () => number;
}

export interface RelayBridge {
  readonly view: BridgeView;
  onView(listener: (view: BridgeView) => void): () => void;
  start(): void;
  stop(): void;
  // Joins at once and replaces the active host, on a person's request.
  takeOver(): void;
}

export const kReplacedCode = 4409;
export const kFirstRetryMs = 1_200;
export const kLongestRetryMs = 15_000;
export const kJoinTimeoutMs = 10_000;
export const kThinkingMs = 30_000; // after a message to the agent
export const kBetweenActsMs = 5_000;
// Pause between the answer to a snapshot.get and the repeated state, so that an agent does not read both at
// once.
export const kRepeatMs = 50;
export const kMaxUnsent = 64; // messages of the participant while not connected

// 1.2 s, doubled by each failure, up to 15 s; varied at random, so that hosts do not reconnect together.
export function retryDelay(failures: number, random: number): number {
  const longest = Math.min(kLongestRetryMs, kFirstRetryMs * 2 ** Math.max(0, failures - 1));
  return Math.max(kFirstRetryMs, Math.round(longest * (0.7 + 0.3 * random)));
}

interface Change {
  state: HostState;
  source: ChangeSource;
}

// True for the empty state of a reset, which must be sent; other states may be replaced by later ones.
function isBlank(state: HostState): boolean {
  return state.uiSpec === null && state.messageHistory.length === 0;
}

// The stage, and whether it is that of a confirmed booking: agents act anew after each change.
function stepOf(state: HostState | null): string {
  const { uiSpec, booking } = state ?? { uiSpec: null, booking: null };
  return `${uiSpec?.stage ?? ''} ${booking?.id ?? ''}`;
}

class Bridge implements RelayBridge {
  private shown: BridgeView;
  private transport: RelayTransport | null = null;
  private connection = 0; // number; events and answers of older connections are dropped
  private failures = 0;
  private takeover: boolean;
  private full = false;
  private retryTimer: ReturnType<typeof setTimeout> | undefined;
  private joinTimer: ReturnType<typeof setTimeout> | undefined;
  private thinkingTimer: ReturnType<typeof setTimeout> | undefined;
  private requests: Promise<void> = Promise.resolve();
  private held: Change[] | null = null; // while a tool runs: sent after its result
  private lastState: HostState | null = null; // the newest state that is sent or held
  private repeats = 0; // number of agents that may have dropped the state of the last step
  private ending: (() => void) | null = null; // sends session.ended before the empty state
  private lastSeen: string | undefined; // id of the newest entry of the history
  private unsent: string[] = [];
  private detach: (() => void) | null = null;
  private readonly listeners = new Set<(view: BridgeView) => void>();
  private readonly queue: FrameQueue;

  constructor(private readonly options: BridgeOptions) {
    this.takeover = options.takeover ?? false;
    this.shown = {
      phase: 'stopped',
      retryAt: null,
      problem: null,
      sessionId: options.sessionId ?? 'default',
      agents: [],
      activity: 'absent',
      lastCall: null,
      sessionActive: false,
      log: [],
    };
    this.queue = new FrameQueue({
      send: (type, text) => {
        this.write(type, text);
      },
      buffered: () => this.transport?.bufferedAmount ?? 0,
      turn: options.turn ?? nextTurn,
      later: (act, ms) => {
        setTimeout(act, ms);
      },
      onOverflow: () => {
        this.transport?.close(4000, 'not keeping up');
      },
    });
  }

  get view(): BridgeView {
    return this.shown;
  }

  onView(listener: (view: BridgeView) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  start(): void {
    if (this.transport !== null) return;
    this.lastSeen = this.options.engine.state.messageHistory.at(-1)?.id;
    this.detach ??= this.options.engine.onChange((state, source) => {
      this.onEngineChange(state, source);
    });
    this.connect();
  }

  stop(): void {
    this.detach?.();
    this.detach = null;
    this.unsent = [];
    this.disconnect();
    this.update({ phase: 'stopped', retryAt: null, agents: [], activity: 'absent' });
  }

  takeOver(): void {
    this.takeover = true;
    this.disconnect();
    this.start();
  }

  private update(change: Partial<BridgeView>): void {
    this.shown = { ...this.shown, ...change };
    for (const listener of [...this.listeners]) listener(this.shown);
  }

  private now(): number {
    return (this.options.now ?? Date.now)();
  }

  // ---- the connection

  private disconnect(): void {
    clearTimeout(this.retryTimer);
    clearTimeout(this.joinTimer);
    clearTimeout(this.thinkingTimer);
    this.connection += 1;
    this.queue.clear();
    const { transport } = this;
    this.transport = null;
    transport?.close(1000);
  }

  private connect(): void {
    clearTimeout(this.retryTimer);
    this.connection += 1;
    const mine = this.connection;
    const current = (act: () => void): void => {
      if (mine === this.connection) act();
    };
    this.update({ phase: 'connecting', retryAt: null });
    this.joinTimer = setTimeout(() => this.transport?.close(4000, 'no relay.joined'), kJoinTimeoutMs);
    this.transport = this.options.open({
      onOpen: () => {
        current(() => {
          this.write('relay.join', joinFrame(this.shown.sessionId, this.takeover, this.options.study));
        });
      },
      onText: (text) => {
        current(() => {
          this.onText(text);
        });
      },
      onClose: (code) => {
        current(() => {
          this.onClose(code);
        });
      },
    });
  }

  private write(type: string, text: string): void {
    this.transport?.send(text);
    this.record('out', type, text);
  }

  private record(direction: 'in' | 'out', type: string, text: string): void {
    const line = { at: this.now(), direction, type, text };
    const log = withLogLine(this.shown.log, line, this.options.logLines ?? kMaxLogLines);
    if (log !== this.shown.log) this.update({ log });
  }

  private onClose(code: number): void {
    const { phase } = this.shown;
    this.disconnect();
    this.full = false;
    this.update({ agents: [], activity: 'absent' });
    if (phase === 'replaced' || (phase === 'joined' && code === kReplacedCode)) {
      this.update({ phase: 'replaced', retryAt: null });
      return;
    }
    this.failures += 1;
    const delay = retryDelay(this.failures, (this.options.random ?? Math.random)());
    const occupied = phase === 'occupied' || code === kReplacedCode;
    this.update({ phase: occupied ? 'occupied' : 'waiting', retryAt: this.now() + delay });
    this.retryTimer = setTimeout(() => {
      this.connect();
    }, delay);
  }

  private onText(text: string): void {
    const envelope = parseEnvelope(text);
    const type = envelope?.type ?? '';
    this.record('in', type, text);
    if (!envelope) return;
    switch (type) {
      case 'relay.joined':
        this.onJoined(envelope);
        break;
      case 'relay.presence':
        this.onPresence(envelope);
        break;
      case 'error':
        this.onError(envelope);
        break;
      case 'session.start':
      case 'snapshot.get':
      case 'tool.call':
      case 'agent.message':
      case 'session.end':
        this.enqueue(envelope);
    }
  }

  private onJoined({ payload }: Envelope): void {
    clearTimeout(this.joinTimer);
    this.failures = 0;
    this.takeover = false;
    const given = payload['sessionId'];
    const sessionId = typeof given === 'string' ? given : this.shown.sessionId;
    this.update({ phase: 'joined', problem: null, sessionId });
    for (const text of this.unsent.splice(0)) this.queue.push({ type: 'user.message', text: () => text });
    this.held = null;
    this.lastState = this.options.engine.state;
    this.pushState({ state: this.lastState, source: 'host' });
  }

  private onPresence({ payload }: Envelope): void {
    const agents = readPresence(payload);
    this.full = payload['fullHistory'] === true;
    const { activity } = this.shown;
    const present = activity === 'absent' ? 'connected' : activity;
    this.update({ agents, activity: agents.length === 0 ? 'absent' : present });
  }

  // A replaced host receives this error before its connection is closed, whatever the close code.
  private onError({ payload }: Envelope): void {
    const { code, message } = payload;
    if (typeof message !== 'string') return;
    if (this.shown.phase === 'connecting') this.update({ problem: message });
    if (code !== 'SESSION_NOT_ACTIVE') return;
    if (this.shown.phase === 'joined' && message.includes('replaced by')) this.update({ phase: 'replaced' });
    if (this.shown.phase === 'connecting' && message.startsWith('Another host')) {
      this.update({ phase: 'occupied' });
    }
  }

  // ---- changes of the engine

  private onEngineChange(state: HostState, source: ChangeSource): void {
    this.sendWhatWasSaid(state);
    if (this.shown.phase !== 'joined') return;
    // While a stage loads there is nothing new, except the empty state after a reset.
    if (state.loading && !isBlank(state)) return;
    if (!this.isNews(state)) return;
    const change = { state, source };
    if (this.ending !== null && isBlank(state)) {
      this.ending();
      this.ending = null;
    }
    if (this.held === null) this.pushState(change);
    else this.hold(change);
  }

  // True if the state differs, for agents, from the last one sent.
  private isNews(state: HostState): boolean {
    const { lastState } = this;
    this.lastState = state;
    if (stepOf(lastState) !== stepOf(state)) this.repeats = Math.max(1, this.shown.agents.length);
    return (
      lastState?.uiSpec !== state.uiSpec ||
      lastState.messageHistory !== state.messageHistory ||
      lastState.toolSchema !== state.toolSchema
    );
  }

  private hold(change: Change): void {
    const held = this.held ?? [];
    const last = held.at(-1);
    const overtakes = last?.source === change.source && !isBlank(last.state);
    this.held = [...(overtakes ? held.slice(0, -1) : held), change];
  }

  private pushState({ state, source }: Change): void {
    const { full } = this;
    const text = (): string => updatedFrame(source, state, full);
    const frame = { type: 'state.updated', text };
    this.queue.push(isBlank(state) ? frame : { ...frame, key: source });
  }

  // Sends user.message before the state.updated whose history contains it.
  private sendWhatWasSaid(state: HostState): void {
    const history = state.messageHistory;
    const fresh = history.slice(history.findLastIndex((entry) => entry.id === this.lastSeen) + 1);
    this.lastSeen = history.at(-1)?.id;
    for (const entry of fresh) {
      if (entry.type !== 'user' || entry.action !== 'input') continue;
      const text = userMessageFrame(entry.label, entry.stage);
      const frame = { type: 'user.message', text: () => text };
      if (this.shown.phase === 'joined') this.queue.push(frame);
      else this.unsent = [...this.unsent, text].slice(-kMaxUnsent);
      this.setActivity('thinking', kThinkingMs);
    }
  }

  // ---- requests of agents

  private enqueue(envelope: Envelope): void {
    const mine = this.connection;
    this.requests = this.requests.then(async () => {
      if (mine === this.connection) await this.answer(envelope, mine);
    });
  }

  // No answer on a later connection: the relay has reported the failure to the agent by then.
  private reply(connection: number, type: string, text: () => string): void {
    if (connection === this.connection) this.queue.push({ type, text });
  }

  private async answer({ type, id, payload }: Envelope, connection: number): Promise<void> {
    const { engine } = this.options;
    const { sessionId } = this.shown;
    switch (type) {
      case 'session.start':
        this.update({ sessionActive: true });
        this.setActivity('thinking', kThinkingMs);
        this.reply(connection, 'session.started', () => startedFrame(id, sessionId));
        return;
      case 'snapshot.get': {
        const { state } = engine;
        this.reply(connection, 'snapshot.state', () => snapshotFrame(id, sessionId, state, this.full));
        this.repeatState(connection);
        return;
      }
      case 'tool.call':
        await this.answerToolCall(id, payload, connection);
        return;
      case 'agent.message':
        if (!engine.postAgentMessage(payload['text'])) {
          const message = 'agent.message requires a non-empty payload.text';
          this.reply(connection, 'error', () => errorFrame(id, 'INVALID_PARAMS', message));
        }
        this.setActivity('connected');
        return;
      default:
        this.ending = () => {
          this.reply(connection, 'session.ended', () => endedFrame(id, sessionId));
        };
        await engine.reset();
        this.ending = null;
        this.update({ sessionActive: false, lastCall: null });
        this.setActivity('connected');
    }
  }

  // The reference's rule-based agent requests a snapshot after each call, drops messages until the answer,
  // and acts only on a state.updated after it. That of a new stage, or of the confirmation, was sent before, so it
  // is repeated.
  private repeatState(connection: number): void {
    if (this.repeats === 0) return;
    this.repeats -= 1;
    setTimeout(() => {
      if (connection !== this.connection || this.shown.phase !== 'joined') return;
      const change: Change = { state: this.options.engine.state, source: 'host' };
      if (this.held === null) this.pushState(change);
      else this.hold(change);
    }, kRepeatMs);
  }

  private async answerToolCall(id: unknown, payload: Record<string, unknown>, connection: number): Promise<void> {
    const { toolName, params, reason } = payload;
    const call: AgentCall = {
      toolName: typeof toolName === 'string' ? toolName : '',
      reason: typeof reason === 'string' ? reason.trim() : '',
      at: this.now(),
      outcome: 'running',
      message: '',
    };
    this.update({ lastCall: call });
    this.setActivity('acting');
    this.held = [];
    const outcome = await this.options.engine.runTool(toolName, params, call.reason);
    this.reply(connection, outcome.ok ? 'tool.result' : 'error', () =>
      outcome.ok ? resultFrame(id, outcome, this.full) : errorFrame(id, outcome.code, outcome.message),
    );
    this.update({
      lastCall: outcome.ok ? { ...call, outcome: 'ok' } : { ...call, outcome: 'refused', message: outcome.message },
    });
    this.setActivity('thinking', kBetweenActsMs);
    const caused = this.held as Change[] | null;
    this.held = null;
    if (connection !== this.connection) return;
    for (const change of caused ?? []) this.pushState(change);
  }

  private setActivity(activity: AgentActivity, forMs?: number): void {
    clearTimeout(this.thinkingTimer);
    if (forMs !== undefined) {
      this.thinkingTimer = setTimeout(() => {
        this.setActivity('connected');
      }, forMs);
    }
    const absent = this.shown.agents.length === 0 && activity !== 'acting';
    this.update({ activity: absent ? 'absent' : activity });
  }
}

export function createRelayBridge(options: BridgeOptions): RelayBridge {
  return new Bridge(options);
}
