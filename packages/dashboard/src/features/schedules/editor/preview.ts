import { CadenceError, compileCadence, describeCadence } from "@svc/cadence";

export interface Preview {
  /** In words; null if the cadence is refused. */
  description: string | null;
  /** The next runs in milliseconds since 1970, in order. */
  runs: number[];
  refusal: { field: "kind" | "expression" | "timezone"; message: string } | null;
}

/** More than are shown, for an example of what happens after downtime. */
export const previewedRuns = 20;

/** The next runs of a cadence that is enabled at `now`, computed as the service does. */
export function previewOf(cadence: { kind: string; expression: string; timezone: string }, now: number): Preview {
  try {
    const compiled = compileCadence(cadence);
    const runs: number[] = [];
    for (let run = compiled.next(now); run !== null && runs.length < previewedRuns; run = compiled.next(run)) {
      runs.push(run);
    }
    return { description: describeCadence(cadence), runs, refusal: null };
  } catch (error) {
    if (!(error instanceof CadenceError)) throw error;
    const message = `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}`;
    return { description: null, runs: [], refusal: { field: error.field, message } };
  }
}
