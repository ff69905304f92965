import { execFileSync } from "node:child_process";
import { chmod, lstat, mkdir, open, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { anonymous, signIn } from "@svc/testkit/brain";
import { createRawPoller, type RawPoller, rawEvents } from "@svc/testkit/raw-agent";
import pg from "pg";
import { benchAccount } from "../harness/processes.ts";
import { type BenchRow, note } from "../harness/suite.ts";
import { type Attack, type AttackContext, all, none, within } from "./attack.ts";
import { type AttackedService, onEachDatabase, startService } from "./service.ts";

const dayMs = 86_400_000;

// Files

async function looseFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = [folder, ...entries.map((entry) => join(entry.parentPath, entry.name))];
  const loose: string[] = [];
  for (const path of paths) {
    const { mode } = await lstat(path);
    if ((mode & 0o077) !== 0) loose.push(`${path} ${(mode & 0o777).toString(8)}`);
  }
  return loose;
}

async function runFiles(context: AttackContext): Promise<BenchRow[]> {
  const home = join(context.scratchDir, "home");
  const umask = process.umask(0);
  let first: string[];
  try {
    const service = await startService({ home });
    first = await looseFiles(home);
    await service.stop();
  } finally {
    process.umask(umask);
  }
  for (const name of await readdir(home)) await chmod(join(home, name), 0o666);
  await chmod(home, 0o777);
  const again = await startService({ home, agents: 0 });
  const second = await looseFiles(home);
  await again.stop();
  for (const path of [...first, ...second]) context.log(`open to others: ${path}`);
  return [
    none("files and folders open to others after a start with umask 000", first.length, "paths"),
    none("the same after a restart over loosened modes", second.length, "paths"),
  ];
}

export const files: Attack = {
  name: "files",
  about: "modes of everything under SVC_HOME",
  requirement: "H6: files 0600 and folders 0700, corrected at the start",
  run: runFiles,
};

// Disks

const diskMegabytes = 48;
const readyWithinSeconds = 35;
const logLineLimit = 100;

/** Uploads one event; true when the service acknowledged it. */
async function upload(poller: RawPoller, acknowledged: string[], data: Record<string, unknown> = {}): Promise<boolean> {
  const events = rawEvents(1, undefined, data);
  try {
    const { status, body } = await poller.upload([poller.sign("event_batch", { events })]);
    if (status !== 200 || body.accepted !== 1) return false;
    acknowledged.push(events[0]?.task_id ?? "");
    return true;
  } catch {
    return false;
  }
}

async function startUploads(service: AttackedService) {
  const agent = service.agents[0] as AttackedService["agents"][number];
  const poller = createRawPoller({ url: service.url, projectId: service.projectId, ...agent });
  await poller.probe();
  const acknowledged: string[] = [];
  return { acknowledged, upload: (data?: Record<string, unknown>) => upload(poller, acknowledged, data) };
}

async function statusOf(service: AttackedService, path: string): Promise<number> {
  return fetch(`${service.url}${path}`).then(
    ({ status }) => status,
    () => 0,
  );
}

/** Seconds until `/health/ready` gives this status; Infinity when it does not in time. */
async function readyBecomes(service: AttackedService, wanted: number, signal: AbortSignal): Promise<number> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < (readyWithinSeconds + 5) * 1000) {
    if ((await statusOf(service, "/health/ready")) === wanted) return (performance.now() - startedMs) / 1000;
    await pause(250, undefined, { signal });
  }
  return Number.POSITIVE_INFINITY;
}

/** What the service must do while it cannot write, and after it can again. */
async function whileUnwritable(
  context: AttackContext,
  given: { label: string; service: AttackedService; breakIt(): Promise<void>; repair(): Promise<void> },
): Promise<BenchRow[]> {
  const { label, service } = given;
  const uploads = await startUploads(service);
  for (let index = 0; index < 20; index += 1) await uploads.upload();
  const before = uploads.acknowledged.length;
  await given.breakIt();
  // Pages that the database has in reserve take a few more writes; each acknowledged one must be there afterwards.
  for (let round = 0; round < 400 && (await uploads.upload({ filler: "x".repeat(60_000) })); round += 1);
  const linesBefore = service.log.lines;
  const unreadySeconds = await readyBecomes(service, 503, context.signal);
  let refusedUploads = 0;
  let envelopes = 0;
  const tries = 20;
  for (let index = 0; index < tries; index += 1) {
    if (!(await uploads.upload({ filler: "x".repeat(60_000) }))) refusedUploads += 1;
    const { status, body } = await anonymous(service.url).post("/auth/login", benchAccount, {
      "x-forwarded-for": `203.0.113.${index}`,
    });
    if (status === 503 && typeof body?.error === "string" && typeof body.request_id === "string") envelopes += 1;
  }
  const lines = service.log.lines - linesBefore;
  await given.repair();
  const readySeconds = await readyBecomes(service, 200, context.signal);
  const again = await uploads.upload();
  const signedIn = await anonymous(service.url).post("/auth/login", benchAccount);
  const stored = new Set((await service.query("SELECT task_id FROM events")).map(({ task_id }) => task_id));
  const lost = uploads.acknowledged.filter((id) => !stored.has(id));
  const row = (name: string) => `${label}: ${name}`;
  return [
    note(row("events acknowledged before"), before, "events"),
    within(row("/health/ready is 503 after"), unreadySeconds, "s", readyWithinSeconds),
    all(row("uploads that are not acknowledged"), refusedUploads, "uploads", tries),
    all(row("sign-ins answered 503 in the envelope"), envelopes, "answers", tries),
    within(row("log lines meanwhile"), lines, "lines", logLineLimit),
    within(row("/health/ready is 200 again after"), readySeconds, "s", readyWithinSeconds),
    all(row("upload and sign-in afterwards"), Number(again) + Number(signedIn.status === 200), "answers", 2),
    none(row("acknowledged events that are lost"), lost.length, "events"),
  ];
}

const isMountAllowed = (folder: string): boolean => {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskMegabytes}m`, "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** A full disk: a small mounted file system, or, without the right to mount one, a limit on the size of the service's files. */
async function fullDisk(context: AttackContext): Promise<BenchRow[]> {
  const disk = join(context.scratchDir, "full");
  await mkdir(disk);
  const isMounted = isMountAllowed(disk);
  context.log(isMounted ? `full disk: tmpfs of ${diskMegabytes} MB` : "full disk: file size limit (no right to mount)");
  const service = await startService({ home: join(disk, "home") });
  const filler = join(disk, "filler");
  const limit = (bytes: string) =>
    execFileSync("prlimit", ["--pid", String(service.pid), `--fsize=${bytes}:unlimited`]);
  try {
    return await whileUnwritable(context, {
      label: "full disk",
      service,
      async breakIt() {
        if (!isMounted) return void limit("1");
        const file = await open(filler, "w");
        for (const size of [1 << 20, 4096]) {
          const block = Buffer.alloc(size, 1);
          try {
            for (;;) await file.write(block);
          } catch {
            // Full for blocks of this size.
          }
        }
        await file.close();
      },
      async repair() {
        if (isMounted) await rm(filler);
        else limit("unlimited");
      },
    });
  } finally {
    await service?.stop();
    if (isMounted) execFileSync("umount", ["-l", disk]);
  }
}

/** A disk that turns read-only while files on it are open, as after an error of the hardware: an ext4 image that is aborted. */
async function readOnlyDisk(context: AttackContext): Promise<BenchRow[]> {
  const image = join(context.scratchDir, "disk.img");
  const disk = join(context.scratchDir, "read-only");
  await mkdir(disk);
  const mount = () => execFileSync("mount", ["-o", "loop", image, disk], { stdio: "ignore" });
  try {
    execFileSync("truncate", ["-s", "64M", image]);
    execFileSync("mkfs.ext4", ["-q", image], { stdio: "ignore" });
    mount();
  } catch {
    context.log("read-only disk: not run, there is no right to mount an image");
    return [note("read-only disk: not run without the right to mount", 0, "rows")];
  }
  const home = join(disk, "home");
  let service: AttackedService | undefined;
  try {
    service = await startService({ home });
    const uploads = await startUploads(service);
    for (let index = 0; index < 20; index += 1) await uploads.upload();
    execFileSync("mount", ["-o", "remount,abort", disk], { stdio: "ignore" });
    const unreadySeconds = await readyBecomes(service, 503, context.signal);
    let refused = 0;
    for (let index = 0; index < 10; index += 1) if (!(await uploads.upload())) refused += 1;
    await service.stop();
    execFileSync("umount", [disk]);
    mount();
    service = await startService({ home, agents: 0 });
    const stored = new Set((await service.query("SELECT task_id FROM events")).map(({ task_id }) => task_id));
    const lost = uploads.acknowledged.filter((id) => !stored.has(id)).length;
    return [
      within("read-only disk: /health/ready is 503 after", unreadySeconds, "s", readyWithinSeconds),
      all("read-only disk: uploads that are not acknowledged", refused, "uploads", 10),
      none("read-only disk: acknowledged events that are lost", lost, "events"),
    ];
  } finally {
    await service?.stop();
    execFileSync("umount", ["-l", disk]);
  }
}

/** PostgreSQL that takes no writes, as a standby after a failover. */
async function readOnlyPostgres(context: AttackContext): Promise<BenchRow[]> {
  const { onFreshPostgres } = await import("../harness/databases.ts");
  const admin = new pg.Client({ connectionString: await context.postgres() });
  await admin.connect();
  await admin.query("SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE");
  const change = async (statement: string) => {
    await admin.query(statement);
    await admin.query("SELECT pg_reload_conf()");
  };
  const repair = () => change("ALTER SYSTEM RESET default_transaction_read_only");
  try {
    return await onFreshPostgres(context, async (databaseUrl) => {
      const service = await startService({ home: join(context.scratchDir, "postgres"), databaseUrl });
      try {
        const breakIt = () => change("ALTER SYSTEM SET default_transaction_read_only = on");
        return await whileUnwritable(context, { label: "read-only PostgreSQL", service, breakIt, repair });
      } finally {
        await repair();
        await service.stop();
      }
    });
  } finally {
    await admin.end();
  }
}

export const disks: Attack = {
  name: "disks",
  about: "a full disk, a disk that turns read-only, and PostgreSQL that takes no writes",
  requirement: "H8: /health/ready fails within 30 s, nothing is acknowledged that is not stored, the service recovers",
  run: async (context) => [
    ...(await fullDisk(context)),
    ...(await readOnlyDisk(context)),
    ...(context.dialects.includes("postgres") ? await readOnlyPostgres(context) : []),
  ],
};

// Clocks

/** Hourly passes come every three seconds. */
const timerDivisor = 1200;
const passesMs = 9000;
const jumpMs = 120 * dayMs;

async function runClock(context: AttackContext, database: { label: string; home: string; databaseUrl?: string }) {
  const { label } = database;
  const options = { ...database, timerDivisor, env: { SVC_AUDIT_RETENTION_SWEEP_INTERVAL_SECONDS: "3600" } };
  let service = await startService(options);
  const count = async (table: string) => Number((await service.query(`SELECT count(*) AS n FROM ${table}`))[0]?.n);
  try {
    const uploads = await startUploads(service);
    for (let index = 0; index < 30; index += 1) await uploads.upload();
    // The counters must not be lost either, and rows may only be added meanwhile.
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
    // A sign-in writes the newest audit row, 120 days ahead of the others.
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
      none(row("the same after a sign-in at that time"), removedAfterUse, "rows"),
      none(row("the same after the clock went back"), removedAfterReturn, "rows"),
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

export const clockJumps: Attack = {
  name: "clock-jumps",
  about: "the wall clock jumps 120 days ahead and back while retention passes run",
  requirement: "H5: no retention pass removes rows because the clock jumped, and the health page shows it",
  run: (context) => onEachDatabase(context, (database) => runClock(context, database)),
};
