import { setImmediate } from "node:timers/promises";
import type { Tx } from "../../../platform/database/database.ts";
import { days } from "../../../platform/durations.ts";
import type { AuditLogRow, BrainDatabase, Tables } from "../../../schema/tables/index.ts";
import { type AppendContext, chainRows, changeChain } from "../chain/append.ts";
import { ChainIntegrityError, type ChainPoint, type ChainState, openState } from "../chain/chain.ts";
import { type AuditEntry, prepareEntry } from "../chain/entry.ts";
import { deleteUpTo, readState } from "../chain/store.ts";
import { createChainWalk } from "../verification/walk.ts";
import { rowsAfter } from "../verification/walk-reads.ts";

const pageRows = 500;

export interface RetentionSettings {
  readonly SVC_AUDIT_RETENTION_DAYS: number;
  readonly SVC_AUDIT_RETENTION_BY_CLASS: Readonly<Record<string, number>>;
}

/** Whether a row may be removed; the oldest one that must stay ends the sweep. */
export type MayGo = (row: Pick<AuditLogRow, "action" | "occurred_us">) => boolean;

/** The first dotted part of an action, which selects its retention. */
const classOf = (action: string): string => action.split(".", 1)[0]!;

/** Rows older than the retention of their class, counted back from `base` (packages/brain/src/platform/retention.ts). */
export function pastRetention(settings: RetentionSettings, base: Date): MayGo {
  const byClass = new Map(Object.entries(settings.SVC_AUDIT_RETENTION_BY_CLASS));
  return ({ action, occurred_us }) => {
    const keptMs = days(byClass.get(classOf(action)) ?? settings.SVC_AUDIT_RETENTION_DAYS);
    return occurred_us < (base.getTime() - keptMs) * 1000;
  };
}

/** Rows before an instant chosen by the operator; classes with their own retention are kept. */
export function before(instant: Date, settings: RetentionSettings, base: Date): MayGo {
  const isPast = pastRetention(settings, base);
  return (row) =>
    row.occurred_us < instant.getTime() * 1000 &&
    (!Object.hasOwn(settings.SVC_AUDIT_RETENTION_BY_CLASS, classOf(row.action)) || isPast(row));
}

interface Prefix {
  readonly removed: number;
  readonly last: ChainPoint | null;
  readonly keyCounts: ReadonlyMap<string, number>;
  /** Whether the sweep ended here: no more rows, or a row that must stay. */
  readonly isEnd: boolean;
}

/**
 * Removes the oldest removable rows, at most `maxRows`, and moves the prune point with them, in one transaction. They are verified before
 * removal: a chain that was tampered with keeps its evidence.
 *
 * @param entryOf the row to write in the same transaction, given the number of rows removed; null writes none.
 * @returns the number removed, and whether nothing more can be removed.
 * @throws ChainIntegrityError when a row to be removed, or the state, is not what was signed.
 */
export async function pruneOnce(
  database: BrainDatabase,
  context: AppendContext,
  { mayGo, maxRows, entryOf }: { mayGo: MayGo; maxRows: number; entryOf?: (removed: number) => AuditEntry | null },
): Promise<{ removed: number; isEnd: boolean }> {
  const sealed = await readState(database.read);
  if (sealed === undefined) return { removed: 0, isEnd: true };
  const planned = openState(sealed, context.keys);
  const prefix = await findPrefix(database, { state: planned, context }, { mayGo, maxRows });
  const entry = entryOf?.(prefix.removed) ?? null;
  if (prefix.removed === 0 && entry === null) return { removed: 0, isEnd: true };
  const move = async (tx: Tx<Tables>) => {
    // Before the state is locked: transactions that change rows (a user's deletion) lock the rows first and the state last, and so does
    // this.
    const deleted = prefix.last === null ? 0 : await deleteUpTo(tx, prefix.last);
    await changeChain(tx, context, (state, nowMicros) => {
      const isSame = state.generation === planned.generation && state.prune?.row_hmac === planned.prune?.row_hmac;
      if (!isSame || deleted !== prefix.removed) throw new ConcurrentPrune();
      const pruned = withoutPrefix(state, prefix);
      const entries = entry === null ? [] : [prepareEntry(entry)];
      return chainRows(pruned, entries, { ...context, nowMicros });
    });
  };
  await database.write(move, { alone: true });
  return { removed: prefix.removed, isEnd: prefix.isEnd };
}

/** Another process moved the prune point first; nothing was changed, and the next attempt starts from the new point. */
export class ConcurrentPrune extends Error {
  constructor() {
    super("the audit log is being pruned by another process");
    this.name = "ConcurrentPrune";
  }
}

async function findPrefix(
  { slow }: Pick<BrainDatabase, "slow">,
  { state, context }: { state: ChainState; context: AppendContext },
  { mayGo, maxRows }: { mayGo: MayGo; maxRows: number },
): Promise<Prefix> {
  const walk = createChainWalk(state, context.keys);
  const ended = (last: AuditLogRow | null, isEnd: boolean): Prefix => ({
    removed: walk.rows,
    last: last && { row_hmac: last.row_hmac, key_id: last.hmac_key_id, occurred_us: last.occurred_us, id: last.id },
    keyCounts: walk.keyCounts,
    isEnd,
  });
  let last: AuditLogRow | null = null;
  while (walk.rows < maxRows) {
    const wanted = Math.min(pageRows, maxRows - walk.rows);
    const page: AuditLogRow[] = await rowsAfter(slow, last, wanted);
    for (const row of page) {
      // A row written after the state was read is left for the next round.
      if (!mayGo(row) || walk.rows === state.active_row_count) return ended(last, true);
      const fault = walk.next(row);
      if (fault !== null)
        throw new ChainIntegrityError(`row ${row.id} cannot be removed: its ${fault.reason} is wrong`);
      last = row;
    }
    if (page.length < wanted) return ended(last, true);
    await setImmediate();
  }
  return ended(last, false);
}

function withoutPrefix(state: ChainState, { removed, last, keyCounts }: Prefix): ChainState {
  if (last === null) return state;
  const counts = Object.entries(state.active_key_counts).map(
    ([id, count]) => [id, count - (keyCounts.get(id) ?? 0)] as const,
  );
  return {
    ...state,
    prune: last,
    active_row_count: state.active_row_count - removed,
    active_key_counts: Object.fromEntries(counts.filter(([, count]) => count > 0)),
  };
}
