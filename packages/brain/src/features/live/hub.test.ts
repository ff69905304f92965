import { EventEmitter } from "node:events";
import { createFakeClock } from "@svc/testkit";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { WebSocket } from "ws";
import type { Role, SessionActor } from "../../platform/http/access/actor.ts";
import type { Log } from "../../platform/log.ts";
import { Hub, type HubDeps } from "./hub.ts";
import type { TopicReader } from "./read-changes.ts";
import type { Topic } from "./topics.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const silent: Log = { debug() {}, info() {}, warn() {}, error() {}, child: () => silent };
const actorOf = (id: string): SessionActor => ({
  kind: "session",
  user: { id, email: `${id}@example.org`, display_name: null, is_admin: false },
  sessionId: `session-${id}`,
  csrfToken: "",
  provedAt: null,
  mfa: { enrolled: false, pending: false, verifiedAt: null, overdueSince: null },
});

/** The far end of a socket: what was sent, what is stuck, how it was closed. */
class Line extends EventEmitter {
  readonly OPEN = 1;
  readyState = 1;
  bufferedAmount = 0;
  closed: number | null = null;
  isStuck = false;
  readonly sent: Record<string, unknown>[] = [];
  private readonly stuck: (() => void)[] = [];

  send(text: string, done: () => void): void {
    this.sent.push(JSON.parse(text));
    if (this.isStuck) this.stuck.push(done);
    else done();
  }
  /** From now on nothing is sent, and this number of bytes already waits. */
  block(bytes: number): void {
    this.isStuck = true;
    this.bufferedAmount = bytes;
  }
  flush(): void {
    this.isStuck = false;
    this.bufferedAmount = 0;
    for (const done of this.stuck.splice(0)) done();
  }
  close(code: number): void {
    if (this.closed !== null) return;
    this.closed = code;
    this.readyState = 3;
    this.emit("close");
  }
  say(frame: unknown): void {
    this.emit("message", Buffer.from(typeof frame === "string" ? frame : JSON.stringify(frame)));
  }
  events(): Record<string, unknown>[] {
    return this.sent.filter(({ type }) => type === "event");
  }
}

describe("the dashboard hub", () => {
  const clock = createFakeClock();
  let isAway = false;
  let isTooLarge = false;
  let currentRole: Role | "no_session" | "no_membership" = "viewer";
  let reads: { topic: string; ids: readonly string[]; role: string }[] = [];
  let deleted = new Set<string>();
  let hub: Hub;

  const readerOf = (topic: Topic): TopicReader => ({
    async rows(_project, ids, role) {
      if (isAway) throw new Error("the database is unavailable");
      if (isTooLarge) return null;
      reads.push({ topic, ids, role });
      return ids.filter((id) => !deleted.has(id)).map((id) => ({ id, role }));
    },
    async counts() {
      if (isAway) throw new Error("the database is unavailable");
      return { all: 1 };
    },
  });
  const deps = (): HubDeps => ({
    clock,
    log: silent,
    readers: { "task.changed": readerOf("task.changed"), "agent.changed": readerOf("agent.changed") },
    roleIn: async (_actor, project) => (project === projectId ? currentRole : "no_membership"),
    refetched: () => {},
  });
  /** One round of the hub: a quarter of a second. */
  const round = () => vi.advanceTimersByTimeAsync(250);
  const settle = () => vi.advanceTimersByTimeAsync(0);

  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    isAway = false;
    isTooLarge = false;
    currentRole = "viewer";
    reads = [];
    deleted = new Set();
    hub = new Hub(deps());
  });
  afterEach(() => {
    hub.stop();
    vi.useRealTimers();
  });

  function connect(user = "ann"): Line {
    const line = new Line();
    hub.accept(line as unknown as WebSocket, actorOf(user));
    return line;
  }
  async function subscribed(topics: Topic[] = ["task.changed"], user = "ann"): Promise<Line> {
    const line = connect(user);
    line.say({ type: "subscribe", project_id: projectId, topics });
    await settle();
    expect(line.sent).toEqual([{ type: "ready", topics }]);
    return line;
  }
  const change = (topic: Topic, ids: readonly string[] | null) => hub.changed({ projectId, topic, ids });
  const many = (count: number) => Array.from({ length: count }, (_, index) => `id-${index}`);

  test("sends changes once per quarter of a second, each row in its last state", async () => {
    const line = await subscribed();
    for (let index = 0; index < 50; index += 1) change("task.changed", [`id-${index % 5}`]);
    await round();
    expect(line.events()).toEqual([
      {
        type: "event",
        topic: "task.changed",
        rows: many(5).map((id) => ({ id, role: "viewer" })),
        removed: [],
        counts: { all: 1 },
      },
    ]);
    await round();
    expect(line.events()).toHaveLength(1);
  });

  test("sends every subscriber a refetch of all its topics after changes it may have missed", async () => {
    const lines = [await subscribed(["task.changed", "agent.changed"]), await subscribed(["task.changed"], "bob")];
    hub.missedChanges();
    await round();
    await round();
    const events = lines.map((line) => line.events().map(({ topic, refetch }) => ({ topic, refetch })));
    const tasks = { topic: "task.changed", refetch: true };
    expect(events).toEqual([[tasks, { topic: "agent.changed", refetch: true }], [tasks]]);
  });

  test("sends one event frame per round over all topics, the longest waiting first", async () => {
    const line = await subscribed(["task.changed", "agent.changed", "queue.changed"]);
    for (const topic of ["agent.changed", "queue.changed", "task.changed"] as const) change(topic, ["id-1"]);
    for (const expected of [1, 2, 3, 3]) {
      await round();
      expect(line.events()).toHaveLength(expected);
    }
    expect(line.events().map(({ topic }) => topic)).toEqual(["agent.changed", "queue.changed", "task.changed"]);
  });

  test("requests a refetch of what is too large to be sent", async () => {
    const line = await subscribed();
    isTooLarge = true;
    change("task.changed", ["id-1"]);
    await round();
    expect(line.events()).toEqual([{ type: "event", topic: "task.changed", refetch: true, counts: { all: 1 } }]);
  });

  test("reports rows that no longer exist as removed", async () => {
    const line = await subscribed();
    deleted.add("id-0");
    change("task.changed", ["id-0", "id-1"]);
    await round();
    expect(line.events()[0]).toMatchObject({ rows: [{ id: "id-1" }], removed: ["id-0"] });
  });

  test("requests a refetch above 200 rows, for what cannot be listed, and for a topic without rows", async () => {
    const line = await subscribed(["task.changed", "queue.changed"]);
    change("task.changed", many(200));
    await round();
    expect(line.events().at(-1)?.rows).toHaveLength(200);
    change("task.changed", many(201));
    await round();
    expect(line.events().at(-1)).toEqual({ type: "event", topic: "task.changed", refetch: true, counts: { all: 1 } });
    change("task.changed", null);
    await round();
    expect(line.events().at(-1)).toMatchObject({ refetch: true });
    change("queue.changed", ["id-1"]);
    await round();
    expect(line.events().at(-1)).toEqual({ type: "event", topic: "queue.changed", refetch: true });
  });

  test("reads once for all subscribers of a role, and separately for another role", async () => {
    await subscribed();
    await subscribed();
    currentRole = "admin";
    const admin = await subscribed(["task.changed"], "bob");
    change("task.changed", ["id-1"]);
    await round();
    expect(reads.map(({ role }) => role).sort()).toEqual(["admin", "viewer"]);
    expect(admin.events()[0]).toMatchObject({ rows: [{ role: "admin" }] });
  });

  test.each<[string, (line: Line) => void]>([
    ["64 frames wait", (line) => line.block(0)],
    ["1 MiB waits", (line) => line.block(1_048_577)],
  ])("collapses what waits into one refetch per topic while %s, and loses nothing", async (_what, block) => {
    const line = await subscribed(["task.changed", "agent.changed"]);
    block(line);
    for (let index = 0; index < 80; index += 1) {
      change("task.changed", [`id-${index}`]);
      await round();
    }
    const stuckAt = line.events().length;
    expect(stuckAt).toBeLessThanOrEqual(64);
    change("agent.changed", ["agent-1"]);
    await round();
    expect(line.events()).toHaveLength(stuckAt);

    line.flush();
    await round();
    await round();
    await round();
    expect(line.events().slice(stuckAt)).toEqual([
      { type: "event", topic: "task.changed", refetch: true, counts: { all: 1 } },
      { type: "event", topic: "agent.changed", refetch: true, counts: { all: 1 } },
    ]);
  });

  test("sends changes that could not be read as a refetch once they can", async () => {
    const line = await subscribed(["task.changed", "agent.changed"]);
    const other = await subscribed(["agent.changed"], "bob");
    isAway = true;
    change("task.changed", ["id-1"]);
    change("agent.changed", ["id-2"]);
    await round();
    await round();
    expect([...line.events(), ...other.events()]).toEqual([]);
    isAway = false;
    await round();
    await round();
    expect(
      line
        .events()
        .map(({ topic, refetch }) => [topic, refetch])
        .sort(),
    ).toEqual([
      ["agent.changed", true],
      ["task.changed", true],
    ]);
    expect(other.events()).toMatchObject([{ topic: "agent.changed", refetch: true }]);
  });

  test("applies the newest subscribe, and keeps what waits of the same project", async () => {
    const line = await subscribed(["task.changed", "agent.changed"]);
    change("task.changed", ["id-1"]);
    change("agent.changed", ["id-2"]);
    line.say({ type: "subscribe", project_id: projectId, topics: ["agent.changed"] });
    line.say({ type: "subscribe", project_id: projectId.toUpperCase(), topics: ["task.changed"] });
    await settle();
    expect(line.sent.at(-1)).toEqual({ type: "ready", topics: ["task.changed"] });
    await round();
    await round();
    expect(line.events().map(({ topic }) => topic)).toEqual(["task.changed"]);
  });

  test("closes with 4400 without a subscribe within 10 s, whatever else it receives", async () => {
    const line = connect();
    for (let elapsed = 0; elapsed < 10; elapsed += 2) {
      clock.advance(2000);
      line.say({ type: "ping" });
      await round();
      expect(line.closed).toBeNull();
    }
    expect(line.sent).toHaveLength(5);
    clock.advance(1);
    await round();
    expect(line.closed).toBe(4400);
  });

  test.each([
    "no JSON",
    "null",
    "[]",
    { type: "unsubscribe" },
    { type: "subscribe" },
    { type: "subscribe", project_id: projectId, topics: [] },
    { type: "subscribe", project_id: projectId, topics: ["everything"] },
    { type: "subscribe", project_id: "no uuid", topics: ["task.changed"] },
    { type: "ping", padding: "x".repeat(17_000) },
  ])("closes with 4400 after %j", async (frame) => {
    const line = connect();
    line.say(frame);
    await settle();
    expect(line.closed).toBe(4400);
  });

  test("closes with 4403 for a project of others and with 4401 without a session", async () => {
    const line = connect();
    line.say({ type: "subscribe", project_id: "11111111-2222-4333-8444-000000000000", topics: ["task.changed"] });
    await settle();
    expect(line.closed).toBe(4403);
    currentRole = "no_session";
    const other = connect();
    other.say({ type: "subscribe", project_id: projectId, topics: ["task.changed"] });
    await settle();
    expect(other.closed).toBe(4401);
  });

  test("closes with 4408 after 90 silent seconds", async () => {
    const line = await subscribed();
    clock.advance(89_000);
    line.say({ type: "ping" });
    clock.advance(90_000);
    await round();
    expect(line.closed).toBeNull();
    clock.advance(1);
    await round();
    expect(line.closed).toBe(4408);
  });

  test("checks session, membership and role again every minute", async () => {
    const line = await subscribed();
    const lost = await subscribed(["task.changed"], "bob");
    clock.advance(60_001);
    currentRole = "operator";
    await round();
    change("task.changed", ["id-1"]);
    await round();
    expect(line.events()[0]).toMatchObject({ rows: [{ role: "operator" }] });
    currentRole = "no_membership";
    clock.advance(29_000);
    for (const each of [line, lost]) each.say({ type: "ping" });
    clock.advance(32_000);
    await round();
    await round();
    expect([line.closed, lost.closed]).toEqual([4403, 4403]);
  });

  test("checks every role with the next tick once one may have changed, and repeats a check in progress", async () => {
    const lost = await subscribed(["task.changed"], "bob");
    const asking = connect("carl");
    asking.say({ type: "subscribe", project_id: projectId, topics: ["task.changed"] });
    currentRole = "no_membership";
    hub.rolesChanged();
    await settle();
    expect([lost.closed, asking.closed]).toEqual([null, 4403]);
    await round();
    expect(lost.closed).toBe(4403);
  });

  test("closes at once the clients of an ended session, and no others", async () => {
    const ann = await subscribed();
    const bob = await subscribed(["task.changed"], "bob");
    const dora = await subscribed(["task.changed"], "dora");
    hub.sessionEnded("session-ann");
    hub.userEnded("bob");
    expect([ann, bob, dora].map(({ closed }) => closed)).toEqual([4401, 4401, null]);
  });

  test("accepts 50 sockets of one user, and closes further ones with 4402, as it does all when it stops", async () => {
    const lines = Array.from({ length: 50 }, () => connect());
    expect(connect().closed).toBe(4402);
    const other = connect("bob");
    expect(other.closed).toBeNull();
    lines[0]?.close(1000);
    expect(connect().closed).toBeNull();
    hub.stop();
    expect(other.closed).toBe(4402);
    expect(hub.size()).toBe(0);
  });
});
