import { relative } from "node:path";
import type { Reporter, TestCase, TestModule } from "vitest/node";
import { appendLine, journalVariable } from "./journal.ts";

const fileOf = ({ moduleId }: TestModule) => relative(process.cwd(), moduleId);

/** Writes the journal of a run. */
export default class JournalReporter implements Reporter {
  readonly #journal = process.env[journalVariable] ?? "/dev/null";

  onTestModuleStart(module: TestModule): void {
    appendLine(this.#journal, { kind: "file begun", file: fileOf(module) });
  }

  onTestCaseReady(test: TestCase): void {
    appendLine(this.#journal, { kind: "test begun", file: fileOf(test.module), test: test.fullName });
  }

  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    const note = result.state === "skipped" ? result.note : undefined;
    appendLine(this.#journal, {
      kind: "test",
      project: test.project.name,
      file: fileOf(test.module),
      test: test.fullName,
      state: result.state,
      note,
    });
  }

  onTestModuleEnd(module: TestModule): void {
    const { duration, collectDuration } = module.diagnostic();
    const [fault] = module.errors();
    appendLine(this.#journal, {
      kind: "file",
      file: fileOf(module),
      state: module.state(),
      ms: duration + collectDuration,
      fault: fault?.message,
    });
  }

  onTestRunEnd(_modules: unknown, errors: readonly { readonly name?: string; readonly message: string }[]): void {
    const texts = errors.map(({ name = "Error", message }) => `${name}: ${message}`);
    appendLine(this.#journal, { kind: "over", errors: texts });
  }
}
