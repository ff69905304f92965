import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { commands } from "../src/commands.ts";
import { run } from "../src/run.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Runs one `svc` command in this process, with these SVC_ variables and no others, and a home of its own unless one is given. */
export async function svc(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> {
  const home = env.SVC_HOME ?? (await mkdtemp(join(tmpdir(), "svc-cli-")));
  if (env.SVC_HOME === undefined) onTestFinished(() => rm(home, { recursive: true, force: true }));
  for (const name of Object.keys(process.env)) if (name.startsWith("SVC_")) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries({ ...env, SVC_HOME: home })) vi.stubEnv(name, value);
  const written = { out: "", err: "" };
  try {
    const code = await run(args, commands, {
      out(line) {
        written.out += `${line}\n`;
      },
      err(line) {
        written.err += `${line}\n`;
      },
    });
    return { code, ...written };
  } finally {
    vi.unstubAllEnvs();
  }
}
