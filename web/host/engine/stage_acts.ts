// Copyright 2026 The Parley Authors
// SPDX-License-Identifier: Apache-2.0
// Actions within a stage: each returns the changed run, or the reason of a refusal. Pure functions; the
// engine moves between stages.
import { itemOf, maxTickets, rawLabel, type StageRun, ticketTotal } from './stage_run';
import { stageForms } from './stages';
import type { ToolAct } from './tool_params';
import type { ErrorCode, Item, Modification, ModificationKind } from '@/stage/ui_spec';
import { passesFilter } from './visible_items';

export interface Refusal {
  ok: false;
  code: ErrorCode;
  message: string;
}
export type ActResult = { ok: true; run: StageRun } | Refusal;

export function failed(message: string): Refusal {
  return { ok: false, code: 'TOOL_EXECUTION_FAILED', message };
}

function modified(run: StageRun, modification: Modification): ActResult {
  return { ok: true, run: { ...run, modification } };
}

// Refuses a field that no row of the stage has: a filter or sort by it would hide or reorder everything.
function unknownField(run: StageRun, tool: string, field: string): Refusal | undefined {
  const { fields } = stageForms[run.stage];
  if (fields.includes(field) || run.items.length === 0) return undefined;
  return {
    ok: false,
    code: 'INVALID_PARAMS',
    message: `${tool} requires "field" to be one of ${fields.join(', ')}`,
  };
}

function noneOf(run: StageRun, ids: readonly string[]): Refusal | undefined {
  if (ids.length === 0 || ids.some((id) => itemOf(run, id))) return undefined;
  return failed(`There is no item "${ids.join('", "')}" in the stage ${run.stage}.`);
}

function isHidden(run: StageRun, item: Item): boolean {
  return run.modification.filter !== undefined && !passesFilter(item, run.modification.filter);
}

// The reason why an item cannot be chosen now; undefined: it can.
function obstacle(run: StageRun, id: string): Refusal | undefined {
  const item = itemOf(run, id);
  if (!item) return failed(`There is no item "${id}" in the stage ${run.stage}.`);
  if (isHidden(run, item)) {
    return failed(`"${rawLabel(run, id)}" is hidden by the filter on ${run.modification.filter?.field ?? ''}.`);
  }
  const reason = run.disabled.get(id);
  return reason === undefined ? undefined : failed(reason);
}

export function select(run: StageRun, id: string): ActResult {
  const refusal = obstacle(run, id);
  if (refusal) return refusal;
  if (run.stage !== 'seat') return { ok: true, run: { ...run, chosen: [id] } };
  const chosen = run.chosen.includes(id) ? run.chosen.filter((each) => each !== id) : [...run.chosen, id];
  return { ok: true, run: { ...run, chosen } };
}

export function setQuantity(run: StageRun, id: string, quantity: number): ActResult {
  const refusal = obstacle(run, id);
  if (refusal) return refusal;
  const others = ticketTotal(run) - (run.counts.get(id) ?? 0);
  const most = maxTickets(run);
  if (others + quantity > most) {
    return failed(
      `${String(others + quantity)} tickets would be more than the ${String(most)} seats chosen:` +
        ` at most ${String(Math.max(0, most - others))} of "${rawLabel(run, id)}" fit.`,
    );
  }
  return { ok: true, run: { ...run, counts: new Map(run.counts).set(id, quantity) } };
}

export function clear(run: StageRun, kind: ModificationKind | 'all'): ActResult {
  if (kind === 'all') return modified(run, {});
  const remaining = { ...run.modification };
  switch (kind) {
    case 'filter':
      delete remaining.filter;
      break;
    case 'sort':
      delete remaining.sort;
      break;
    case 'highlight':
      delete remaining.highlight;
      break;
    case 'augment':
      delete remaining.augment;
  }
  return modified(run, remaining);
}

function highlight(run: StageRun, act: Extract<ToolAct, { tool: 'highlight' }>): ActResult {
  const refusal = noneOf(run, act.itemIds);
  if (refusal) return refusal;
  const entry = act.style ? { itemIds: act.itemIds, style: act.style } : { itemIds: act.itemIds };
  return modified(run, { ...run.modification, highlight: entry });
}

// Appends entries; a later entry replaces earlier ones for the same item.
function augment(run: StageRun, act: Extract<ToolAct, { tool: 'augment' }>): ActResult {
  const refusal = noneOf(
    run,
    act.items.map((item) => item.itemId),
  );
  if (refusal) return refusal;
  const known = act.items.filter((item) => itemOf(run, item.itemId));
  const all = [...(run.modification.augment ?? []), ...known];
  const last = all.filter((entry, index) => all.findLastIndex((each) => each.itemId === entry.itemId) === index);
  return modified(run, { ...run.modification, augment: last });
}

// Applies an action other than next, prev and postMessage.
export function applyWithin(run: StageRun, act: ToolAct): ActResult {
  switch (act.tool) {
    case 'filter': {
      const { field, operator, value } = act;
      return (
        unknownField(run, 'filter', field) ?? modified(run, { ...run.modification, filter: { field, operator, value } })
      );
    }
    case 'sort':
      return (
        unknownField(run, 'sort', act.field) ??
        modified(run, { ...run.modification, sort: { field: act.field, order: act.order } })
      );
    case 'highlight':
      return highlight(run, act);
    case 'augment':
      return augment(run, act);
    case 'clearModification':
      return clear(run, act.kind);
    case 'select':
      return select(run, act.itemId);
    case 'setQuantity':
      return setQuantity(run, act.typeId, act.quantity);
    default:
      return failed(`"${act.tool}" is not done within a stage.`);
  }
}

// The reason why `next` is refused.
export function incompleteReason(run: StageRun): string {
  if (run.stage === 'seat') return 'Choose at least one seat first.';
  if (run.stage === 'ticket') {
    const chosen = String(ticketTotal(run));
    return `Tickets for all ${String(maxTickets(run))} seats are needed, ${chosen} chosen so far.`;
  }
  return `Choose a ${run.stage} first.`;
}
