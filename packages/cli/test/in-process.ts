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

/** What a command finds around itself. */
export interface Surroundings {
  /** The working folder; the home unless given. */
  readonly cwd?: string;
  /** What is piped in; nothing unless given. */
  readonly input?: string;
  /** What is typed at a terminal, in the place of what is piped in. */
  readonly typed?: string;
  /** What a status line on a terminal shows, one after the other; without it there is no terminal. */
  readonly shown?: string[];
}

/** Runs one `svc` command in this process, with these SVC_ variables and no others, and a home of its own unless one is given. */
export async function svc(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
  { cwd, input, typed, shown }: Surroundings = {},
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
