import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { enterableRoot, makeServiceFolder, sweepAbandonedFolders } from "./service-folder.ts";

describe("sweepAbandonedFolders", () => {
  test("removes the folder of an ended process and keeps that of a running one", async () => {
    const root = await newRoot();
    const kept = await makeServiceFolder("postgres", root);
    const left = await makeServiceFolder("postgres", root);
    await writeFile(join(left, "owner"), `${process.pid} 1`); // an earlier process that had the same id

    expect(await sweepAbandonedFolders("postgres", [root])).toEqual([left]);
    expect((await readdir(root)).map((name) => join(root, name))).toEqual([kept]);
  });

  test("keeps folders of other services and unknown creators", async () => {
    const root = await newRoot();
    await mkdir(join(root, "svc-postgres-unmarked"));
    await mkdir(join(root, "svc-redis-1"));

    expect(await sweepAbandonedFolders("postgres", [root])).toEqual([]);
    expect(await readdir(root)).toHaveLength(2);
  });
});

describe.runIf(process.getuid?.() === 0)("enterableRoot as root", () => {
  test("skips a folder below one that only its owner may enter", async () => {
    const closed = await newRoot();
    const inside = join(closed, "open");
    await mkdir(inside, { mode: 0o755 });

    expect(enterableRoot(inside)).not.toBe(inside);
    await chmod(closed, 0o755);
    expect(enterableRoot(inside)).toBe(inside);
  });
});

async function newRoot(): Promise<string> {
  const root = await mkdtemp(join(tmpdir(), "svc-folders-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  return root;
}
