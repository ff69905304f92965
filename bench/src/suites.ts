import type { BenchSuite } from "./suite.ts";

/** A line of the suite table; the file is loaded only when the suite runs. */
export interface SuiteEntry {
  readonly name: string;
  load(): Promise<BenchSuite>;
}

/** Every suite, in the order of a whole run. */
export const suites: readonly SuiteEntry[] = [
  { name: "verify-frame", load: async () => (await import("./verify-frame.ts")).suite },
  { name: "bullmq-sidecar", load: async () => (await import("./bullmq-sidecar.ts")).suite },
];
