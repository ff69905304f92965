import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { checkDocuments } from "./check-docs.ts";
import { deadPaths } from "./docs/paths.ts";

describe("checkDocuments", () => {
  test("finds nothing when all files match the generated text", async () => {
    const root = await folderWith({ "a.md": "one\ntwo\n" });
    expect(await checkDocuments(root, [{ path: "a.md", generate: () => "one\ntwo\n" }])).toEqual([]);
  });

  test("names the first line that differs", async () => {
    const root = await folderWith({ "a.md": "one\nold\n", "b.md": "one\n" });
    const documents = [
      { path: "a.md", generate: () => "one\nnew\n" },
      { path: "b.md", generate: async () => "one\ntwo\n" },
    ];
    expect(await checkDocuments(root, documents)).toEqual([
      { path: "a.md", line: 2 },
      { path: "b.md", line: 2 },
    ]);
    expect(await readFile(join(root, "a.md"), "utf8")).toBe("one\nold\n");
  });

  test("reports a missing file and writes it on request", async () => {
    const root = await folderWith({});
    const documents = [{ path: "docs/states/task.md", generate: () => "states\n" }];
    expect(await checkDocuments(root, documents)).toEqual([{ path: "docs/states/task.md", line: 0 }]);

    await checkDocuments(root, documents, { write: true });

    expect(await checkDocuments(root, documents)).toEqual([]);
  });
});

describe("deadPaths", () => {
  test("finds broken links and broken paths in code marks", async () => {
    const root = await folderWith({
      "README.md":
        "[a](docs/a.md) [web](https://example.org/x) [here](#below)\n## Below\n![shot](docs/images/missing.png)",
      "docs/a.md": "[up](../README.md) [side](b.md) `packages/agent/src/missing.ts` `packages/*/src` `npm run docs`",
      "docs/b.md": "`docs/a.md`",
    });
    expect(deadPaths(root)).toEqual([
      { document: "README.md", line: 3, path: "docs/images/missing.png" },
      { document: "docs/a.md", line: 1, path: "packages/agent/src/missing.ts" },
    ]);
  });

  test("finds links to headings that a page does not have", async () => {
    const root = await folderWith({
      "README.md":
        "[a](docs/a.md#the-run_time-of-a-task) [b](docs/a.md#steps-1) [c](docs/a.md#steps-2) [d](#top) [e](#e)",
      "docs/a.md":
        "# A\n## The `run_time` of a [task](b.md)\n### Steps\n### Steps\n```sh\n# in code\n```\n[x](#in-code)",
      "docs/b.md": "# Top",
    });
    expect(deadPaths(root)).toEqual([
      { document: "README.md", line: 1, path: "docs/a.md#steps-2" },
      { document: "README.md", line: 1, path: "README.md#top" },
      { document: "README.md", line: 1, path: "README.md#e" },
      { document: "docs/a.md", line: 8, path: "docs/a.md#in-code" },
    ]);
  });

  test("finds partial source paths that match no source", async () => {
    const root = await folderWith({
      "docs/a.md":
        "`features/audit/missing.test.ts` `audit/routes.ts` `features/audit/routes.ts` `dit/routes.ts` `routes.ts`",
      "packages/brain/ROUTES.md":
        "| `platform/missing.ts` | `test/flows/kill.test.ts` | `/setup/page.ts` | `features/*.ts` |",
      "packages/brain/src/features/audit/routes.ts": "",
      "packages/brain/test/flows/kill.test.ts": "",
      "packages/brain/node_modules/other/platform/missing.ts": "",
    });
    expect(deadPaths(root)).toEqual([
      { document: "docs/a.md", line: 1, path: "features/audit/missing.test.ts" },
      { document: "docs/a.md", line: 1, path: "dit/routes.ts" },
      { document: "packages/brain/ROUTES.md", line: 1, path: "platform/missing.ts" },
    ]);
  });
});

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "svc-docs-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), content);
  }
  return root;
}
