// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// For tests: a relay of one session in this process, as the bridge sees it.
import { type BridgeOptions, createRelayBridge, type RelayBridge } from './bridge';
import type { HostEngine } from './host_engine';
import type { OpenTransport, RelayTransport, TransportEvents } from './relay_transport';

export interface Sent {
  type: string;
  replyTo?: unknown;
  payload: Record<string, unknown>;
}

class FakeConnection implements RelayTransport {
  bufferedAmount = 0;
  readonly sent: Sent[] = [];
  readonly texts: string[] = [];
  closedWith: number | undefined;

  constructor(private readonly events: TransportEvents) {}

  send(text: string): void {
    this.texts.push(text);
    this.sent.push(JSON.parse(text) as Sent);
  }

  close(code = 1000): void {
    this.drop(code);
  }

  open(): void {
    this.events.onOpen();
  }

  text(text: string): void {
    this.events.onText(text);
  }

  frame(type: string, payload: unknown, id?: unknown): void {
    this.text(JSON.stringify({ v: 'mvp-0.2', type, id, payload }));
  }

  drop(code: number): void {
    if (this.closedWith !== undefined) return;
    this.closedWith = code;
    this.events.onClose(code, '');
  }

  // Answers relay.join as the relay does.
  join(agents: string[] = ['agent-1'], fullHistory = false): void {
    this.open();
    this.frame('relay.hello', { message: 'Send relay.join with role=host|agent' });
    this.frame('relay.joined', { role: 'host', sessionId: this.sent[0]?.payload['sessionId'] });
    this.presence(agents, fullHistory);
  }

  presence(agents: string[], fullHistory = false): void {
    this.frame('relay.presence', {
      sessionId: 'default',
      hostActive: true,
      agentCount: agents.length,
      agents: agents.map((id) => ({ id, name: `name of ${id}` })),
      fullHistory,
    });
  }

  types(): string[] {
    return this.sent.map((frame) => frame.type);
  }
}

export interface BridgeFixture {
  bridge: RelayBridge;
  connections: FakeConnection[];
  readonly last: FakeConnection;
  turns: (() => void)[];
  // Runs all pending promises and turns of the loop, but no timers.
  settle(): Promise<void>;
}

export function startBridge(engine: HostEngine, options: Partial<BridgeOptions> = {}): BridgeFixture {
  const connections: FakeConnection[] = [];
  const turns: (() => void)[] = [];
  const open: OpenTransport = (events) => {
    const connection = new FakeConnection(events);
    connections.push(connection);
    return connection;
  };
  const bridge = createRelayBridge({
    engine,
    open,
    turn: (act) => turns.push(act),
    now: () => 0,
    random: () => 0.5,
    ...options,
  });
  bridge.start();
  return {
    bridge,
    connections,
    turns,
    get last(): FakeConnection {
      const connection = connections.at(-1);
      if (!connection) throw new Error('no connection was opened');
      return connection;
    },
    async settle() {
      for (let quiet = 0; quiet < 60; quiet += 1) {
        await Promise.resolve();
        if (turns.length > 0) quiet = 0;
        turns.shift()?.();
      }
    },
  };
}
