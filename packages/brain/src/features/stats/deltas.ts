import { cutCharacters } from "@svc/protocol";
import { addToHistogram, encodeHistogram, type Histogram } from "./histogram.ts";

/**
 * Changes of counters, gathered for one transaction and appended as rows of `counter_deltas`: a counter row itself is never updated
 * there, because that would make all writers of a project wait for one another. The folder moves them (fold-counters.ts).
 */
export interface CountedEvent {
  readonly projectId: string;
  readonly engine: string;
  /** Name and queue of its task; empty when the event concerns none. */
  readonly name: string;
  readonly queue: string;
  /** Empty when no worker is named. */
  readonly worker: string;
  readonly kind: string;
  /** occurred_at in milliseconds. */
  readonly at: number;
  /** Milliseconds; null when the event tells none. */
  readonly runMs: number | null;
  readonly waitMs: number | null;
}

/** A row of `counter_deltas` without its number; the instant is in milliseconds. */
export interface DeltaRow {
  readonly project_id: string;
  readonly counter: "rollup" | "worker" | "state";
  readonly bucket_at: number | null;
  readonly engine: string;
  readonly name: string;
  readonly queue: string;
  readonly worker: string;
  readonly kind: string;
  count: number;
  run_ms_sum: number;
  run_count: number;
  run_histogram: string | null;
  wait_histogram: string | null;
}

export interface Deltas {
  countEvent(event: CountedEvent): void;
  /** `by` rows more of a project are in `state` (fewer when negative). */
  countState(projectId: string, state: string, by: number): void;
  /** One row per counter that changed. */
  rows(): DeltaRow[];
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** Keeps the widest possible key of a rollup row within what an index entry of the server database can hold. */
const nameCharacters = 256;

interface Gathered {
  readonly row: DeltaRow;
  run: Histogram | null;
  wait: Histogram | null;
}

export function createDeltas(): Deltas {
  const rollups = new Map<string, Gathered>();
  const others = new Map<string, DeltaRow>();

  function countOther(counter: "worker" | "state", key: string, seed: () => Partial<DeltaRow>, by: number): void {
    const known = others.get(key);
    if (known !== undefined) known.count += by;
    else others.set(key, { ...emptyRow, ...seed(), counter, count: by } as DeltaRow);
  }

  return {
    countEvent({ projectId, engine, name, queue, worker, kind, at, runMs, waitMs }) {
      const minute = Math.floor(at / minuteMs);
      const key = `${kind}\0${minute}\0${queue}\0${name}\0${engine}\0${projectId}`;
      let gathered = rollups.get(key);
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
        rollups.set(key, gathered);
      }
      gathered.row.count += 1;
      if (runMs !== null) {
        gathered.row.run_ms_sum += runMs;
        gathered.row.run_count += 1;
        gathered.run ??= new Map();
        addToHistogram(gathered.run, runMs);
      }
      if (waitMs !== null) {
        gathered.wait ??= new Map();
        addToHistogram(gathered.wait, waitMs);
      }
      if (worker === "") return;
      const hour = Math.floor(at / hourMs);
      countOther(
        "worker",
        `${kind}\0${hour}\0${worker}\0${engine}\0${projectId}`,
        () => ({ project_id: projectId, bucket_at: hour * hourMs, engine, worker, kind }),
        1,
      );
    },
    countState(projectId, state, by) {
      countOther("state", `${state}\0${projectId}`, () => ({ project_id: projectId, kind: state }), by);
    },
    rows() {
      const rows: DeltaRow[] = [];
      for (const { row, run, wait } of rollups.values()) {
        if (run !== null) row.run_histogram = encodeHistogram(run);
        if (wait !== null) row.wait_histogram = encodeHistogram(wait);
        rows.push(row);
      }
      for (const row of others.values()) if (row.count !== 0) rows.push(row);
      return rows;
    },
  };
}

const emptyRow = {
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
