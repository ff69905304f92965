import { chmod, lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { BenchRow } from "../harness/suite.ts";
import { type Attack, type AttackContext, none } from "./attack.ts";
import { startService } from "./service.ts";

async function looseFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = [folder, ...entries.map((entry) => join(entry.parentPath, entry.name))];
  const loose: string[] = [];
  for (const path of paths) {
    const { mode } = await lstat(path);
    if ((mode & 0o077) !== 0) loose.push(`${path} ${(mode & 0o777).toString(8)}`);
  }
  return loose;
}

async function runFiles(context: AttackContext): Promise<BenchRow[]> {
  const home = join(context.scratchDir, "home");
  const umask = process.umask(0);
  let first: string[];
  try {
    const service = await startService({ home });
    first = await looseFiles(home);
    await service.stop();
  } finally {
    process.umask(umask);
  }
  for (const name of await readdir(home)) await chmod(join(home, name), 0o666);
  await chmod(home, 0o777);
  const again = await startService({ home, agents: 0 });
  const second = await looseFiles(home);
  await again.stop();
  for (const path of [...first, ...second]) context.log(`open to others: ${path}`);
  return [
    none("files and folders open to others after a start with umask 000", first.length, "paths"),
    none("the same after a restart with loosened modes", second.length, "paths"),
  ];
}

export const attack: Attack = {
  name: "files",
  about: "modes of all files and folders in SVC_HOME",
  requirement: "H6: files 0600 and folders 0700, corrected at the start",
  run: runFiles,
};
