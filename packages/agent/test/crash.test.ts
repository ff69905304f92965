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

/** Runs the writer until it has told `count` durable entries more, then kills it; gives the last number told. */
async function writeAndKill(directory: string, count: number): Promise<number> {
  const child = spawn(process.execPath, ["--conditions=source", writer, directory], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  const closed = new Promise((resolve) => child.on("close", resolve));
  let text = "";
  let told = 0;
  for await (const part of child.stdout) {
    text += String(part);
    told = text.split("\n").length - 1;
    if (told >= count) child.kill("SIGKILL");
  }
  await closed;
  return Number(text.trimEnd().split("\n").at(-1));
}

test("kill -9, three times in a row, loses no stored entry and leaves the cursor exactly behind them", async () => {
  const directory = mkdtempSync(join(tmpdir(), "crash-"));
  try {
    let told = 0;
    for (let round = 1; round <= 3; round += 1) {
      told = await writeAndKill(directory, 200);
      expect(told).toBeGreaterThanOrEqual(round * 200);
    }
    const place = { directory, name: "agent", limits };
    const buffer = new DurableBuffer({ place, clock: systemClock, log: stderrLog });
    const position = Number(buffer.cursor("position"));
    const entries = buffer.read("events", 0, { maxEntries: 100_000, maxBytes: limits.maxBytes });
    buffer.close();

    expect(position).toBeGreaterThanOrEqual(told);
    expect(entries.map(({ frameId }) => frameId)).toEqual(Array.from({ length: position }, (_, at) => `ev_${at}`));
  } finally {
    rmSync(directory, { recursive: true });
  }
});
