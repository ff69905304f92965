import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { startTestBrain } from "@svc/testkit/brain";
import { testDialects } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { svc as runHere } from "./in-process.ts";
import { databaseFor, runSvc, scratchFolder } from "./svc-process.ts";

/** The home and database of a stopped service, with the rows of its first start. */
async function stoppedService(dialect: "sqlite" | "postgres") {
  const cwd = await scratchFolder();
  const url = await databaseFor(cwd, dialect);
  const brain = await startTestBrain({ dialect, databaseUrl: url, home: cwd });
  await brain.stop();
  const env = { SVC_HOME: cwd, SVC_DATABASE_URL: url };
  const svc = (args: readonly string[], more: Record<string, string> = {}) =>
    runHere(["audit", ...args], { ...env, ...more });
  const started = (args: readonly string[]) => runSvc(["audit", ...args], { cwd, env });
  return { cwd, url, svc, started, start: () => startTestBrain({ dialect, databaseUrl: url, home: cwd }) };
}

for (const dialect of testDialects) {
  describe(`svc audit on ${dialect}`, () => {
    test("verifies, anchors, prunes and proves, each with its exit code", async () => {
      const { cwd, svc, started } = await stoppedService(dialect);
      const verified = await started(["verify", "--json"]);
      expect(verified.code).toBe(0);
      const document = JSON.parse(verified.out);
      expect(document).toMatchObject({ outcome: "clean", complete: true, fault: null, anchor: null });
      const limited = await svc(["verify", "--limit", "2"]);
      expect([limited.code, limited.out]).toEqual([0, "clean: 2 rows, later rows were not verified\n"]);

      const file = join(cwd, "head.json");
      expect((await svc(["export-head", file])).code).toBe(0);
      const text = await readFile(file, "utf8");
      expect((await svc(["export-head"])).out).toBe(text);
      expect(Object.keys(JSON.parse(text))).toEqual([
        ...["generation", "hmac_key_id", "hmac_version", "id", "occurred_at", "row_hmac"],
      ]);
      expect(await svc(["verify-anchor", file])).toMatchObject({ code: 0, out: "CURRENT_MATCH\n" });

      const before = new Date().toISOString();
      const counts = `${document.rows_verified} of ${document.rows_verified} audit rows are older than ${before}`;
      const unconfirmed = await svc(["prune", "--before", before]);
      expect([unconfirmed.code, unconfirmed.err]).toEqual([
        6,
        expect.stringContaining(`${counts}. Nothing was removed`),
      ]);
      const ahead = await svc(["prune", "--before", "2999-01-01", "--yes"]);
      expect([ahead.code, ahead.err]).toEqual([2, expect.stringContaining("is in the future")]);
      const pruned = await started(["prune", "--before", before, "--yes"]);
      expect([pruned.code, pruned.out]).toEqual([0, `removed ${document.rows_verified} rows\n`]);
      expect(pruned.err).toContain(counts);
      expect(JSON.parse((await svc(["verify", "--json"])).out)).toMatchObject({ outcome: "clean", rows_verified: 1 });
      expect(await svc(["verify-anchor", file, "--json"])).toMatchObject({
        code: 0,
        out: '{"verdict":"VERIFIED_ANCESTOR"}\n',
      });

      await writeFile(file, text.replace(/"row_hmac":"./, '"row_hmac":"0').replace(/"id":"../, '"id":"ff'));
      expect(await svc(["verify-anchor", file])).toMatchObject({
        code: 1,
        out: "UNPROVABLE\n",
        err: expect.stringContaining("was deleted"),
      });
      expect(JSON.parse((await svc(["verify-anchor", file, "--json"])).out)).toEqual({
        verdict: "UNPROVABLE",
        reason: "row_missing",
      });
      expect((await svc(["verify", "--known-head", file])).code).toBe(1);
      await writeFile(file, text.replace("{", '{"more":1,'));
      expect(await svc(["verify-anchor", file])).toMatchObject({
        code: 4,
        err: expect.stringContaining("unknown key"),
      });
      expect((await svc(["verify-anchor", join(cwd, "none.json")])).code).toBe(5);
    });

    test("rotates the key only while every service is stopped, and requires the old secret", async () => {
      const { svc, start, cwd } = await stoppedService(dialect);
      const secret = /^SVC_AUDIT_CHAIN_SECRET=(.*)$/m.exec(await readFile(join(cwd, "secret.env"), "utf8"))?.[1] ?? "";
      const next = "next-audit-secret-0123456789abcdefghij";
      const rotated = { SVC_AUDIT_CHAIN_SECRET: next, SVC_AUDIT_CHAIN_PREVIOUS_SECRETS: secret };
      const brain = await start();
      const refused = await svc(["rotate-chain-key"], rotated);
      await brain.stop();
      expect([refused.code, refused.err]).toEqual([6, expect.stringContaining("stop it first")]);
      expect((await svc(["rotate-chain-key"], { SVC_AUDIT_CHAIN_SECRET: next })).code).toBe(3);
      expect((await svc(["rotate-chain-key"], rotated)).code).toBe(0);
      expect((await svc(["verify"], rotated)).code).toBe(0);
      const withoutPrevious = await svc(["verify", "--json"], { SVC_AUDIT_CHAIN_SECRET: next });
      expect([withoutPrevious.code, JSON.parse(withoutPrevious.out).outcome]).toEqual([4, "error"]);
    });
  });
}

describe("svc audit", () => {
  test("exits with 1 and names the changed row", async () => {
    const { svc, url } = await stoppedService("sqlite");
    const db = new DatabaseSync(url.slice("sqlite://".length));
    const { id } = db.prepare("SELECT id FROM audit_log ORDER BY occurred_us LIMIT 1 OFFSET 1").get() as { id: string };
    db.prepare("UPDATE audit_log SET result = 'failed' WHERE id = ?").run(id);
    db.close();
    const { code, out } = await svc(["verify"]);
    expect([code, out]).toEqual([1, expect.stringContaining(`failed: a row does not match its signature (row ${id}`)]);
  });

  test.each([
    [["verify", "--limit", "0"], 2],
    [["prune"], 2],
    [["prune", "--before", "yesterday"], 2],
    [["verify-anchor"], 2],
    [["nothing"], 2],
    [[], 2],
    [["verify"], 3],
  ] as const)("exits %j with %i in an empty home", async (args, code) => {
    expect(await runHere(["audit", ...args])).toMatchObject({ code });
  });

  test("exits with 4 and creates no database", async () => {
    const { code, err } = await runHere(["audit", "verify"], {
      SVC_AUDIT_CHAIN_SECRET: "an-audit-secret-0123456789abcdefghijkl",
    });
    expect(code).toBe(4);
    expect(err).toContain("does not exist");
  });
});
