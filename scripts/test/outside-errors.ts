import { writeFileSync } from "node:fs";
import type { Reporter } from "vitest/node";

/** Names the file that the reporter writes. */
export const outsideErrorsVariable = "SVC_TEST_OUTSIDE_ERRORS";

/**
 * Writes the errors that belong to no test, as a JSON array of texts, when a run has ended. Vitest tells of them by its exit code
 * alone, and a process that cannot end has none.
 */
export default class OutsideErrorsReporter implements Reporter {
  onTestRunEnd(_modules: unknown, errors: readonly { readonly name?: string; readonly message: string }[]): void {
    const file = process.env[outsideErrorsVariable];
    const texts = errors.map(({ name = "Error", message }) => `${name}: ${message}`);
    if (file !== undefined) writeFileSync(file, JSON.stringify(texts));
  }
}
