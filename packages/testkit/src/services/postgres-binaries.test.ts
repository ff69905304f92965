import { lstat, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { copyPostgresBinaries } from "./postgres-binaries.ts";

describe("copyPostgresBinaries", () => {
  test("creates the library links that are missing after an installation without scripts", async () => {
    const { native, target } = await installation([
      { source: "native/lib/libpq.so.5.18", target: "native/lib/libpq.so.5" },
    ]);

    await copyPostgresBinaries(target, native);

    expect((await lstat(join(target, "lib/libpq.so.5"))).isSymbolicLink()).toBe(true);
    expect(await readFile(join(target, "lib/libpq.so.5"), "utf8")).toBe("library");
  });

  test("makes the programs executable for all accounts and omits static libraries", async () => {
    const { native, target } = await installation([]);

    const bin = await copyPostgresBinaries(target, native);

    expect((await stat(join(bin, "postgres"))).mode & 0o777).toBe(0o755);
    await expect(stat(join(target, "lib/libpq.a"))).rejects.toThrow(/ENOENT/);
  });

  test("rejects a link list that points outside its folder", async () => {
    const { native, target } = await installation([
      { source: "native/lib/libpq.so.5.18", target: "../../elsewhere.so" },
    ]);
    await expect(copyPostgresBinaries(target, native)).rejects.toThrow(/leaves the PostgreSQL folder/);
  });
});

async function installation(links: readonly { source: string; target: string }[]) {
  const root = await mkdtemp(join(tmpdir(), "svc-binaries-"));
  onTestFinished(() => rm(root, { recursive: true, force: true }));
  const native = join(root, "native");
  await mkdir(join(native, "bin"), { recursive: true });
  await mkdir(join(native, "lib"));
  for (const program of ["initdb", "postgres"]) await writeFile(join(native, "bin", program), "", { mode: 0o600 });
  await writeFile(join(native, "lib/libpq.so.5.18"), "library");
  await writeFile(join(native, "lib/libpq.a"), "archive");
  await writeFile(join(native, "pg-symlinks.json"), JSON.stringify(links));
  return { native, target: join(root, "copy") };
}
