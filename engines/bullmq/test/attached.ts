import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { waitFor } from "@svc/testkit";
import { plainEnvironment } from "@svc/testkit/built-program";
import { onTestFinished } from "vitest";
import type { AttachedProcess } from "./attached-process.ts";
import { temporaryFolder } from "./folders.ts";

const entry = fileURLToPath(new URL("./attached-process.ts", import.meta.url));

export interface RunningProcess {
  readonly child: ChildProcess;
  /** Standard output so far. */
  output(): string;
  /** Waits for a line on standard output. */
  says(line: string): Promise<unknown>;
  /** Waits for the process to end on its own; resolves with its exit code. */
  ends(): Promise<number | null>;
}

/** Starts an application process with an agent; it is killed when the test ends. */
export async function startAttached(input: Omit<AttachedProcess, "folder">): Promise<RunningProcess> {
  const { folder, remove } = await temporaryFolder();
  const child = spawn(process.execPath, ["--conditions=source", entry, JSON.stringify({ ...input, folder })], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...plainEnvironment, HOME: folder },
  });
  let output = "";
  child.stdout.on("data", (part) => {
    output += String(part);
  });
  const closed = new Promise((resolve) => child.once("close", resolve));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await closed;
    await remove();
  });
  return {
    child,
    output: () => output,
    says: (line) => waitFor(() => output.split("\n").includes(line), { that: `the line ${line}` }),
    async ends() {
      await waitFor(() => child.exitCode !== null, { that: "the end of the process" });
      return child.exitCode;
    },
  };
}
