import { isRawJson, type Redactor, readCommandResult, redactionMarker } from "@svc/protocol";
import type { Tx } from "../../../platform/database/database.ts";
import { createBatchedWrites } from "../../../platform/database/transactions/batched-writes.ts";
import { storedJson } from "../../../platform/database/values/stored-json.ts";
import { createThrottledLogPerSource } from "../../../platform/throttled-log.ts";
import type { CommandRow, Tables } from "../../../schema/tables/index.ts";
import type { CommandDeps } from "../delivery/claim.ts";
import { findCommand } from "../reads.ts";
import { finish, markAcked } from "./report-store.ts";
import type { EndedCommand } from "./result-signal.ts";

const maxErrorCharacters = 8192;

/** What an agent reported about a command that it received. */
export interface ReportedResult {
  readonly command: CommandRow;
  readonly status: "completed" | "failed";
  /** Only for success; empty when the agent sent none. A failure stores whether its outcome is unknown instead. */
  readonly result: Readonly<Record<string, unknown>>;
  readonly error: string | null;
  /** It changed nothing: the command had already ended, or the result belongs to an earlier delivery. */
  readonly isLate: boolean;
  readonly now: Date;
}

/** Called with a result after its commit; must not throw. */
type ResultListener = (reported: ReportedResult) => void;

/** Runs in the transaction that stores the result. */
export type ResultHandler = (tx: Tx<Tables>, reported: ReportedResult) => Promise<void>;

export interface ReportDeps extends CommandDeps {
  readonly redactor: Pick<Redactor, "redact">;
  /** Called with ended commands after the commit. */
  ended(commands: readonly EndedCommand[]): void;
  /** Called with a result that changed nothing; must not throw. */
  late(command: CommandRow, agentId: string, status: "completed" | "failed"): void;
}

/** Stores an agent's ack and result of a command that it received. */
export function createReports({ database, clock, log, counted, redactor, ended, late }: ReportDeps) {
  const writeBatched = createBatchedWrites(database);
  const handlers = new Map<string, ResultHandler[]>();
  const listeners = new Map<string, ResultListener[]>();
  const lateResult = createThrottledLogPerSource(clock, (results, about) =>
    log.info("commands.late_result", { ...about, results }),
  );
  const tokenOf = (payload: Record<string, unknown>) =>
    typeof payload.delivery_claim_token === "string" ? payload.delivery_claim_token.slice(0, 64) : null;

  function errorOf({ status, error }: Record<string, unknown>): string {
    if (typeof error !== "string" || error === "") {
      return status === "failed" ? "the agent reported no reason" : "the agent's result could not be read";
    }
    return storedText(redactor.redact(error.slice(0, maxErrorCharacters)) as string);
  }

  return {
    async acked(agentId: string, commandId: string, payload: Record<string, unknown>): Promise<void> {
      if (!isUuid(commandId)) return;
      await writeBatched((tx) =>
        markAcked(tx, { id: commandId.toLowerCase(), agentId, token: tokenOf(payload), now: clock.now() }),
      );
    },
    async resulted(agentId: string, commandId: string, payload: Record<string, unknown>): Promise<void> {
      if (!isUuid(commandId)) return;
      const id = commandId.toLowerCase();
      const isSuccess = payload.status === "success";
      const status = isSuccess ? "completed" : "failed";
      const read = readCommandResult(payload);
      const result = isSuccess ? redactResult(read?.result ?? {}, redactor) : {};
      const stored = isSuccess ? result : read?.outcome === "unknown" ? { outcome: read.outcome } : null;
      const error = isSuccess ? null : errorOf(payload);
      const now = clock.now();
      const move = isSuccess ? "report_success" : "report_failure";
      const report = { id, agentId, token: tokenOf(payload), move, error, now } as const;
      const outcome = await writeBatched(async (tx): Promise<ReportedResult | null> => {
        const finished = await finish(tx, { ...report, result: stored === null ? null : storedJson(stored) });
        const command = finished ?? (await findCommand(tx, id));
        if (command === undefined) return null;
        const reported: ReportedResult = { command, status, result, error, isLate: finished === undefined, now };
        if (command.agent_id === agentId) {
          for (const handle of handlers.get(command.action) ?? []) await handle(tx, reported);
        }
        return reported;
      });
      if (outcome === null || outcome.isLate) {
        counted.late(status);
        // Unknown command ids are not audited: an agent could fill the audit log with them.
        if (outcome !== null) late(outcome.command, agentId, status);
        lateResult(agentId, { command_id: id, agent_id: agentId });
      } else {
        counted.moved(outcome.command, status);
        ended([outcome.command]);
      }
      if (outcome?.command.agent_id !== agentId) return;
      for (const listener of listeners.get(outcome.command.action) ?? []) listener(outcome);
    },
    /** Calls `listener` with the same results as `onResult`, but after the commit. */
    onReported(action: string, listener: ResultListener): void {
      listeners.set(action, [...(listeners.get(action) ?? []), listener]);
    },
    /** Calls `handle` with the results of an action from the command's agent, including late ones. It must be idempotent. */
    onResult(action: string, handle: ResultHandler): void {
      handlers.set(action, [...(handlers.get(action) ?? []), handle]);
    },
  };
}

/** PostgreSQL cannot store U+0000. */
const storedText = (text: string): string =>
  text.slice(0, maxErrorCharacters).toWellFormed().replaceAll("\0", "\ufffd");

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);

/** Keys of engine texts inside results. Ids are not redacted, because a redacted id could not be found again. */
const redactedKeys: ReadonlySet<string> = new Set(["error", "exception", "error_excerpt"]);
/** The end of an excerpt is the most useful part. It is cut before redaction. */
const excerptCharacters = 512;
const maxDepth = 64;

/** Redacts the engine texts in a result, as returned by `parseJson`. The agent may have had no rule for them. */
function redactResult(
  result: Readonly<Record<string, unknown>>,
  redactor: Pick<Redactor, "redact">,
): Record<string, unknown> {
  return redacted(result, redactor, 0) as Record<string, unknown>;
}

function redacted(value: unknown, redactor: Pick<Redactor, "redact">, depth: number): unknown {
  if (typeof value !== "object" || value === null || isRawJson(value)) return value;
  if (depth > maxDepth) return redactionMarker;
  if (Array.isArray(value)) return value.map((item) => redacted(item, redactor, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      key,
      typeof member === "string" && redactedKeys.has(key)
        ? redactor.redact(key === "error_excerpt" ? endOf(member) : member)
        : redacted(member, redactor, depth + 1),
    ]),
  );
}

const endOf = (text: string): string =>
  Array.from(text.slice(-2 * excerptCharacters))
    .slice(-excerptCharacters)
    .join("");
