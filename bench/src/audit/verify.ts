import { createHmac, createSecretKey, randomUUID } from "node:crypto";
import { openAuditAlone } from "@svc/brain/audit-log";
import { type BrainDatabase, migrateStorage } from "@svc/brain/storage";
import { bothDialects, onDatabases, withStorage } from "../harness/databases.ts";
import { atLeast, atMost, type BenchContext, type BenchRow, type BenchSuite, note } from "../harness/suite.ts";

/** Verifies a long chain on each database, against the stated rate and a bare loop of as many HMACs over rows of that size. */
const rowCount = { quick: 25_000, standard: 1_000_000, full: 1_000_000 } as const;
const rowsPerWrite = 1000;
const rateLimit = 50_000;
const growthTarget = 1.1;

async function fill(database: BrainDatabase, rows: number, context: BenchContext) {
  const { audit, upkeep } = openAuditAlone(database, "bench-audit-secret-0123456789abcdefghij");
  await audit.prepare();
  const users = Array.from({ length: 200 }, () => randomUUID());
  for (let written = 1; written < rows; written += rowsPerWrite) {
    context.signal.throwIfAborted();
    await audit.record(
      Array.from({ length: Math.min(rowsPerWrite, rows - written) }, (_, index) => ({
        action: index % 3 === 0 ? "auth.login" : "project.updated",
        target_type: "project",
        target_id: users[index % 100] ?? "",
        user_id: users[index % 200] ?? "",
        project_id: users[0] ?? "",
        source_ip: `192.0.2.${index % 256}`,
        user_agent:
          "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
        metadata: { name: `row ${written + index}`, changed: ["name", "description"] },
      })),
    );
    if (written % 100_000 === 1) context.log(`${database.dialect}: ${written} rows written`);
  }
  return upkeep;
}

/** HMACs per second of CPU time in a bare loop, over texts of the length of a canonical row. */
function bareRate(): number {
  const key = createSecretKey(Buffer.from("bench-audit-secret-0123456789abcdefghij"));
  const text = "x".repeat(900);
  const rounds = 100_000;
  const before = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) createHmac("sha256", key).update(text).digest("hex");
  const { user, system } = process.cpuUsage(before);
  return rounds / ((user + system) / 1e6);
}

const measureOn = (context: BenchContext, url: string): Promise<BenchRow[]> =>
  withStorage(url, async (database) => {
    const rows = rowCount[context.mode];
    await migrateStorage(database, new Date(), 30_000);
    const upkeep = await fill(database, rows, context);
    const { dialect } = database;
    const samples: number[] = [];
    const bare = bareRate();
    const before = process.cpuUsage();
    const startedMs = performance.now();
    const result = await upkeep.verify({
      onProgress: (done) => void (done % 10_000 === 0 && samples.push(process.memoryUsage.rss())),
    });
    const seconds = (performance.now() - startedMs) / 1000;
    const cpu = process.cpuUsage(before);
    const cpuSeconds = (cpu.user + cpu.system) / 1e6;
    if (result.outcome !== "clean" || result.rows !== rows) throw new Error(`${result.outcome} at ${result.rows} rows`);
    const half = Math.floor(samples.length / 2);
    const [firstHalf, secondHalf] = [Math.max(...samples.slice(0, half)), Math.max(...samples.slice(half))];
    context.log(`${dialect}: ${Math.round(rows / seconds)} rows/s, ${Math.round(rows / cpuSeconds)} by CPU time`);
    return [
      atLeast(`${dialect}: ${rows} rows by CPU time`, rows / cpuSeconds, "rows/s", { stated: rateLimit }),
      note(`${dialect}: by the wall clock`, rows / seconds, "rows/s"),
      note(`${dialect}: bare loop of HMACs`, bare, "HMAC/s"),
      atMost(`${dialect}: memory of the second half against the first`, secondHalf, "bytes", {
        limit: firstHalf,
        target: growthTarget,
      }),
    ];
  });

export const suite: BenchSuite = {
  name: "audit-verify",
  about: "rows per second of an audit chain verification with constant memory, on both databases",
  diskBytes: { quick: 1e9, standard: 4e9, full: 4e9 },
  run: (context) => onDatabases(context, bothDialects, ({ databaseUrl }) => measureOn(context, databaseUrl)),
};
