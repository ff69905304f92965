import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { startHttpsServer } from "@svc/testkit/services/https-server";
import { afterEach, describe, expect, onTestFinished, test } from "vitest";
import manifest from "../../../package.json" with { type: "json" };
import { agentRow } from "../../../test/rows/agent-rows.ts";
import { systemClock } from "../../platform/clock.ts";
import { checkAgents, checkClock } from "./fleet.ts";
import { checkCertificate } from "./outside.ts";

const now = new Date("2026-06-01T12:00:00Z");
const before = (seconds: number) => new Date(now.getTime() - seconds * 1000);
const settings = { SVC_AGENT_OFFLINE_TIMEOUT_SECONDS: 30 };
const projectId = "11111111-2222-4333-8444-555555555555";
const [major = 0, minor = 0] = manifest.version.split(".").map(Number);

for (const dialect of testDialects) {
  describe(`agents on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    afterEach(async () => {
      await opened.database.write((tx) => tx.deleteFrom("projects").execute());
    });

    async function check(...agents: Omit<Parameters<typeof agentRow>[0], "project_id">[]) {
      await addProject(opened.database, projectId);
      const rows = agents.map((agent) => agentRow({ ...agent, project_id: projectId }));
      await opened.database.write((tx) => tx.insertInto("agents").values(rows).execute());
      return checkAgents(opened.database, settings, now);
    }

    test.each([
      [
        "is connected and has the same version",
        { last_seen_at: before(3), agent_version: manifest.version },
        "ok",
        /3 s ago/,
      ],
      [
        "has been silent for too long",
        { last_seen_at: before(300), agent_version: manifest.version },
        "warning",
        /5 min ago/,
      ],
      ["never connected", {}, "warning", /never connected/],
      [
        "has another major version",
        { last_seen_at: before(3), agent_version: `${major + 1}.0.0` },
        "failed",
        /not compatible/,
      ],
      [
        "is newer than the service",
        { last_seen_at: before(3), agent_version: `${major}.${minor + 1}.0` },
        "warning",
        /use the same version for both/,
      ],
    ] as const)("one that %s", async (_what, given, status, words) => {
      const [finding, ...more] = await check({ name: "one", ...given });
      expect(more).toEqual([]);
      expect(finding?.status).toBe(status);
      expect(`${finding?.message}; ${finding?.advice}`).toMatch(words);
      expect(finding?.message).toContain("/one");
    });

    test("one whose clock is ahead is reported", async () => {
      const agent = agentRow({
        ...{ project_id: projectId, name: "fast", last_seen_at: before(3), agent_version: manifest.version },
      });
      await addProject(opened.database, projectId);
      await opened.database.write(async (tx) => {
        await tx.insertInto("agents").values(agent).execute();
        const sample = { project_id: projectId, agent_id: agent.id, captured_at: before(-40), payload: "{}" };
        await tx
          .insertInto("agent_status_history")
          .values(sample as never)
          .execute();
      });
      expect(await checkAgents(opened.database, settings, now)).toMatchObject([
        { status: "warning", message: expect.stringContaining("clock 43 s ahead") },
      ]);
    });

    test("many are listed in twenty lines, problems first", async () => {
      const fine = Array.from({ length: 30 }, (_, index) => ({
        ...{ name: `fine-${index}`, last_seen_at: before(1), agent_version: manifest.version },
      }));
      const findings = await check(...fine, { name: "silent" });
      expect(findings).toHaveLength(21);
      expect(findings[0]).toMatchObject({ status: "warning", message: expect.stringContaining("/silent") });
      expect(findings.at(-1)).toMatchObject({ status: "ok", message: "11 more" });
    });

    test("revoked ones are left out", async () => {
      expect(await check({ name: "revoked", revoked_at: now })).toEqual([expect.objectContaining({ status: "ok" })]);
    });

    test("a clock that differs from the database's is reported with advice", async () => {
      expect((await checkClock(opened.database, systemClock)).status).toBe("ok");
      const late = (seconds: number) => ({
        ...systemClock,
        now: () => new Date(Date.now() - seconds * 1000),
      });
      const found = [await checkClock(opened.database, late(20)), await checkClock(opened.database, late(90))];
      const statuses = found.map(({ status }) => status);
      expect(statuses).toEqual(dialect === "postgres" ? ["warning", "failed"] : ["ok", "ok"]);
      if (dialect === "postgres") expect(found[1]?.message).toMatch(/^the database's clock is (89|90)\.\d s ahead$/);
    });
  });
}

describe("the certificate of the public URL", () => {
  const end = new Date("2126-10-29T19:39:26Z");
  const daysBefore = (days: number) => new Date(end.getTime() - days * 86_400_000);

  test.each([
    ["valid for years", 1000, "ok"],
    ["about to end", 5, "warning"],
    ["over", -1, "failed"],
  ] as const)("is %s", async (_what, days, status) => {
    const site = await startHttpsServer();
    onTestFinished(() => site.stop());
    expect(await checkCertificate(site.url, daysBefore(days))).toMatchObject([
      { status, message: expect.stringContaining("2126-10-29") },
    ]);
  });

  test("is not checked without https", async () => {
    expect(await checkCertificate("http://localhost:7700", now)).toEqual([]);
  });
});
