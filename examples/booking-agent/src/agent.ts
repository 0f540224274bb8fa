// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// The agent: reads the page, executes one step after another, and follows messages of the participant.
import { Memory } from './memory.js';
import { isConfirmed, nextStep, type Step } from './plan.js';
import { type Frame, type HostView, type UiSpec, withPayload } from './protocol.js';
import { ConnectionLost, ProtocolError, RelayClient, type Socket } from './relay_client.js';
import { hear, type Wishes } from './wishes.js';

export interface AgentOptions {
  openSocket: () => Socket;
  sessionId: string;
  name: string;
  studyId: string;
  participantId: string;
  wishes: Wishes;
  end: boolean; // sends session.end after the booking
  paceMs: number; // pause between two steps, so that a person can follow
  log: (sentence: string) => void;
  random?: () => number; // chooses among equal choices; absent: always the first
  patienceMs?: number; // limit of the wait for a host or an expected state; default 15 s
  firstRetryMs?: number;
  signal?: AbortSignal;
}

export interface Outcome {
  booked: boolean;
  bookingId: string; // '' if the page does not show it
  seats: string[]; // ids
  calls: number;
  why: string; // reason, if not booked
}

const kMaxRefusals = 8; // in a row
const kMaxSteps = 500;
const kNoPresenceMs = 1_000; // wait after joining for the first relay.presence
const kStartRetryMs = 1_500;

// True if the page differs. Needed because some hosts answer ok without an effect.
function differs(now: UiSpec, before: UiSpec | null): boolean {
  const shown = (spec: UiSpec | null): string => JSON.stringify([spec?.stage, spec?.state, spec?.modification]);
  return shown(now) !== shown(before);
}

export class BookingAgent {
  private readonly client: RelayClient;
  private readonly memory: Memory;
  private view: HostView = { uiSpec: null, messageHistory: [], tools: null };
  private wishes: Wishes;
  private hostActive: boolean | undefined; // undefined: no relay.presence yet
  private silentRelay = false; // the relay sends no presence: a host is assumed
  private stale = true; // the view is of an earlier connection or host
  private readonly heardEntries = new Set<string>();
  private readonly heardTexts: string[] = []; // from user.message, not yet in the history
  private readonly awake = new Set<() => void>();
  private calls = 0;
  private refusals = 0;

  constructor(private readonly options: AgentOptions) {
    this.wishes = options.wishes;
    this.memory = new Memory(options.random);
    this.client = new RelayClient({
      openSocket: options.openSocket,
      sessionId: options.sessionId,
      name: options.name,
      ...(options.firstRetryMs !== undefined && { firstRetryMs: options.firstRetryMs }),
      onFrame: (frame) => {
        this.onFrame(frame);
      },
      onPhase: (phase) => {
        if (phase === 'lost') {
          this.hostActive = undefined;
          this.stale = true;
          this.options.log('The connection is lost; trying again.');
        }
        this.wake();
      },
    });
  }

  async run(): Promise<Outcome> {
    this.client.open();
    try {
      await this.begin();
      return await this.work();
    } finally {
      this.client.close();
    }
  }

  // ---- messages

  private onFrame({ type, payload }: Frame): void {
    switch (type) {
      case 'relay.presence': {
        const before = this.hostActive;
        this.hostActive = payload['hostActive'] === true;
        if (before === false && this.hostActive) this.stale = true;
        break;
      }
      case 'state.updated':
        this.take(payload, true);
        break;
      case 'user.message':
        if (typeof payload['text'] === 'string') {
          this.heardTexts.push(payload['text']);
          this.listen(payload['text']);
        }
        break;
      case 'error':
        this.options.log(`The host says: ${String(payload['message'])}`);
        break;
      default:
        return;
    }
    this.wake();
  }

  private take(payload: Record<string, unknown>, whole: boolean): void {
    this.view = withPayload(this.view, payload, whole);
    this.memory.learn(this.view.uiSpec ?? undefined);
    for (const entry of this.view.messageHistory) {
      if (entry.action !== 'input' || this.heardEntries.has(entry.id)) continue;
      this.heardEntries.add(entry.id);
      const already = this.heardTexts.indexOf(entry.label ?? '');
      if (already >= 0) this.heardTexts.splice(already, 1);
      else this.listen(entry.label ?? '');
    }
  }

  private listen(text: string): void {
    this.memory.learnFrom(this.view.messageHistory);
    const { wishes, understood } = hear(text, this.wishes, this.memory.catalogue);
    this.options.log(`Participant: ${text}`);
    if (understood.length === 0) {
      this.client.say('I did not understand that. Tell me a film, a time of day, rows, or how many seats.');
      return;
    }
    this.wishes = wishes;
    if (wishes.stopped) {
      this.client.say('I stop here. Say “go on” when I shall continue.');
      return;
    }
    this.memory.forget();
    this.client.say(`Understood: ${understood.join(', ')}.`);
  }

  // ---- waiting

  private wake(): void {
    for (const each of [...this.awake]) each();
  }

  // Resolves at the next message, or after `ms`.
  private news(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.awake.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.awake.add(done);
    });
  }

  // Waits until `holds` is true; resolves with false after `ms`.
  private async until(holds: () => boolean, ms = this.patience()): Promise<boolean> {
    const end = Date.now() + ms;
    while (!holds()) {
      this.options.signal?.throwIfAborted();
      const left = end - Date.now();
      if (left <= 0) return false;
      await this.news(left);
    }
    return true;
  }

  private patience(): number {
    return this.options.patienceMs ?? 15_000;
  }

  // ---- the session

  // Waits, without a limit, until joined and a host is present.
  private async present(): Promise<void> {
    for (;;) {
      this.options.signal?.throwIfAborted();
      if (this.client.phase === 'joined') {
        if (this.hostActive === undefined && !this.silentRelay) {
          this.silentRelay = !(await this.until(() => this.hostActive !== undefined, kNoPresenceMs));
        }
        if (this.client.phase === 'joined' && this.hostActive !== false) return;
      }
      await this.news(this.patience());
    }
  }

  // As present(), and updates a stale view.
  private async resync(): Promise<void> {
    for (;;) {
      await this.present();
      if (!this.stale) return;
      try {
        const snapshot = await this.client.request('snapshot.get', {});
        this.stale = false;
        this.take(snapshot.payload, true);
        this.memory.learnFrom(this.view.messageHistory);
        return;
      } catch (error) {
        await this.pauseAfter(error);
      }
    }
  }

  // Pauses after a temporary error; throws others.
  private async pauseAfter(error: unknown): Promise<void> {
    if (error instanceof ConnectionLost) return;
    const passes = ['SESSION_NOT_ACTIVE', 'TIMEOUT', 'TOOL_EXECUTION_FAILED'];
    if (!(error instanceof ProtocolError) || !passes.includes(error.code)) throw error;
    this.options.log(error.message);
    await this.news(kStartRetryMs);
  }

  // Starts the session, before any other request, so that all requests belong to it.
  private async startSession(): Promise<void> {
    const { studyId, participantId } = this.options;
    for (;;) {
      await this.present();
      try {
        await this.client.request('session.start', { studyId, participantId });
        return;
      } catch (error) {
        await this.pauseAfter(error);
      }
    }
  }

  private async begin(): Promise<void> {
    await this.startSession();
    await this.resync();
    if (isConfirmed(this.view)) {
      this.options.log('The page shows an old booking, so I begin anew.');
      await this.endSession('new-booking');
      await this.startSession();
    }
    this.client.say('Hello. I look for a film and seats for you; tell me what you would like.');
  }

  private async endSession(reason: string): Promise<void> {
    try {
      const ended = await this.client.request('session.end', { reason });
      this.options.log(`The session has ended; its log: ${String(ended.payload['logFile'] ?? '')}`);
      this.stale = true;
    } catch (error) {
      this.options.log(`The session could not be ended: ${error instanceof Error ? error.message : ''}`);
    }
  }

  // ---- the work

  private async work(): Promise<Outcome> {
    for (let steps = 0; steps < kMaxSteps; steps += 1) {
      await this.resync();
      const step = nextStep(this.view, this.wishes, this.memory);
      const outcome = await this.perform(step);
      if (outcome) return outcome;
      if (this.refusals >= kMaxRefusals) return this.giveUp('Too many steps were refused.');
    }
    return this.giveUp('Too many steps.');
  }

  private async perform(step: Step): Promise<Outcome | undefined> {
    switch (step.kind) {
      case 'booked':
        return this.farewell();
      case 'giveUp':
        return this.giveUp(step.why);
      case 'say':
        this.client.say(step.text);
        return undefined;
      case 'wait':
        await this.news(this.patience());
        return undefined;
      case 'call':
        await this.call(step);
        if (this.options.paceMs > 0) await this.pace();
        return undefined;
    }
  }

  // A pause that ends early when the participant says something.
  private async pace(): Promise<void> {
    const wishes = this.wishes;
    await this.until(() => this.wishes !== wishes, this.options.paceMs);
  }

  private async call({ toolName, params, reason }: Extract<Step, { kind: 'call' }>): Promise<void> {
    const before = this.view;
    this.calls += 1;
    this.options.log(`${toolName} ${JSON.stringify(params)}: ${reason}`);
    try {
      const result = await this.client.request('tool.call', { toolName, params, reason });
      this.take(result.payload, false);
      // If the result does not have the new state, a later state.updated does.
      const isNews = (): boolean => this.hasEffect(toolName, before);
      if (await this.until(() => isNews() || this.client.phase !== 'joined', this.patience() / 5)) {
        this.refusals = 0;
        return;
      }
      this.refusals += 1;
      this.stale = true;
      if (before.uiSpec?.stage === 'confirm') this.memory.reseat = true;
    } catch (error) {
      this.onRefused(error, before);
    }
  }

  private hasEffect(toolName: string, before: HostView): boolean {
    const { uiSpec, tools } = this.view;
    if (uiSpec === null) return false;
    if (toolName !== 'next' && toolName !== 'prev') return differs(uiSpec, before.uiSpec);
    if (isConfirmed(this.view)) return true;
    // The offered tools must be those of the new stage too; they arrive by a push.
    return uiSpec.stage !== before.uiSpec?.stage && (tools === null || tools !== before.tools);
  }

  private onRefused(error: unknown, before: HostView): void {
    this.stale = true;
    if (error instanceof ConnectionLost) return;
    if (!(error instanceof ProtocolError)) throw error;
    this.refusals += 1;
    this.options.log(`Refused: ${error.code} ${error.message}`);
    if (before.uiSpec?.stage === 'confirm' && /occupied|booked/i.test(error.message)) {
      this.memory.reseat = true;
      this.memory.seats = undefined;
      this.client.say('Somebody was faster and took a seat; I choose others.');
    }
  }

  private async farewell(): Promise<Outcome> {
    const { state, meta } = this.view.uiSpec ?? {};
    const booking = state?.booking;
    const seats = booking?.selectedSeats ?? [];
    const when = `${booking?.date ?? ''} ${booking?.showing?.time ?? ''}`;
    const labels = seats.map((seat) => seat.value).join(', ');
    const text = `Booked: ${booking?.movie?.title ?? ''}, ${when}, seats ${labels}.`;
    this.client.say(text);
    this.options.log(text);
    if (this.options.end) await this.endSession('study-complete');
    const bookingId = typeof meta?.['bookingId'] === 'string' ? meta['bookingId'] : '';
    return { booked: true, bookingId, seats: seats.map((seat) => seat.id), calls: this.calls, why: '' };
  }

  private async giveUp(why: string): Promise<Outcome> {
    this.client.say(`I cannot go on: ${why}`);
    this.options.log(why);
    if (this.options.end) await this.endSession('agent-gave-up');
    return { booked: false, bookingId: '', seats: [], calls: this.calls, why };
  }
}
