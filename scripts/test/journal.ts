import { appendFileSync } from "node:fs";

/** The environment variable with the path that `journal-reporter.ts` writes to. */
export const journalVariable = "SVC_TEST_JOURNAL";

/**
 * A line of JSON that a vitest project writes while it runs. The journal shows progress, and keeps the results when the run has to be
 * ended. Times are in milliseconds.
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
  /** `fault` is an error outside its tests: the file could not be loaded, or a hook failed. */
  | {
      readonly kind: "file";
      readonly file: string;
      readonly state: string;
      readonly ms: number;
      readonly fault?: string | undefined;
    }
  /** The run has ended. Its errors belong to no test. */
  | { readonly kind: "over"; readonly errors: readonly string[] };

export function appendLine(file: string, line: JournalLine): void {
  appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** The lines of a journal, without an incomplete last line. */
export function readLines(text: string): JournalLine[] {
  return text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as JournalLine];
    } catch {
      return [];
    }
  });
}

/** Tests that started and did not end; for a file without such tests, the file. */
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
