import { type BenchRow, note } from "../../harness/suite.ts";
import { all, within } from "../attack.ts";
import type { FloodKind, FloodResult } from "./flood-load.ts";

/**
 * Whether the audit log has all refusals: in separate rows, or in the count of their action in a summary row. Each action is compared
 * with its own floods, so that one action's surplus does not offset another's loss.
 */
export const refusalActions = [
  "agent.auth.bearer_failed",
  "auth.login_failed",
  "auth.password_reset_requested",
] as const;
export type RefusalAction = (typeof refusalActions)[number];

/** The expected audit records of a flood. */
export interface RefusedFlood {
  readonly action: RefusalAction;
  /** Refusals that the audit log must have: all answered ones, or one per source for wrong tokens. */
  readonly refusals: number;
  /** Requests without an answer, which may or may not have been refused. */
  readonly unanswered: number;
}

/** Null for a flood whose refusals are not audited. */
export function refusedFloodOf(
  kind: FloodKind,
  { sent, statuses, refusedBlocks }: Pick<FloodResult, "sent" | "statuses" | "refusedBlocks">,
): RefusedFlood | null {
  const answered = Object.entries(statuses).reduce((sum, [status, count]) => sum + (status === "0" ? 0 : count), 0);
  const unanswered = sent - answered;
  if (kind.startsWith("agent tokens"))
    return { action: "agent.auth.bearer_failed", refusals: refusedBlocks, unanswered };
  if (kind.startsWith("sign-ins")) return { action: "auth.login_failed", refusals: statuses[401] ?? 0, unanswered };
  if (kind === "password resets")
    return { action: "auth.password_reset_requested", refusals: statuses[200] ?? 0, unanswered };
  return null;
}

/** An action's refusals in separate rows, and those counted in summary rows. */
interface Account {
  readonly rows: number;
  readonly suppressed: number;
}
export type RefusalAccounts = Readonly<Record<RefusalAction, Account>>;

/** Reads them directly from the database. */
export async function readAccounts(
  query: (sql: string) => Promise<Record<string, unknown>[]>,
): Promise<RefusalAccounts> {
  const list = refusalActions.map((action) => `'${action}'`).join(", ");
  const counted = await query(`SELECT action, count(*) AS n FROM audit_log WHERE action IN (${list}) GROUP BY action`);
  const summaries = await query("SELECT metadata FROM audit_log WHERE action = 'auth.refusals_suppressed'");
  const kinds = summaries.map(({ metadata }) => JSON.parse(String(metadata)).kinds as Record<string, number>);
  const accountOf = (action: RefusalAction): Account => ({
    rows: Number(counted.find((row) => row.action === action)?.n ?? 0),
    suppressed: kinds.reduce((sum, counts) => sum + (counts[action] ?? 0), 0),
  });
  return Object.fromEntries(refusalActions.map((action) => [action, accountOf(action)])) as RefusalAccounts;
}

const totalOf = ({ rows, suppressed }: Account): number => rows + suppressed;
const sumOf = (floods: readonly RefusedFlood[], figure: "refusals" | "unanswered"): number =>
  floods.reduce((sum, flood) => sum + flood[figure], 0);
const floodsOf = (floods: readonly RefusedFlood[], action: RefusalAction) =>
  floods.filter((flood) => flood.action === action && flood.refusals > 0);

/** Whether all refusals of all actions are recorded. */
export function areAccounted(floods: readonly RefusedFlood[], accounts: RefusalAccounts): boolean {
  return refusalActions.every((action) => totalOf(accounts[action]) >= sumOf(floodsOf(floods, action), "refusals"));
}

/** The difference between two readings. */
export function accountsSince(before: RefusalAccounts, after: RefusalAccounts): RefusalAccounts {
  const added = (action: RefusalAction): Account => ({
    rows: after[action].rows - before[action].rows,
    suppressed: after[action].suppressed - before[action].suppressed,
  });
  return Object.fromEntries(refusalActions.map((action) => [action, added(action)])) as RefusalAccounts;
}

/** The verdict on the floods of a run, per action. */
export function refusalRows(label: string, floods: readonly RefusedFlood[], accounts: RefusalAccounts): BenchRow[] {
  const rows = refusalActions.flatMap((action) => {
    const name = `${label}: ${action}`;
    const own = floodsOf(floods, action);
    const refusals = sumOf(own, "refusals");
    const smallest = own.length === 0 ? 1 : Math.min(...own.map((flood) => flood.refusals));
    const total = totalOf(accounts[action]);
    return [
      all(
        `${name}: of ${refusals} refusals, accounted for by an audit row or a summary row`,
        Math.min(total, refusals),
        "refusals",
        refusals,
      ),
      within(
        `${name}: accounted for beyond them, which could hide the loss of a flood`,
        Math.max(0, total - refusals),
        "refusals",
        smallest - 1,
      ),
      note(`${name}: in audit rows of their own`, accounts[action].rows, "rows"),
      note(`${name}: counted by summary rows`, accounts[action].suppressed, "refusals"),
    ];
  });
  const unanswered = sumOf(floods, "unanswered");
  return [...rows, note(`${label}: requests without an answer`, unanswered, "requests")];
}
