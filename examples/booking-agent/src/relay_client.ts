// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// An agent's connection to the relay: joins, sends requests, and reconnects.
import { type Frame, parseFrame } from './protocol.js';

// The common interface of WebSockets of `ws` and browsers.
export interface Socket {
  onopen: ((event: never) => void) | null;
  onmessage: ((event: never) => void) | null;
  onclose: ((event: never) => void) | null;
  onerror: ((event: never) => void) | null;
  send(text: string): void;
  close(code?: number): void;
}

export interface ClientOptions {
  openSocket: () => Socket;
  sessionId: string;
  name: string;
  onFrame: (frame: Frame) => void; // all frames except answers
  onPhase: (phase: Phase) => void;
  timeoutMs?: number; // of one request; default 20 s
  firstRetryMs?: number; // default 1.2 s, doubled up to 15 s
}

export type Phase = 'connecting' | 'joined' | 'lost' | 'closed';

export class ProtocolError extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
    this.name = 'ProtocolError';
  }
}

export class ConnectionLost extends Error {
  constructor() {
    super('The connection to the relay is lost.');
    this.name = 'ConnectionLost';
  }
}

const answers: Record<string, string> = {
  'session.start': 'session.started',
  'snapshot.get': 'snapshot.state',
  'tool.call': 'tool.result',
  'session.end': 'session.ended',
};

interface Waiting {
  answer: string;
  resolve: (frame: Frame) => void;
  reject: (error: Error) => void;
  timer: ReturnType<typeof setTimeout>;
}

const kTimeoutMs = 20_000;
const kFirstRetryMs = 1_200;
const kLongestRetryMs = 15_000;

export class RelayClient {
  phase: Phase = 'closed';
  private socket: Socket | null = null;
  private failures = 0;
  private counter = 0;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private readonly waiting = new Map<string, Waiting>();
  private readonly prefix = `req-${String(Date.now())}`;

  constructor(private readonly options: ClientOptions) {}

  open(): void {
    this.setPhase('connecting');
    const socket = this.options.openSocket();
    this.socket = socket;
    socket.onopen = () => {
      this.send('relay.join', { role: 'agent', sessionId: this.options.sessionId, agentName: this.options.name });
    };
    socket.onmessage = (event: { data: unknown }) => {
      if (socket === this.socket) this.onText(String(event.data));
    };
    socket.onclose = () => {
      if (socket === this.socket) this.onClose();
    };
    // An error is always followed by a close, which is handled.
    socket.onerror = () => undefined;
  }

  close(): void {
    clearTimeout(this.retry);
    const { socket } = this;
    this.socket = null;
    this.rejectAll();
    this.setPhase('closed');
    socket?.close(1000);
  }

  // Resolves with the answer; rejects with a ProtocolError, ConnectionLost, or a timeout.
  request(type: string, payload: object): Promise<Frame> {
    return new Promise((resolve, reject) => {
      if (this.phase !== 'joined') {
        reject(new ConnectionLost());
        return;
      }
      const id = this.nextId();
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new ProtocolError('TIMEOUT', `${type} got no answer.`));
      }, this.options.timeoutMs ?? kTimeoutMs);
      this.waiting.set(id, { answer: answers[type] ?? '', resolve, reject, timer });
      this.send(type, payload, id);
    });
  }

  // Has no answer; an error is passed to onFrame.
  say(text: string): void {
    if (this.phase === 'joined') this.send('agent.message', { text }, this.nextId());
  }

  private nextId(): string {
    this.counter += 1;
    return `${this.prefix}-${String(this.counter)}`;
  }

  private send(type: string, payload: object, id = this.nextId()): void {
    this.socket?.send(JSON.stringify({ v: 'mvp-0.2', type, id, payload }));
  }

  private setPhase(phase: Phase): void {
    this.phase = phase;
    this.options.onPhase(phase);
  }

  private onText(text: string): void {
    const frame = parseFrame(text);
    if (!frame) return;
    if (frame.type === 'relay.joined') {
      this.failures = 0;
      this.setPhase('joined');
      return;
    }
    const waiting = this.takeWaiting(frame);
    if (!waiting) {
      this.options.onFrame(frame);
      return;
    }
    clearTimeout(waiting.timer);
    if (frame.type === 'error') {
      const { code, message } = frame.payload;
      waiting.reject(new ProtocolError(String(code), String(message)));
    } else waiting.resolve(frame);
  }

  // The request of an answer: by replyTo, else the first that waits for the type of the answer.
  private takeWaiting(frame: Frame): Waiting | undefined {
    const { replyTo } = frame;
    const byType = [...this.waiting].find(([, each]) => each.answer === frame.type)?.[0];
    const id = typeof replyTo === 'string' ? replyTo : byType;
    const waiting = id === undefined ? undefined : this.waiting.get(id);
    if (id !== undefined) this.waiting.delete(id);
    return waiting;
  }

  private rejectAll(): void {
    for (const each of this.waiting.values()) {
      clearTimeout(each.timer);
      each.reject(new ConnectionLost());
    }
    this.waiting.clear();
  }

  private onClose(): void {
    this.socket = null;
    this.rejectAll();
    this.setPhase('lost');
    const first = this.options.firstRetryMs ?? kFirstRetryMs;
    const delay = Math.min(kLongestRetryMs, first * 2 ** this.failures);
    this.failures += 1;
    this.retry = setTimeout(() => {
      this.open();
    }, delay);
  }
}
