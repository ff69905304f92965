import { execFileSync } from "node:child_process";
import { mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { anonymous } from "@svc/testkit/brain";
import pg from "pg";
import { onDatabase } from "../harness/databases.ts";
import { benchAccount } from "../harness/processes.ts";
import { type BenchRow, note } from "../harness/suite.ts";
import { type Attack, type AttackContext, all, none, within } from "./attack.ts";
import { type AttackedService, startService, startUploads } from "./service.ts";

const diskMegabytes = 48;
const readyWithinSeconds = 35;
const logLineLimit = 100;

/** Seconds until `/health/ready` returns this status; Infinity if it does not in time. */
async function readyBecomes(service: AttackedService, wanted: number, signal: AbortSignal): Promise<number> {
  const startedMs = performance.now();
  while (performance.now() - startedMs < (readyWithinSeconds + 5) * 1000) {
    const answer = await fetch(`${service.url}/health/ready`).catch(() => null);
    if (answer?.status === wanted) return (performance.now() - startedMs) / 1000;
    await pause(250, undefined, { signal });
  }
  return Number.POSITIVE_INFINITY;
}

/** Checks the service while it cannot write, and after it can again. */
async function whileUnwritable(
  context: AttackContext,
  given: { label: string; service: AttackedService; breakIt(): Promise<void>; repair(): Promise<void> },
): Promise<BenchRow[]> {
  const { label, service } = given;
  const uploads = await startUploads(service);
  for (let index = 0; index < 20; index += 1) await uploads.upload();
  const before = uploads.acknowledged.length;
  await given.breakIt();
  // The database's reserved pages accept a few more writes; all acknowledged ones must exist afterwards.
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
  const lost = await uploads.lost();
  const row = (name: string) => `${label}: ${name}`;
  return [
    note(row("events acknowledged before"), before, "events"),
    within(row("/health/ready is 503 after"), unreadySeconds, "s", readyWithinSeconds),
    all(row("uploads that are not acknowledged"), refusedUploads, "uploads", tries),
    all(row("sign-ins answered 503 in the envelope"), envelopes, "answers", tries),
    within(row("log lines while unwritable"), lines, "lines", logLineLimit),
    within(row("/health/ready is 200 again after"), readySeconds, "s", readyWithinSeconds),
    all(row("upload and sign-in afterwards"), Number(again) + Number(signedIn.status === 200), "answers", 2),
    none(row("acknowledged events lost"), lost, "events"),
  ];
}

function isMountAllowed(folder: string): boolean {
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskMegabytes}m`, "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A full disk: a small mounted file system, or, without mount rights, a limit on the size of the service's files. */
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
            // Full for blocks of this size only.
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
    await service.stop();
    if (isMounted) execFileSync("umount", ["-l", disk]);
  }
}

/** A disk that turns read-only with open files, as after a hardware error: an aborted ext4 image. */
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
    context.log("read-only disk: not run, no right to mount an image");
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
    const lost = await uploads.lost(service);
    return [
      within("read-only disk: /health/ready is 503 after", unreadySeconds, "s", readyWithinSeconds),
      all("read-only disk: uploads that are not acknowledged", refused, "uploads", 10),
      none("read-only disk: acknowledged events lost", lost, "events"),
    ];
  } finally {
    await service?.stop();
    execFileSync("umount", ["-l", disk]);
  }
}

/** PostgreSQL that accepts no writes, like a standby after a failover. */
async function readOnlyPostgres(context: AttackContext): Promise<BenchRow[]> {
  const admin = new pg.Client({ connectionString: await context.postgres() });
  await admin.connect();
  await admin.query("SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE");
  const change = async (statement: string) => {
    await admin.query(statement);
    await admin.query("SELECT pg_reload_conf()");
  };
  const repair = () => change("ALTER SYSTEM RESET default_transaction_read_only");
  try {
    return await onDatabase(context, "postgres", async ({ home, databaseUrl }) => {
      const service = await startService({ home, databaseUrl });
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

export const attack: Attack = {
  name: "disks",
  about: "a full disk, a disk that turns read-only, and PostgreSQL that accepts no writes",
  requirement: "H8: /health/ready fails within 30 s, only stored events are acknowledged, the service recovers",
  run: async (context) => [
    ...(await fullDisk(context)),
    ...(await readOnlyDisk(context)),
    ...(context.dialects.includes("postgres") ? await readOnlyPostgres(context) : []),
  ],
};
