import type { TelemetryLoss } from "@svc/protocol";
import type { Clock } from "../../../platform/clock.ts";
import { WriteBehind } from "../../../platform/coalescing/write-behind.ts";
import type { Tx } from "../../../platform/database/database.ts";
import { lockSubject } from "../../../platform/database/dialects/locks.ts";
import { hours, minutes } from "../../../platform/durations.ts";
import { uuidV7 } from "../../../platform/ids.ts";
import type { BrainDatabase, LossIntervalRow, LossMarkRow, Tables } from "../../../schema/tables/index.ts";
import type { AgentIdentity } from "../reads.ts";
import {
  extendInterval,
  findMarks,
  insertInterval,
  lastReportedAt,
  newestInterval,
  upsertMarks,
} from "./losses-store.ts";

/** Cumulative counters of one buffer, or of the adapters of one runtime. */
interface Counters {
  readonly event_records: number;
  readonly other_frames: number;
  readonly capacity: number;
  readonly content: number;
}

interface Report {
  readonly projectId: string;
  readonly agentId: string;
  readonly scope: string;
  counters: Counters;
  at: Date;
  /** When this process last received lower counters; null when it has not. */
  readonly from: Date | null;
}

interface Known {
  readonly counters: Counters;
  at: Date;
  readonly writtenMs: number;
}

export interface LossesDeps {
  readonly database: Pick<BrainDatabase, "write">;
  readonly clock: Pick<Clock, "now">;
  readonly onError: (error: unknown) => void;
}

const writeDelayMs = 250;
const chunkRows = 100;
const maxRemembered = 20_000;
/** How often unchanged counters are written, which bounds the error of a loss's start after a restart. */
const notedEveryMs = minutes(5);
/** Adjacent losses are merged into one row up to this length. */
const longestRowMs = hours(1);

/**
 * Turns the cumulative loss counters of agents into intervals: something was lost between two reports. A report costs one memory lookup
 * unless its counters rose. A failed write is made up for by the next report, because the counters are cumulative.
 */
export class Losses {
  readonly #deps: LossesDeps;
  readonly #known = new Map<string, Known>();
  readonly #waiting: WriteBehind<Report>;

  constructor(deps: LossesDeps) {
    this.#deps = deps;
    this.#waiting = new WriteBehind({
      everyMs: writeDelayMs,
      maxKeys: maxRemembered,
      maxNotes: chunkRows,
      write: (reports) => this.#store(reports),
      onError: deps.onError,
    });
  }

  /** Compares the losses that an agent reports with its previous report. Never throws and never waits. */
  reported(identity: AgentIdentity, at: Date, loss: Partial<TelemetryLoss> | null | undefined): void {
    if (loss === null || loss === undefined) return;
    const { buffer_id, runtime_id, adapter_events } = loss;
    if (buffer_id !== undefined) {
      this.#note(identity, `buffer ${buffer_id}`, at, {
        event_records: loss.event_records ?? 0,
        other_frames: (loss.command_results ?? 0) + (loss.other_frames ?? 0) + (loss.unclassified_frames ?? 0),
        capacity: loss.capacity_evicted_frames ?? 0,
        content: loss.content_rejected_frames ?? 0,
      });
    }
    if (runtime_id !== undefined && adapter_events !== undefined) {
      const event_records = Object.values(adapter_events).reduce((sum, count) => sum + count, 0);
      this.#note(identity, `${adapterScope} ${runtime_id}`, at, { ...nothing, event_records });
    }
  }

  /** Writes the compared reports. */
  flush(): Promise<void> {
    return this.#waiting.flush();
  }

  stop(): Promise<void> {
    return this.#waiting.stop();
  }

  #note(
    { agent_id: agentId, project_id: projectId }: AgentIdentity,
    scope: string,
    at: Date,
    reported: Counters,
  ): void {
    const key = `${agentId} ${scope}`;
    const before = this.#known.get(key);
    const counters = before === undefined ? reported : greatest(before.counters, reported);
    if (before !== undefined && isSame(before.counters, counters) && at.getTime() - before.writtenMs < notedEveryMs) {
      if (at > before.at) before.at = at;
      return;
    }
    const report = this.#waiting.getOrCreate(key, () => ({
      projectId,
      agentId,
      scope,
      counters,
      at,
      from: before?.at ?? null,
    }));
    if (report === undefined) return;
    report.counters = greatest(report.counters, counters);
    if (at > report.at) report.at = at;
  }

  #remember(report: Report): void {
    const key = keyOf(report);
    this.#known.delete(key);
    if (this.#known.size >= maxRemembered) this.#known.delete(this.#known.keys().next().value as string);
    this.#known.set(key, { counters: report.counters, at: report.at, writtenMs: report.at.getTime() });
  }

  async #store(reports: readonly Report[]): Promise<void> {
    await this.#deps.database.write(async (tx) => {
      // Two processes that receive reports of one buffer must not count a loss twice.
      await lockSubject(tx, "agent-losses");
      const marks = await marksOf(tx, reports);
      const next: LossMarkRow[] = [];
      for (const report of reports) {
        const mark = marks.get(keyOf(report));
        const stored = mark === undefined ? nothing : (JSON.parse(mark.counters) as Counters);
        const lost = difference(report.counters, stored);
        if (!isSame(lost, nothing)) {
          const earlier = mark?.seen_at ?? (await lastReportedAt(tx, report.agentId));
          await this.#addLoss(tx, report, { lost, from: latest(earlier, report.from, report.at) });
        }
        next.push({
          agent_id: report.agentId,
          scope: report.scope,
          counters: JSON.stringify(greatest(stored, report.counters)),
          seen_at: mark !== undefined && mark.seen_at > report.at ? mark.seen_at : report.at,
        });
      }
      await upsertMarks(tx, next);
    });
    for (const report of reports) this.#remember(report);
  }

  async #addLoss(
    tx: Tx<Tables>,
    { projectId, agentId, scope, at }: Report,
    { lost, from }: { lost: Counters; from: Date },
  ): Promise<void> {
    const { event_records, other_frames } = lost;
    if (event_records === 0 && other_frames === 0) return;
    const reason = reasonOf(scope, lost);
    const last = await newestInterval(tx, agentId, reason);
    if (last !== undefined && last.to_at >= from && at.getTime() - last.from_at.getTime() <= longestRowMs) {
      const counts = {
        event_records: last.event_records + event_records,
        other_frames: last.other_frames + other_frames,
      };
      return extendInterval(tx, { ...last, ...counts, to_at: at > last.to_at ? at : last.to_at });
    }
    const row: LossIntervalRow = {
      id: uuidV7(this.#deps.clock),
      project_id: projectId,
      agent_id: agentId,
      reason,
      from_at: from,
      to_at: at,
      event_records,
      other_frames,
    };
    await insertInterval(tx, row);
  }
}

const adapterScope = "runtime";
const nothing: Counters = { event_records: 0, other_frames: 0, capacity: 0, content: 0 };

const keyOf = ({ agentId, scope }: Pick<Report, "agentId" | "scope">): string => `${agentId} ${scope}`;

async function marksOf(tx: Tx<Tables>, reports: readonly Report[]): Promise<Map<string, LossMarkRow>> {
  const rows = await findMarks(
    tx,
    [...new Set(reports.map(({ agentId }) => agentId))],
    [...new Set(reports.map(({ scope }) => scope))],
  );
  return new Map(rows.map((row) => [keyOf({ agentId: row.agent_id, scope: row.scope }), row]));
}

const combine = (a: Counters, b: Counters, of: (a: number, b: number) => number): Counters => ({
  event_records: of(a.event_records, b.event_records),
  other_frames: of(a.other_frames, b.other_frames),
  capacity: of(a.capacity, b.capacity),
  content: of(a.content, b.content),
});
const greatest = (a: Counters, b: Counters): Counters => combine(a, b, Math.max);
const difference = (now: Counters, before: Counters): Counters => combine(now, before, (a, b) => Math.max(0, a - b));
const isSame = (a: Counters, b: Counters): boolean =>
  a.event_records === b.event_records &&
  a.other_frames === b.other_frames &&
  a.capacity === b.capacity &&
  a.content === b.content;

/** The later of the two starts, but not after the end. */
function latest(earlier: Date | undefined, from: Date | null, at: Date): Date {
  const begins = Math.max(earlier?.getTime() ?? Number.NEGATIVE_INFINITY, from?.getTime() ?? Number.NEGATIVE_INFINITY);
  return new Date(Math.min(Number.isFinite(begins) ? begins : at.getTime(), at.getTime()));
}

/** The reason of the interval: the one with the greater frame counter. */
function reasonOf(scope: string, { capacity, content }: Counters): LossReason {
  if (scope.startsWith(`${adapterScope} `)) return "adapter";
  if (capacity === 0 && content === 0) return "unknown";
  return capacity >= content ? "capacity" : "content";
}

export const lossReasons = ["capacity", "content", "adapter", "unknown"] as const;
export type LossReason = (typeof lossReasons)[number];
