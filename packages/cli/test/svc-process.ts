import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "@svc/testkit";
import { builtProgram, plainEnvironment } from "@svc/testkit/built-program";
import { migratedDatabaseUrl, type TestDialect } from "@svc/testkit/databases";
import { onTestFinished } from "vitest";
import type { Ran } from "./in-process.ts";

/** A running `svc` command. */
export interface SvcProcess {
  readonly child: ChildProcess;
  /** The output so far. */
  readonly written: { readonly out: string; readonly err: string };
  /** Waits for the first match in either stream. */
  prints(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Exit code or signal. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** A folder that is removed after the test. */
export async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "svc-cli-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }));
  return folder;
}

/** URL of a database for this home, removed after the test: on PostgreSQL the one of `make`, otherwise a new file in the home. */
export async function databaseFor(home: string, dialect: TestDialect, make = migratedDatabaseUrl): Promise<string> {
  if (dialect === "sqlite") return `sqlite://${join(home, "svc.db")}`;
  const { url, drop } = await make(dialect);
  onTestFinished(drop);
  return url;
}

/** Starts `svc` without the caller's SVC_ environment, and kills it after the test. */
export function startSvc(
  args: readonly string[],
  { cwd, env = {}, input }: { cwd: string; env?: Readonly<Record<string, string>>; input?: string },
): SvcProcess {
  const child = spawn(process.execPath, [builtProgram, ...args], {
    cwd,
    env: { ...plainEnvironment, HOME: cwd, TMPDIR: cwd, ...env },
    stdio: [input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
  });
  child.stdin?.end(input);
  const written = { out: "", err: "" };
  child.stdout?.on("data", (chunk) => {
    written.out += chunk;
  });
  child.stderr?.on("data", (chunk) => {
    written.err += chunk;
  });
  const ended = new Promise<number | NodeJS.Signals>((resolve) => {
    child.once("close", (code, signal) => resolve(code ?? signal ?? 0));
  });
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  return {
    child,
    written,
    ended,
    prints: (pattern) =>
      waitFor(
        () => {
          const found = `${written.out}\n${written.err}`.match(pattern);
          if (found === null) throw new Error(`output:\n${written.out}\n${written.err}`);
          return found;
        },
        { that: `output that matches ${pattern}` },
      ),
  };
}

/** Runs `svc` in its own process until it exits, which the `svc` of `in-process.ts` cannot test. */
export async function runSvc(...args: Parameters<typeof startSvc>): Promise<Ran> {
  const process = startSvc(...args);
  const code = await process.ended;
  if (typeof code === "string") throw new Error(`svc exited by ${code}`);
  return { code, ...process.written };
}
