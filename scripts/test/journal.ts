import { appendFileSync } from "node:fs";

/** Names the file that `journal-reporter.ts` writes. */
export const journalVariable = "SVC_TEST_JOURNAL";

/**
 * What a vitest project writes while it runs, a line of JSON each: it shows that the run goes on, and what was run is kept when the run
 * has to be ended. Times are in milliseconds.
 */
export type JournalLine =
  | { readonly kind: "file begun"; readonly file: string }
  | { readonly kind: "test begun"; readonly file: string; readonly test: string }
  | {
      readonly kind: "test";
      readonly project: string;
      readonly file: string;
      readonly test: string;
      readonly state: "passed" | "failed" | "skipped" | "pending";
      readonly note?: string | undefined;
    }
  /** `fault` is an error outside of its tests: it could not be loaded, or a hook failed. */
  | {
      readonly kind: "file";
      readonly file: string;
      readonly state: string;
      readonly ms: number;
      readonly fault?: string | undefined;
    }
  /** The run has ended; its errors belong to no test. */
  | { readonly kind: "over"; readonly errors: readonly string[] };

export function appendLine(file: string, line: JournalLine): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** The lines of a journal; what was cut off in the middle of a line is left out. */
export function readLines(text: string): JournalLine[] {
  return text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as JournalLine];
    } catch {
      return [];
    }
  });
}

/** Tests that began and did not end; of a file without such tests, the file. */
export function underWay(lines: readonly JournalLine[]): string[] {
  const files = new Map<string, Set<string>>();
  for (const line of lines) {
    if (line.kind === "file begun") files.set(line.file, new Set());
    if (line.kind === "test begun") files.get(line.file)?.add(line.test);
    if (line.kind === "test") files.get(line.file)?.delete(line.test);
    if (line.kind === "file") files.delete(line.file);
  }
  return [...files].flatMap(([file, tests]) =>
    tests.size === 0 ? [file] : [...tests].map((test) => `${file}: ${test}`),
  );
}
