import { spawn } from "node:child_process";
import { once } from "node:events";
import { waitFor } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "./svc-process.ts";

const signals = new URL("../src/terminal/stop-signal.ts", import.meta.url).href;

/** A process that drains for `drainMs` and prints each step. */
async function slowDrain(drainMs: number, options = {}) {
  const program = `
    const { listenForStop } = await import(${JSON.stringify(signals)});
    using stop = listenForStop(${JSON.stringify(options)});
    console.log("ready");
    await stop.received;
    console.log("draining");
    await new Promise((done) => setTimeout(done, ${drainMs}));
    console.log("drained");`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: await scratchFolder(),
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  child.stdout.on("data", (chunk) => {
    output += chunk;
  });
  const ended = once(child, "close").then(([code]) => code as number);
  await waitFor(() => output.includes("ready"));
  return { child, ended, output: () => output };
}

describe("a process that receives a stop signal", () => {
  test("counts two simultaneous signals as one, because npm forwards what the terminal sent to both", async () => {
    const { child, ended, output } = await slowDrain(200);
    child.kill("SIGINT");
    await waitFor(() => output().includes("draining"));
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(output()).toContain("drained");
  });

  test("exits immediately with 130 on a second signal", async () => {
    const { child, ended, output } = await slowDrain(60_000);
    child.kill("SIGTERM");
    await waitFor(() => output().includes("draining"));
    const again = setInterval(() => child.kill("SIGINT"), 50);
    const code = await ended;
    clearInterval(again);
    expect(code).toBe(130);
    expect(output()).not.toContain("drained");
  });

  test.each(["SIGINT", "SIGHUP"] as const)("ignores %s as a worker, because its parent handles it", async (signal) => {
    const { child, ended, output } = await slowDrain(1000, { isWorker: true });
    child.kill(signal);
    child.kill("SIGTERM");
    await waitFor(() => output().includes("draining"));
    child.kill(signal);
    const code = await ended;
    expect(code).toBe(0);
    expect(output()).toContain("drained");
  });
});
