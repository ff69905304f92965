import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { DurableBuffer } from "../src/buffer/buffer.ts";
import { systemClock } from "../src/runtime/clock.ts";
import { stderrLog } from "../src/runtime/log.ts";

const writer = fileURLToPath(new URL("./crash-writer.ts", import.meta.url));
const limits = { maxEntries: 100_000, maxBytes: 256 * 1024 * 1024 };

/** Runs the writer until it has reported `count` durable entries, then kills it. Returns the last reported number. */
async function writeAndKill(directory: string, count: number): Promise<number> {
  const child = spawn(process.execPath, ["--conditions=source", writer, directory], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const closed = new Promise((resolve) => child.on("close", resolve));
  let text = "";
  let reported = 0;
  for await (const part of child.stdout) {
    text += String(part);
    reported = text.split("\n").length - 1;
    if (reported >= count) child.kill("SIGKILL");
  }
  await closed;
  return Number(text.trimEnd().split("\n").at(-1));
}

test("kill -9, three times in a row, loses no stored entry and leaves the cursor exactly behind them", async () => {
  const directory = mkdtempSync(join(tmpdir(), "crash-"));
  try {
    let reported = 0;
    for (let round = 1; round <= 3; round += 1) {
      reported = await writeAndKill(directory, 200);
      expect(reported).toBeGreaterThanOrEqual(round * 200);
    }
    const place = { directory, name: "agent", limits };
    const buffer = new DurableBuffer({ place, clock: systemClock, log: stderrLog });
    const position = Number(buffer.cursor("position"));
    const entries = buffer.read("events", 0, { maxEntries: 100_000, maxBytes: limits.maxBytes });
    buffer.close();

    expect(position).toBeGreaterThanOrEqual(reported);
    expect(entries.map(({ frameId }) => frameId)).toEqual(Array.from({ length: position }, (_, at) => `ev_${at}`));
  } finally {
    rmSync(directory, { recursive: true });
  }
});
