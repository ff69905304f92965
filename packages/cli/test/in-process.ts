import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { onTestFinished, vi } from "vitest";
import { run } from "../src/command-line/run.ts";
import { commands } from "../src/commands.ts";

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The environment of a command. */
export interface CommandContext {
  /** The working folder. Default: the home. */
  readonly cwd?: string;
  /** Piped input. Default: empty. */
  readonly input?: string;
  /** Input typed at a terminal, instead of piped input. */
  readonly typed?: string;
  /** Collects the status lines. Without it there is no terminal. */
  readonly shown?: string[];
}

/** Runs one `svc` command in this process with only these SVC_ variables, in a fresh home unless one is given. */
export async function svc(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { cwd, input, typed, shown }: CommandContext = {},
): Promise<Ran> {
  const home = env.SVC_HOME ?? (await mkdtemp(join(tmpdir(), "svc-cli-")));
  if (env.SVC_HOME === undefined) onTestFinished(() => rm(home, { recursive: true, force: true }));
  for (const name of Object.keys(process.env)) if (name.startsWith("SVC_")) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries({ ...env, SVC_HOME: home })) vi.stubEnv(name, value);
  const folder = vi.spyOn(process, "cwd").mockReturnValue(cwd ?? home);
  const given = Readable.from([input ?? typed ?? ""], { objectMode: false });
  const standardInput = Object.assign(given, { isTTY: typed !== undefined }) as unknown as typeof process.stdin;
  const stdin = vi.spyOn(process, "stdin", "get").mockReturnValue(standardInput);
  const written = { out: "", err: "" };
  try {
    const code = await run(args, commands, {
      out(line) {
        written.out += `${line}\n`;
      },
      err(line) {
        written.err += `${line}\n`;
      },
      ...(shown !== undefined && { status: (line) => void shown.push(line) }),
    });
    return { code, ...written };
  } finally {
    vi.unstubAllEnvs();
    folder.mockRestore();
    stdin.mockRestore();
  }
}
