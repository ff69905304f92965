import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findOrInstall } from "./debian-package.ts";

const isRoot = process.getuid?.() === 0;

/** A folder with a fake apt-get, and a package command whose program appears there. */
async function aptFolder() {
  const folder = await mkdtemp(join(tmpdir(), "svc-apt-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "apt-get"), "#!/bin/sh\n");
  await chmod(join(folder, "apt-get"), 0o755);
  const wanted = (command: string) => ({
    what: "sample-server",
    names: ["svc-sample-server"],
    command: `cd ${folder} && ${command}`,
    boundMs: 60_000,
  });
  return { folder, wanted };
}

const make = "cp apt-get svc-sample-server";
const locked = "echo 'E: Could not get lock /var/lib/apt/lists/lock. It is held by process 7' >&2; exit 100";

test.runIf(isRoot)("waits for another installation that holds the lock", async () => {
  const { folder, wanted } = await aptFolder();
  const command = `if mkdir seen; then ${locked}; else ${make}; fi`;
  expect(await findOrInstall(wanted(command), folder)).toBe(join(folder, "svc-sample-server"));
});

test.runIf(isRoot)("accepts a program that another installation brought in the meantime", async () => {
  const { folder, wanted } = await aptFolder();
  const command = `if mkdir seen; then ${make}; ${locked}; else exit 1; fi`;
  expect(await findOrInstall(wanted(command), folder)).toBe(join(folder, "svc-sample-server"));
});

test.runIf(isRoot)("reports the command immediately for any other failure", async () => {
  const { folder, wanted } = await aptFolder();
  const command = `if mkdir seen; then echo 'E: Unable to locate package' >&2; exit 100; else ${make}; fi`;
  await expect(findOrInstall(wanted(command), folder)).rejects.toThrow(
    /sample-server is missing and apt-get could not install it\. Run: sh -c '.*'/,
  );
});
