import { startFaultyNetwork, waitFor } from "@svc/testkit";
import { freshDatabaseUrl } from "@svc/testkit/databases";
import pg from "pg";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../clock.ts";
import { startElection } from "./election.ts";
import type { Leadership } from "./leadership.ts";
import { lockKey } from "./lock-keys.ts";
import type { LockSession } from "./lock-session.ts";
import { openPostgresLocks } from "./postgres-locks.ts";

const silent = { debug() {}, info() {}, warn() {}, error() {} };
let events = 0;
let database: Awaited<ReturnType<typeof freshDatabaseUrl>>;
const cleanUps: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  database = await freshDatabaseUrl("postgres");
});
afterAll(async () => database?.drop());
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp();
});

async function openSession(url = database.url, onLost = () => {}): Promise<LockSession> {
  const session = await openPostgresLocks({ url, answerMs: 10_000, log: silent })(onLost);
  cleanUps.push(() => session.close());
  return session;
}

/** Ends the connections of all schedulers, as a failover of the database does. */
async function endConnections(): Promise<void> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'svc-scheduler' AND datname = current_database()",
  );
  await client.end();
}

function elect(namespace: string, given: { projects?: string[]; url?: string } = {}): Leadership {
  const election = startElection({
    open: openPostgresLocks({ url: given.url ?? database.url, answerMs: 10_000, log: silent }),
    namespace,
    perProject: given.projects !== undefined,
    projectIds: () => given.projects ?? [],
    heartbeatMs: 50,
    clock: systemClock,
    log: silent,
    nextEvent: () => {
      events += 1;
      return events;
    },
    onChange() {},
  });
  cleanUps.push(() => election.stop());
  return election;
}

describe("keys of locks", () => {
  test("are the first 8 bytes of SHA-256 without the top bit", () => {
    // printf svc-scheduler-global | sha256sum; printf svc-scheduler-global:p1 | sha256sum
    expect(lockKey("svc-scheduler-global").toString(16)).toBe("19f67f9490597e28");
    expect(lockKey("svc-scheduler-global", "p1").toString(16)).toBe("69d0a1dfd6994c99");
  });
});

describe("locks of PostgreSQL", () => {
  test("belong to one session, until it frees them or ends", async () => {
    const [a, b] = [await openSession(), await openSession()];
    const keys = [lockKey("n", "1"), lockKey("n", "2"), 2n ** 63n - 1n];
    expect(await a.tryLock(keys)).toEqual(keys);
    expect(await b.tryLock(keys)).toEqual([]);
    await a.unlock([keys[0]!]);
    expect(await b.tryLock(keys)).toEqual([keys[0]]);
    await a.close();
    expect(await b.tryLock(keys.slice(1))).toEqual(keys.slice(1));
    await b.confirm();
  });

  test("are lost with the connection, which is reported once", async () => {
    let losses = 0;
    const session = await openSession(database.url, () => {
      losses += 1;
    });
    await session.tryLock([lockKey("lost")]);
    await endConnections();
    await waitFor(() => losses > 0);
    await expect(session.confirm()).rejects.toThrow();
    expect(losses).toBe(1);
    const next = await openSession();
    expect(await next.tryLock([lockKey("lost")])).toHaveLength(1);
  });

  test("reject when the server does not answer in time", async () => {
    const network = await startFaultyNetwork({ port: Number(new URL(database.url).port) });
    cleanUps.push(() => network.close());
    const url = new URL(database.url);
    url.port = String(network.port);
    const session = await openPostgresLocks({ url: url.href, answerMs: 300, log: silent })(() => {});
    network.blackhole();
    await expect(session.confirm()).rejects.toThrow(/timeout/i);
    network.down();
    await session.close();
  });
});

describe("elections", () => {
  test("have one leader, and another one after it stops", async () => {
    const first = elect("global");
    await waitFor(() => first.isLeader());
    const second = elect("global");
    const other = elect("other namespace");
    await waitFor(() => other.isLeader());
    expect(second.isLeader()).toBe(false);
    await first.stop();
    expect(first.ledSince("p1")).toBeNull();
    await waitFor(() => second.isLeader());
    expect(second.ledSince("p1")).not.toBeNull();
  });

  test("end a term when the database ends the connection, and begin another one", async () => {
    const leader = elect("failover");
    await waitFor(() => leader.isLeader());
    const since = leader.ledSince("p1");
    await endConnections();
    await waitFor(() => leader.isLeader() && leader.ledSince("p1") !== since);
  });

  test("per project divide the projects", async () => {
    const first = elect("divided", { projects: ["p1", "p2"] });
    await waitFor(() => first.ledSince("p2") !== null);
    const second = elect("divided", { projects: ["p1", "p2", "p3"] });
    await waitFor(() => second.ledSince("p3") !== null);
    expect([first.ledSince("p3"), second.ledSince("p1"), second.ledSince("p2")]).toEqual([null, null, null]);
    await first.stop();
    await waitFor(() => second.ledSince("p1") !== null && second.ledSince("p2") !== null);
  });
});
