import { cutCharacters } from "@svc/protocol";
import { hours, minutes } from "../../../platform/durations.ts";
import type { CounterDeltaRow } from "../../../schema/tables/index.ts";
import { addToHistogram, encodeHistogram, type Histogram } from "./histogram.ts";

/**
 * Changes of counters, collected for one transaction and appended as rows of `counter_deltas`. Counter rows themselves are never updated
 * there, because all writers of a project would then wait for one another; fold-counters.ts applies the changes.
 */
export interface CountedEvent {
  readonly projectId: string;
  readonly engine: string;
  /** Name and queue of its task; empty when the event has no task. */
  readonly name: string;
  readonly queue: string;
  /** Empty when the event names no worker. */
  readonly worker: string;
  readonly kind: string;
  /** occurred_at in milliseconds. */
  readonly at: number;
  /** Milliseconds; null when not reported. */
  readonly runMs: number | null;
  readonly waitMs: number | null;
}

/** A row of `counter_deltas` without its number; the instant is in milliseconds. */
export type DeltaRow = Omit<CounterDeltaRow, "seq" | "bucket_at"> & { readonly bucket_at: number | null };

const minuteMs = minutes(1);
const hourMs = hours(1);
/** Keeps the widest possible key of a rollup row within PostgreSQL's limit for an index entry. */
export const nameCharacters = 256;
/**
 * The maximum that one run adds to a sum: 25 days, so that the sums of millions of events stay safe integers. Larger sums could not be read back,
 * which would block the counters.
 */
const largestSummedMs = 2_147_483_647;

interface Gathered {
  readonly row: DeltaRow;
  run: Histogram | null;
  wait: Histogram | null;
}

/** Nested maps: a lookup per part is cheaper than building a combined key for every event. */
function createNested<Value>() {
  const cells = new Map<string, Map<string, Map<string, Map<number, Value>>>>();
  /** The values under three texts, by number. */
  return (first: string, second: string, third: string): Map<number, Value> => {
    let bySecond = cells.get(first);
    if (bySecond === undefined) {
      bySecond = new Map();
      cells.set(first, bySecond);
    }
    let byThird = bySecond.get(second);
    if (byThird === undefined) {
      byThird = new Map();
      bySecond.set(second, byThird);
    }
    let byNumber = byThird.get(third);
    if (byNumber === undefined) {
      byNumber = new Map();
      byThird.set(third, byNumber);
    }
    return byNumber;
  };
}

type Nested<Value> = ReturnType<typeof createNested<Value>>;

interface CounterScope {
  readonly projectId: string;
  readonly engine: string;
  /** By name, queue, kind and minute. */
  readonly rollups: Nested<Gathered>;
  /** By worker, kind, an empty text and hour. */
  readonly workers: Nested<DeltaRow>;
}

export function createDeltas() {
  const scopes: CounterScope[] = [];
  const rollups: Gathered[] = [];
  const others: DeltaRow[] = [];
  const states = new Map<string, DeltaRow>();
  let scope: CounterScope | null = null;

  function scopeOf(projectId: string, engine: string): CounterScope {
    if (scope?.projectId !== projectId || scope.engine !== engine) scope = knownScope(projectId, engine);
    return scope;
  }

  function knownScope(projectId: string, engine: string): CounterScope {
    const known = scopes.find((each) => each.projectId === projectId && each.engine === engine);
    if (known !== undefined) return known;
    const added = { projectId, engine, rollups: createNested<Gathered>(), workers: createNested<DeltaRow>() };
    scopes.push(added);
    return added;
  }

  function gatheredOf({ projectId, engine, name, queue, kind }: CountedEvent, minute: number): Gathered {
    const byMinute = scopeOf(projectId, engine).rollups(name, queue, kind);
    let gathered = byMinute.get(minute);
    if (gathered === undefined) {
      const row: DeltaRow = {
        ...emptyRow,
        project_id: projectId,
        counter: "rollup",
        bucket_at: minute * minuteMs,
        engine,
        name: cutCharacters(name, nameCharacters),
        queue,
        kind,
      };
      gathered = { row, run: null, wait: null };
      byMinute.set(minute, gathered);
      rollups.push(gathered);
    }
    return gathered;
  }

  function countWorker({ projectId, engine, worker, kind, at }: CountedEvent): void {
    const hour = Math.floor(at / hourMs);
    const byHour = scopeOf(projectId, engine).workers(worker, kind, "");
    let row = byHour.get(hour);
    if (row === undefined) {
      row = { ...emptyRow, project_id: projectId, counter: "worker", bucket_at: hour * hourMs, engine, worker, kind };
      byHour.set(hour, row);
      others.push(row);
    }
    row.count += 1;
  }

  return {
    countEvent(event: CountedEvent) {
      const { at, runMs, waitMs } = event;
      const gathered = gatheredOf(event, Math.floor(at / minuteMs));
      gathered.row.count += 1;
      if (runMs !== null) {
        gathered.row.run_ms_sum += Math.min(runMs, largestSummedMs);
        gathered.row.run_count += 1;
        gathered.run ??= new Map();
        addToHistogram(gathered.run, runMs);
      }
      if (waitMs !== null) {
        gathered.wait ??= new Map();
        addToHistogram(gathered.wait, waitMs);
      }
      if (event.worker !== "") countWorker(event);
    },
    /** `by` more rows of a project are in `state` (fewer when negative). */
    countState(projectId: string, state: string, by: number) {
      const key = state + projectId;
      let row = states.get(key);
      if (row === undefined) {
        row = { ...emptyRow, project_id: projectId, counter: "state", kind: state };
        states.set(key, row);
        others.push(row);
      }
      row.count += by;
    },
    /** One row per counter that changed. */
    rows(): DeltaRow[] {
      for (const { row, run, wait } of rollups) {
        if (run !== null) row.run_histogram = encodeHistogram(run);
        if (wait !== null) row.wait_histogram = encodeHistogram(wait);
      }
      return [...rollups.map(({ row }) => row), ...others.filter(({ count }) => count !== 0)];
    },
  };
}

/** A change of zero. */
export const emptyRow = {
  project_id: "",
  bucket_at: null,
  engine: "",
  name: "",
  queue: "",
  worker: "",
  kind: "",
  count: 0,
  run_ms_sum: 0,
  run_count: 0,
  run_histogram: null,
  wait_histogram: null,
};
