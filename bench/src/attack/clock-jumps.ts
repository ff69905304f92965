import { setTimeout as pause } from "node:timers/promises";
import { signIn } from "@svc/testkit/brain";
import { onDatabases, type Place } from "../harness/databases.ts";
import { benchAccount } from "../harness/processes.ts";
import { type Attack, type AttackContext, all, none } from "./attack.ts";
import { startService, startUploads } from "./service.ts";

const dayMs = 86_400_000;
/** Hourly passes run every three seconds. */
const timerDivisor = 1200;
const passesMs = 9000;
const jumpMs = 120 * dayMs;

async function runClock(context: AttackContext, { label, home, databaseUrl }: Place) {
  const options = { home, databaseUrl, timerDivisor, env: { SVC_AUDIT_RETENTION_SWEEP_INTERVAL_SECONDS: "3600" } };
  let service = await startService(options);
  const count = async (table: string) => Number((await service.query(`SELECT count(*) AS n FROM ${table}`))[0]?.n);
  try {
    const uploads = await startUploads(service);
    for (let index = 0; index < 30; index += 1) await uploads.upload();
    // Counters must not be lost either; rows may only be added in between.
    const [auditBefore, eventsBefore, tasksBefore] = [
      await count("audit_log"),
      await count("events"),
      await count("tasks"),
    ];
    const removed = async () =>
      Math.max(0, auditBefore - (await count("audit_log"))) +
      Math.max(0, eventsBefore - (await count("events"))) +
      Math.max(0, tasksBefore - (await count("tasks")));

    await service.shiftClock(jumpMs);
    await pause(passesMs, undefined, { signal: context.signal });
    const removedAlone = await removed();
    // A sign-in writes an audit row 120 days ahead of the others.
    const root = await signIn(service.url, benchAccount.email, benchAccount.password);
    const deep = await root.get("/health/deep");
    await pause(passesMs, undefined, { signal: context.signal });
    const removedAfterUse = await removed();
    await service.shiftClock(0);
    await pause(passesMs, undefined, { signal: context.signal });
    const removedAfterReturn = await removed();
    const retention = deep.body?.checks?.retention as { status?: string; detail?: string } | undefined;
    context.log(`${label}: /health/deep says ${JSON.stringify(retention)}`);
    const back = await signIn(service.url, benchAccount.email, benchAccount.password);
    const isServing = (await back.get("/projects")).status === 200;
    await service.stop();
    service = await startService({ ...options, agents: 0, shiftMs: jumpMs });
    await pause(passesMs, undefined, { signal: context.signal });
    const removedAfterRestart = await removed();
    const row = (name: string) => `${label}: ${name}`;
    return [
      none(row("rows removed while the clock is 120 days ahead"), removedAlone, "rows"),
      none(row("rows removed after a sign-in at that time"), removedAfterUse, "rows"),
      none(row("rows removed after the clock went back"), removedAfterReturn, "rows"),
      all(
        row("/health/deep shows it under `retention`"),
        Number(retention !== undefined && retention.status !== "ok"),
        "answers",
        1,
      ),
      all(row("signs in and answers afterwards"), Number(isServing), "answers", 1),
      none(row("rows removed after a restart under that clock"), removedAfterRestart, "rows"),
    ];
  } finally {
    await service.stop();
  }
}

export const attack: Attack = {
  name: "clock-jumps",
  about: "the wall clock jumps 120 days ahead and back while retention passes run",
  requirement: "H5: no retention pass removes rows because the clock jumped, and the health page shows it",
  run: (context) => onDatabases(context, context.dialects, (place) => runClock(context, place)),
};
