import { spawn } from "node:child_process";
import { once } from "node:events";
import { waitFor } from "@svc/testkit";
import { describe, expect, test } from "vitest";
import { scratchFolder } from "./svc-process.ts";

const signals = new URL("../src/terminal/stop-signal.ts", import.meta.url).href;

/** A process that takes its time to drain: it tells each step and ends a second after it was asked to. */
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
  let said = "";
  child.stdout.on("data", (chunk) => {
    said += chunk;
  });
  const ended = once(child, "close").then(([code]) => code as number);
  await waitFor(() => said.includes("ready"));
  return { child, ended, said: () => said };
}

describe("a process that is told to stop", () => {
  test("takes two signals at once for one, as npm passes on what the terminal sent to both", async () => {
    const { child, ended, said } = await slowDrain(200);
    child.kill("SIGINT");
    await waitFor(() => said().includes("draining"));
    child.kill("SIGINT");
    expect(await ended).toBe(0);
    expect(said()).toContain("drained");
  });

  test("ends at once, with 130, when it is asked again", async () => {
    const { child, ended, said } = await slowDrain(60_000);
    child.kill("SIGTERM");
    await waitFor(() => said().includes("draining"));
    const again = setInterval(() => child.kill("SIGINT"), 50);
    const code = await ended;
    clearInterval(again);
    expect(code).toBe(130);
    expect(said()).not.toContain("drained");
  });

  test.each(["SIGINT", "SIGHUP"] as const)(
    "leaves %s to the process that started it when it is a worker",
    async (signal) => {
      const { child, ended, said } = await slowDrain(1000, { isWorker: true });
      child.kill(signal);
      child.kill("SIGTERM");
      await waitFor(() => said().includes("draining"));
      child.kill(signal);
      const code = await ended;
      expect(code).toBe(0);
      expect(said()).toContain("drained");
    },
  );
});
