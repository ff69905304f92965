import { createFakeClock } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { callAgentRoute, openAgentSocket } from "@svc/testkit/raw-agent";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const perFlood = 300;

for (const dialect of routeDialects) {
  describe(`strangers from many addresses on ${dialect}`, () => {
    let brain: TestBrain;
    beforeAll(async () => {
      brain = await startTestBrain({
        dialect,
        // Never advances, so each flood stays within one minute of the log's rate limit.
        clock: createFakeClock(new Date()),
        env: { SVC_TRUSTED_PROXIES: "127.0.0.1", SVC_LOG_LEVEL: "info", SVC_OPENAPI_VISIBILITY: "public" },
      });
    });
    afterAll(() => brain.stop());

    const from = (block: number, n: number) => ({ "x-forwarded-for": `10.${block}.${n >> 8}.${n & 255}` });
    async function linesDuring(flood: (n: number) => Promise<unknown>): Promise<string[]> {
      const before = brain.logLines.length;
      await Promise.all(Array.from({ length: perFlood }, (_, n) => flood(n)));
      return brain.logLines.slice(before);
    }
    async function recorded(action: string): Promise<number> {
      const { database, features } = brain.running.brain;
      await features.audit.settled();
      const rows = await database.read.selectFrom("audit_log").select(["action", "metadata"]).execute();
      const counts = rows.map((row) =>
        row.action === action
          ? 1
          : row.action === "auth.refusals_suppressed"
            ? (JSON.parse(row.metadata).kinds[action] ?? 0)
            : 0,
      );
      return counts.reduce((sum: number, count: number) => sum + count, 0);
    }
    const post = (path: string, n: number, body: unknown) =>
      callAgentRoute(brain.url, path, {
        method: "POST",
        headers: { "content-type": "application/json", ...from(4, n) },
        body: JSON.stringify(body),
      });

    test("with unknown agent tokens cause no log lines, and each has an audit row", async () => {
      const lines = await linesDuring(async (n) => {
        const headers = { authorization: `Bearer stranger-${n}`, ...from(1, n) };
        const answer = await callAgentRoute(brain.url, "/agent/commands?wait=0", { headers });
        expect(answer.status).toBe(401);
      });
      expect(lines).toEqual([]);
      expect(await recorded("agent.auth.bearer_failed")).toBe(perFlood);
    });

    test("on the WebSocket route cause no log lines either", async () => {
      const before = await recorded("agent.auth.bearer_failed");
      const lines = await linesDuring(async (n) => {
        if (n < 100) expect((await openAgentSocket(brain.url, "nope", from(2, n)).closed).code).toBe(4401);
      });
      expect(lines).toEqual([]);
      expect((await recorded("agent.auth.bearer_failed")) - before).toBe(100);
    });

    test("with unknown accounts cause one log line, and each checked attempt has an audit row", async () => {
      const statuses: number[] = [];
      const lines = await linesDuring(async (n) => {
        const answer = await post("/auth/login", n, { email: `unknown-${n}@example.org`, password: "guess" });
        statuses.push(answer.status);
      });
      expect(lines.map((line) => JSON.parse(line).event)).toEqual(["auth.login_failed"]);
      expect(statuses.filter((status) => status !== 401 && status !== 503)).toEqual([]);
      expect(await recorded("auth.login_failed")).toBe(statuses.filter((status) => status === 401).length);
    });

    test("that request password resets of others cause at most one log line", async () => {
      const lines = await linesDuring((n) =>
        post("/auth/password-reset/request", n, { email: `unknown-${n}@example.org` }),
      );
      expect(lines.length).toBeLessThanOrEqual(1);
      await brain.running.brain.features.passwordReset.settled();
      expect(await recorded("auth.password_reset_requested")).toBeGreaterThan(0);
    });

    test("that read the API description have audit rows, written after other writes", async () => {
      const lines = await linesDuring((n) => callAgentRoute(brain.url, "/openapi.json", { headers: from(5, n) }));
      expect(lines).toEqual([]);
      expect(await recorded("openapi.schema_accessed")).toBe(perFlood);
    });
  });
}
