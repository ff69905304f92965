import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { waitFor } from "@svc/testkit";
import { builtProgram, plainEnvironment } from "@svc/testkit/built-program";
import { migratedDatabaseUrl, type TestDialect } from "@svc/testkit/databases";
import { onTestFinished } from "vitest";
import type { Ran } from "./in-process.ts";

/** One `svc` command in a process of its own. */
export interface SvcProcess {
  readonly child: ChildProcess;
  /** What it has written so far. */
  readonly written: { readonly out: string; readonly err: string };
  /** Resolves with the first match in either stream; rejects when the process ends without it. */
  says(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals>;
}

/** A folder that is gone after the test. */
export async function scratchFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "svc-cli-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 }));
  return folder;
}

/**
 * URL of a database for the service of this home, removed after the test: on PostgreSQL a migrated one, or one that `make` gives. The
 * embedded one lies in the home, where its first opening makes it.
 */
export async function databaseFor(home: string, dialect: TestDialect, make = migratedDatabaseUrl): Promise<string> {
  if (dialect === "sqlite") return `sqlite://${join(home, "svc.db")}`;
  const { url, drop } = await make(dialect);
  onTestFinished(drop);
  return url;
}

/** Starts `svc` with these arguments, what is piped into it, and nothing of the caller's SVC_ environment; killed when the test is over. */
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
    says: (pattern) =>
      waitFor(
        () => {
          const found = `${written.out}\n${written.err}`.match(pattern);
          if (found === null) throw new Error(`it wrote:\n${written.out}\n${written.err}`);
          return found;
        },
        { that: `output that matches ${pattern}` },
      ),
  };
}

/** Runs `svc` in a process of its own to its end: what `svc` of `in-process.ts` cannot tell is whether the process ends. */
export async function runSvc(...how: Parameters<typeof startSvc>): Promise<Ran> {
  const process = startSvc(...how);
  const code = await process.ended;
  if (typeof code === "string") throw new Error(`svc ended by ${code}`);
  return { code, ...process.written };
}
