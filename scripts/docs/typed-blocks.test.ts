import { execFile } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { blocksOf } from "./code-blocks.ts";

const root = join(import.meta.dirname, "../..");

/** Declares what a code block takes from the application around it, by page. */
const surroundings: Readonly<Record<string, string>> = {
  "docs/guides/agents.md": `
    import type { EngineAdapter } from "@svc/agent";
    declare const [brainUrl, token, hmacSecret]: [string, string, string];
    declare const adapter: EngineAdapter;`,
  "docs/guides/bullmq.md": "declare const send: () => Promise<void>;",
  "docs/internals/writing-an-adapter.md": `
    import type { CommandOutcome } from "@svc/agent";
    declare const startSite: Parameters<typeof import("@svc/conformance").conformance>[0]["start"];`,
  "docs/reference/bullmq.md": `import type { BullmqOptions } from "@svc/bullmq";`,
};

test("TypeScript in the documentation compiles", async () => {
  const cache = join(root, "node_modules/.cache");
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, "documented-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // The examples import whichever version of BullMQ the application has.
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(join(root, "node_modules/bullmq6"), join(folder, "node_modules/bullmq"));
  // An application is compiled with `strict` and nothing stricter.
  const compilerOptions = { noUnusedLocals: false, exactOptionalPropertyTypes: false };
  writeFileSync(
    join(folder, "tsconfig.json"),
    JSON.stringify({ extends: join(root, "tsconfig.base.json"), compilerOptions, include: ["*.mts"] }),
  );
  const pages = globSync(["*.md", "docs/**/*.md"], { cwd: root, exclude: ["docs/plan/**"] }).sort();
  const blocks = pages.flatMap((page) =>
    blocksOf(readFileSync(join(root, page), "utf8"))
      .filter(({ language }) => language === "ts")
      .map(({ line, lines }) => ({ page, line, text: lines.join("\n") })),
  );
  expect(blocks).not.toEqual([]);
  for (const { page, line, text } of blocks) {
    const name = `${page.replaceAll("/", "-")}-${line}.mts`;
    const body = text.startsWith("return") ? `export function outcome(): CommandOutcome {\n${text}\n}` : text;
    writeFileSync(join(folder, name), `${surroundings[page] ?? ""}\n${body}\nexport {};\n`);
  }
  const compiled = await promisify(execFile)(join(root, "node_modules/.bin/tsc"), ["-p", folder]).catch(
    ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
  );
  expect(compiled).toEqual({ stdout: "", stderr: "" });
});
