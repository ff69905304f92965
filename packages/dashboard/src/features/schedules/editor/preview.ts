import { type Cadence, CadenceError, compileCadence, describeCadence } from "@svc/cadence";

export interface Preview {
  /** In words; null if the cadence is refused. */
  description: string | null;
  /** The next runs in milliseconds since 1970, in order. */
  runs: number[];
  /** Runs within the next day by the start of their quarter of an hour; null if there are too many to count. */
  quarters: Map<number, number> | null;
  refusal: { field: "kind" | "expression" | "timezone"; message: string } | null;
}

/** More than are shown, for an example of what happens after downtime. */
export const previewedRuns = 20;

const quarterMs = 900_000;
const dayMs = 86_400_000;
/** More often than each half a minute. */
const mostInDay = 3_000;

/** The next runs of a cadence that is enabled at `now`, computed as the service does. */
export function previewOf(cadence: { kind: string; expression: string; timezone: string }, now: number): Preview {
  try {
    const compiled = compileCadence(cadence);
    const runs: number[] = [];
    for (let run = compiled.next(now); run !== null && runs.length < previewedRuns; run = compiled.next(run)) {
      runs.push(run);
    }
    return { description: describeCadence(cadence), runs, quarters: quartersOf(compiled, now), refusal: null };
  } catch (error) {
    if (!(error instanceof CadenceError)) throw error;
    const message = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}`;
    return { description: null, runs: [], quarters: null, refusal: { field: error.field, message } };
  }
}

function quartersOf(cadence: Cadence, now: number): Map<number, number> | null {
  const counts = new Map<number, number>();
  let counted = 0;
  for (let run = cadence.next(now); run !== null && run < now + dayMs; run = cadence.next(run)) {
    counted += 1;
    if (counted > mostInDay) return null;
    const start = Math.floor(run / quarterMs) * quarterMs;
    counts.set(start, (counts.get(start) ?? 0) + 1);
  }
  return counts;
}
