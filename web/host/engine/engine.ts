// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// One booking in progress: seven stages, and the actions of agent and participant. Actions are executed one
// after another; the state changes only when an action has taken effect.
import { localDay } from './calendar';
import { withAgent, withLiveSpec, withSystem, withUser } from './history';
import {
  BackendError,
  type BookingBackend,
  type ChangeSource,
  type HostEngine,
  type HostOptions,
  type HostState,
  type ToolOutcome,
} from './host_engine';
import type { Undo } from '@/stage/ui_spec';
import { applyWithin, failed, incompleteReason, type Refusal } from './stage_acts';
import { loadStage } from './stage_loader';
import { isComplete, rawLabel, specOf, type StageRun, ticketsOf, ticketTotal } from './stage_run';
import { stageAfter, stageBefore } from './stages';
import { isQuantity, kMaxText, parseToolParams, type ToolAct } from './tool_params';
import { belongsTo, isToolName, toolSchemaOf } from './tool_schema';
import type { BookingSoFar, Stage, ToolDescription, UiSpec, UserEntry } from '@/stage/ui_spec';

type Listener = (state: HostState, source: ChangeSource) => void;
type Done = { ok: true } | Refusal;
const kDone: Done = { ok: true };

function reasonOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'Something went wrong.';
}

// The text of a refused booking, with the labels of seats that others have booked meanwhile.
function refusedText(error: unknown, booking: BookingSoFar): string {
  const reason = reasonOf(error);
  if (!(error instanceof BackendError) || error.occupiedSeats.length === 0) return reason;
  const labels = error.occupiedSeats.map((id) => booking.selectedSeats?.find((seat) => seat.id === id)?.value ?? id);
  return `${reason} (${labels.join(', ')})`;
}

// The booking with the choice of a stage, when the stage is left forward.
function chosenBy(run: StageRun, booking: BookingSoFar): BookingSoFar {
  const id = run.chosen[0] ?? '';
  switch (run.stage) {
    case 'movie':
      return { movie: { id, title: rawLabel(run, id) } };
    case 'theater':
      return { ...booking, theater: { id, name: rawLabel(run, id) } };
    case 'date':
      return { ...booking, date: id };
    case 'time':
      return { ...booking, showing: { id, time: rawLabel(run, id) } };
    case 'seat':
      return {
        ...booking,
        selectedSeats: run.chosen.map((seat) => ({ id: seat, value: rawLabel(run, seat) })),
        tickets: [],
      };
    default:
      return booking;
  }
}

// The remaining booking when the person goes back to a stage.
function upTo(stage: Stage, booking: BookingSoFar): BookingSoFar {
  const { movie, theater, date, showing } = booking;
  switch (stage) {
    case 'movie':
      return {};
    case 'theater':
      return movie ? { movie } : {};
    case 'date':
      return { ...upTo('theater', booking), ...(theater && { theater }) };
    case 'time':
      return { ...upTo('date', booking), ...(date !== undefined && { date }) };
    case 'seat':
      return { ...upTo('time', booking), ...(showing && { showing }) };
    default:
      return booking;
  }
}

function labelOfChoice(run: StageRun): string {
  const id = run.chosen[0] ?? '';
  if (run.stage === 'date') return id;
  if (run.stage === 'seat') return `${String(run.chosen.length)} seat(s) selected`;
  if (run.stage === 'ticket') return `${String(ticketTotal(run))} ticket(s)`;
  return rawLabel(run, id);
}

class Engine implements HostEngine {
  private current: HostState;
  private run: StageRun | null = null;
  private choices: BookingSoFar = {};
  private stage: Stage = 'movie';
  private made: { run: StageRun; choices: BookingSoFar; spec: UiSpec } | null = null;
  private offered: ToolDescription[] = []; // of the last shown stage
  private tail: Promise<void> = Promise.resolve();
  private readonly listeners = new Set<Listener>();
  private readonly stamp: { now: () => number; random: () => number };

  constructor(
    private readonly backend: BookingBackend,
    private readonly options: HostOptions,
  ) {
    this.stamp = { now: options.now ?? Date.now, random: options.random ?? Math.random };
    this.current = {
      uiSpec: null,
      messageHistory: [],
      toolSchema: toolSchemaOf(null, false, options.tools),
      loading: false,
      failure: null,
      booking: null,
    };
  }

  get state(): HostState {
    return this.current;
  }

  onChange(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  start(): Promise<void> {
    return this.inTurn(async () => {
      if (this.run === null) await this.loadFirst();
    });
  }

  reset(): Promise<void> {
    return this.inTurn(async () => {
      this.run = null;
      this.choices = {};
      this.stage = 'movie';
      this.publish('host', { messageHistory: [], booking: null, failure: null, loading: true });
      await this.loadFirst();
    });
  }

  runTool(given: unknown, params: unknown): Promise<ToolOutcome> {
    const toolName = typeof given === 'string' ? given : '';
    return this.inTurn(async (): Promise<ToolOutcome> => {
      const done = await this.attempt(() => this.doTool(toolName, params));
      if (!done.ok) return { ...done, toolName };
      const { uiSpec, messageHistory } = this.current;
      return { ok: true, toolName, ...(uiSpec && { uiSpec }), messageHistory };
    });
  }

  postAgentMessage(text: unknown): boolean {
    if (typeof text !== 'string' || text.trim() === '') return false;
    this.addAgentText(text.trim().slice(0, kMaxText));
    return true;
  }

  select(itemId: string): Promise<void> {
    return this.byParticipant(() => this.doWithin({ tool: 'select', itemId }, 'user'));
  }

  setQuantity(typeId: string, quantity: number): Promise<void> {
    return this.byParticipant(() =>
      isQuantity(quantity)
        ? this.doWithin({ tool: 'setQuantity', typeId, quantity }, 'user')
        : failed('A quantity is a whole number, 0 or more.'),
    );
  }

  next(): Promise<void> {
    return this.byParticipant(() => this.goForward('user'));
  }

  prev(): Promise<void> {
    return this.byParticipant(() => this.goBack('user'));
  }

  say(text: string): void {
    const message = text.trim();
    if (message === '') return;
    this.publish('user', { messageHistory: this.withUserEntry('input', message.slice(0, kMaxText)) });
  }

  undo(kind: Undo): Promise<void> {
    return this.byParticipant(() => this.doWithin({ tool: 'clearModification', kind }, 'user'));
  }

  // Queues an action behind all others, also if those fail.
  private inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.tail.then(act);
    this.tail = turn.then(
      () => undefined,
      () => undefined,
    );
    return turn;
  }

  private async attempt(act: () => Promise<Done> | Done): Promise<Done> {
    try {
      return await act();
    } catch (error) {
      return failed(reasonOf(error));
    }
  }

  private byParticipant(act: () => Promise<Done> | Done): Promise<void> {
    return this.inTurn(async () => {
      const done = await this.attempt(act);
      const failure = done.ok ? null : done.message;
      if (failure !== this.current.failure) this.publish('user', { failure });
    });
  }

  private publish(source: ChangeSource, change: Partial<HostState>): void {
    const next: HostState = { ...this.current, ...change };
    const shown = next.loading ? null : this.run;
    next.uiSpec = shown && this.specNow(shown);
    next.toolSchema = this.toolsNow(shown, next.booking !== null);
    if (next.uiSpec !== null) next.messageHistory = withLiveSpec(next.messageHistory, next.uiSpec);
    this.current = next;
    for (const listener of [...this.listeners]) this.tell(listener, next, source);
  }

  // An error of a listener is reported to the page and does not fail the action.
  private tell(listener: Listener, state: HostState, source: ChangeSource): void {
    try {
      listener(state, source);
    } catch (error) {
      queueMicrotask(() => {
        throw error;
      });
    }
  }

  // Unchanged parts stay the same objects, so that watchers can compare identities.
  private specNow(run: StageRun): UiSpec {
    const { made, choices } = this;
    if (made?.run === run && made.choices === choices) return made.spec;
    this.made = { run, choices, spec: specOf(run, choices) };
    return this.made.spec;
  }

  private toolsNow(run: StageRun | null, confirmed: boolean): ToolDescription[] {
    const now = toolSchemaOf(run, confirmed, this.options.tools);
    const known = [this.current.toolSchema, this.offered].find(
      (before) => now.length === before.length && now.every((tool, index) => tool === before[index]),
    );
    // Kept while a stage loads: if that fails, the previous stage is shown again.
    if (run !== null) this.offered = known ?? now;
    return known ?? now;
  }

  private withUserEntry(action: UserEntry['action'], label: string) {
    return withUser(this.current.messageHistory, this.stage, action, label, this.stamp);
  }

  private addAgentText(text: string): void {
    const messageHistory = withAgent(this.current.messageHistory, this.stage, text, this.stamp);
    this.publish('host', { messageHistory });
  }

  private async load(stage: Stage, choices: BookingSoFar, source: ChangeSource): Promise<StageRun> {
    if (!this.current.loading) this.publish(source, { loading: true });
    return loadStage(stage, choices, this.backend, localDay(this.stamp.now()));
  }

  private async loadFirst(): Promise<void> {
    try {
      this.enter(await this.load('movie', {}, 'host'), {}, 'host', {});
    } catch (error) {
      this.publish('host', { loading: false, failure: reasonOf(error) });
    }
  }

  // Shows the new stage with its entry in the history, together with `change`.
  private enter(run: StageRun, choices: BookingSoFar, source: ChangeSource, change: Partial<HostState>): void {
    this.run = run;
    this.choices = choices;
    this.stage = run.stage;
    const before = change.messageHistory ?? this.current.messageHistory;
    const messageHistory = withSystem(before, this.specNow(run), this.stamp);
    this.publish(source, { loading: false, failure: null, ...change, messageHistory });
  }

  private doTool(toolName: string, params: unknown): Promise<Done> | Done {
    if (toolName === '') {
      return { ok: false, code: 'INVALID_PARAMS', message: 'tool.call requires payload.toolName' };
    }
    const allowed = this.options.tools?.includes(toolName) ?? true;
    if (!isToolName(toolName) || !allowed) {
      return { ok: false, code: 'UNKNOWN_TOOL', message: `There is no tool "${toolName}".` };
    }
    if (this.run === null && toolName !== 'postMessage') {
      return { ok: false, code: 'NO_ACTIVE_SPEC', message: 'No stage is shown at the moment.' };
    }
    if (this.run !== null && !belongsTo(this.run.stage, toolName)) {
      const message = `The tool "${toolName}" is not offered in the stage ${this.run.stage}.`;
      return { ok: false, code: 'UNKNOWN_TOOL', message };
    }
    const parsed = parseToolParams(toolName, params);
    return parsed.ok ? this.doAct(parsed.act) : { ok: false, code: 'INVALID_PARAMS', message: parsed.message };
  }

  private doAct(act: ToolAct): Promise<Done> | Done {
    switch (act.tool) {
      case 'next':
        return this.goForward('host');
      case 'prev':
        return this.goBack('host');
      case 'postMessage':
        this.addAgentText(act.text);
        return kDone;
      default:
        return this.doWithin(act, 'host');
    }
  }

  private doWithin(act: ToolAct, source: ChangeSource): Done {
    const { run } = this;
    if (run === null) return failed('No stage is shown at the moment.');
    if (act.tool === 'select' || act.tool === 'setQuantity') {
      if (!belongsTo(run.stage, act.tool)) return failed(`Nothing can be chosen so in the stage ${run.stage}.`);
    }
    const result = applyWithin(run, act);
    if (!result.ok) return result;
    this.run = result.run;
    if (run.stage === 'ticket') this.choices = { ...this.choices, tickets: ticketsOf(result.run) };
    this.publish(source, source === 'user' ? { failure: null } : {});
    return kDone;
  }

  private async goForward(source: ChangeSource): Promise<Done> {
    const { run } = this;
    if (run === null) return failed('No stage is shown at the moment.');
    if (this.current.booking !== null) return failed('The booking is already confirmed.');
    if (!isComplete(run)) return failed(incompleteReason(run));
    const following = stageAfter(run.stage);
    if (following === undefined) return this.book(run, source);
    return this.move(following, chosenBy(run, this.choices), source, 'select', labelOfChoice(run));
  }

  private async goBack(source: ChangeSource): Promise<Done> {
    const { run } = this;
    if (run === null) return failed('No stage is shown at the moment.');
    const before = stageBefore(run.stage);
    if (before === undefined) return failed('This is the first stage.');
    return this.move(before, upTo(before, this.choices), source, 'back', 'Back');
  }

  // Moves to another stage. If loading fails, nothing changes.
  private async move(
    stage: Stage,
    choices: BookingSoFar,
    source: ChangeSource,
    action: UserEntry['action'],
    label: string,
  ): Promise<Done> {
    try {
      const run = await this.load(stage, choices, source);
      const messageHistory = this.withUserEntry(action, label);
      this.enter(run, choices, source, { booking: null, messageHistory });
      return kDone;
    } catch (error) {
      this.publish(source, { loading: false });
      return failed(reasonOf(error));
    }
  }

  private async book(run: StageRun, source: ChangeSource): Promise<Done> {
    const { showing, selectedSeats = [], tickets = [] } = this.choices;
    const customer = this.options.customer ?? { name: 'Guest', email: 'guest@example.com' };
    try {
      const booking = await this.backend.book({
        showingId: showing?.id ?? '',
        seats: selectedSeats.map((seat) => seat.id),
        tickets: tickets.map(({ ticketTypeId, quantity }) => ({ ticketTypeId, quantity })),
        customerName: customer.name,
        customerEmail: customer.email,
      });
      const confirmed = { bookingId: booking.id, status: booking.status, totalPrice: booking.totalPrice };
      this.run = { ...run, meta: { ...run.meta, ...confirmed } };
      const messageHistory = this.withUserEntry('select', 'Booking Confirmed!');
      this.publish(source, { failure: null, booking, messageHistory });
      return kDone;
    } catch (error) {
      return failed(refusedText(error, this.choices));
    }
  }
}

export function createHostEngine(backend: BookingBackend, options: HostOptions = {}): HostEngine {
  return new Engine(backend, options);
}
