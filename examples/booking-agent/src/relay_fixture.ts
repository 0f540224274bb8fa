// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// For tests: a relay of one session in this process, between agents and the web console's host.
import { createRelayBridge, type RelayBridge } from '../../../web/host/engine/bridge';
import { createHostEngine } from '../../../web/host/engine/engine';
import type { HostEngine } from '../../../web/host/engine/host_engine';
import { createMemoryBackend, type MemoryBackend } from '../../../web/host/engine/memory_backend';
import type { RelayTransport, TransportEvents } from '../../../web/host/engine/relay_transport';
import type { Frame } from './protocol.js';
import type { Socket } from './relay_client.js';

// Changes a frame of the host on its way to the agent; null: drops it.
export type Filter = (frame: Frame) => Frame | null;

class AgentSocket implements Socket {
  onopen: ((event: never) => void) | null = null;
  onmessage: ((event: never) => void) | null = null;
  onclose: ((event: never) => void) | null = null;
  onerror: ((event: never) => void) | null = null;
  joined = false;

  constructor(
    readonly id: string,
    private readonly relay: FakeRelay,
  ) {}

  send(text: string): void {
    this.relay.fromAgent(this, JSON.parse(text) as Frame);
  }

  close(): void {
    this.relay.dropAgent(this);
  }

  deliver(frame: Frame): void {
    setImmediate(() => this.onmessage?.({ data: JSON.stringify(frame) } as never));
  }
}

export class FakeRelay {
  readonly seen: Frame[] = []; // from agents
  readonly pushed: Frame[] = []; // from the host
  filter: Filter = (frame) => frame;
  presence = true;
  private host: TransportEvents | null = null;
  private readonly agents = new Set<AgentSocket>();
  private readonly owners = new Map<string, AgentSocket>();
  private counter = 0;

  readonly openSocket = (): Socket => {
    const socket = new AgentSocket(`a${String(this.agents.size + 1)}`, this);
    this.agents.add(socket);
    setImmediate(() => socket.onopen?.({} as never));
    return socket;
  };

  readonly openHost = (events: TransportEvents): RelayTransport => {
    this.host = events;
    setImmediate(() => {
      events.onOpen();
    });
    return {
      bufferedAmount: 0,
      send: (text) => {
        this.fromHost(JSON.parse(text) as Frame);
      },
      close: () => {
        if (this.host === events) this.host = null;
        this.tellPresence();
      },
    };
  };

  get agentCount(): number {
    return this.agents.size;
  }

  // Breaks the connection of every agent; they reconnect.
  dropAgents(): void {
    for (const agent of [...this.agents]) this.dropAgent(agent);
  }

  dropAgent(agent: AgentSocket): void {
    if (!this.agents.delete(agent)) return;
    setImmediate(() => agent.onclose?.({ code: 1006 } as never));
    this.tellPresence();
  }

  fromAgent(agent: AgentSocket, frame: Frame): void {
    this.seen.push(frame);
    if (frame.type === 'relay.join') {
      agent.joined = true;
      agent.deliver({ type: 'relay.joined', replyTo: frame.id, payload: { role: 'agent', sessionId: 'default' } });
      this.tellPresence();
      return;
    }
    if (this.host === null) {
      const payload = { code: 'SESSION_NOT_ACTIVE', message: 'No active host connection for this session.' };
      agent.deliver({ type: 'error', replyTo: frame.id, payload });
      return;
    }
    this.counter += 1;
    const id = `relay-${String(this.counter)}`;
    this.owners.set(id, agent);
    const { host } = this;
    setImmediate(() => {
      host.onText(JSON.stringify({ ...frame, id: `${id}|${String(frame.id)}` }));
    });
  }

  private fromHost(frame: Frame): void {
    if (frame.type === 'relay.join') {
      setImmediate(() => {
        this.host?.onText('{"type":"relay.joined","payload":{"role":"host","sessionId":"default"}}');
        this.tellPresence();
      });
      return;
    }
    this.pushed.push(frame);
    const passed = this.filter(structuredClone(frame));
    if (passed === null) return;
    if (typeof frame.replyTo === 'string') {
      const [id = '', original] = frame.replyTo.split('|');
      this.owners.get(id)?.deliver({ ...passed, replyTo: original });
      return;
    }
    for (const agent of this.agents) if (agent.joined) agent.deliver(passed);
  }

  private tellPresence(): void {
    if (!this.presence) return;
    const agents = [...this.agents].filter((agent) => agent.joined).map(({ id }) => ({ id, name: id }));
    const payload = { sessionId: 'default', hostActive: this.host !== null, agentCount: agents.length, agents };
    const frame: Frame = { type: 'relay.presence', payload };
    for (const agent of this.agents) if (agent.joined) agent.deliver(frame);
    this.host?.onText(JSON.stringify(frame));
  }
}

export interface World {
  relay: FakeRelay;
  backend: MemoryBackend;
  engine: HostEngine;
  bridge: RelayBridge;
}

export function buildWorld(): World {
  const relay = new FakeRelay();
  const backend = createMemoryBackend('2026-11-22');
  const engine = createHostEngine(backend, { now: () => new Date(2026, 10, 22, 12).getTime() });
  const bridge = createRelayBridge({ engine, open: relay.openHost, turn: (act) => setImmediate(act) });
  return { relay, backend, engine, bridge };
}

export async function startWorld(): Promise<World> {
  const world = buildWorld();
  await world.engine.start();
  world.bridge.start();
  return world;
}
