import { randomUUID } from "node:crypto";
import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { createKeyring } from "../../../platform/crypto/keyring.ts";
import { chainRows, changeChain } from "../chain/append.ts";
import { createChainKeys } from "../chain/chain-keys.ts";
import { prepareEntry } from "../chain/entry.ts";
import { type Audit, createAudit, createUpkeep } from "../index.ts";
import { pruneAudit } from "../loops.ts";
import { parseAnchor } from "../verification/anchor.ts";
import { ConcurrentPrune, pastRetention } from "./prune.ts";

const dayMs = 86_400_000;
const settings = {
  SVC_AUDIT_RETENTION_DAYS: 90,
  SVC_AUDIT_RETENTION_BY_CLASS: {} as Record<string, number>,
  SVC_AUDIT_RETENTION_SWEEP_INTERVAL_SECONDS: 3600,
  SVC_AUDIT_RETENTION_SWEEP_BATCH_SIZE: 5000,
  SVC_AUDIT_RETENTION_SWEEP_MAX_PER_PASS: 200_000,
  SVC_AUDIT_CHAIN_VERIFY_ENABLED: false,
  SVC_AUDIT_CHAIN_VERIFY_INTERVAL_SECONDS: 900,
};

for (const dialect of testDialects) {
  describe(`pruning the audit log on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const secrets = createKeyring("current-audit-secret-0123456789abcdef");
    let clock = createFakeClock(new Date());
    let audit: Audit;

    const upkeep = () => createUpkeep({ database: opened.database, secrets, clock });
    const actions = async () =>
      (
        await opened.database.read.selectFrom("audit_log").selectAll().orderBy("occurred_us").orderBy("id").execute()
      ).map(({ action }) => action);
    const add = (...names: string[]) => audit.record(names.map((action) => ({ action, target_type: "test" })));
    /** A row of the clock's time: retention counts back from a day before the newest row. */
    const addNow = (action: string) =>
      opened.database.write((tx) =>
        changeChain(tx, context(), (state) =>
          chainRows(state, [prepareEntry({ action, target_type: "test" })], {
            ...context(),
            nowMicros: clock.now().getTime() * 1000,
          }),
        ),
      );
    const context = () => ({
      keys: createChainKeys(secrets),
      dialect: opened.database.dialect,
      newId: () => randomUUID(),
    });
    const outcome = async () => (await audit.verify()).outcome;
    const sweep = async (changed: Partial<typeof settings> = {}) => {
      const swept: number[] = [];
      const metrics = { swept: (removed: number) => void swept.push(removed) };
      const given = { ...settings, ...changed };
      await pruneAudit.tick({ audit, clock, settings: given, metrics, signal: new AbortController().signal });
      return swept;
    };

    /** generation_start, then these, all written now. */
    beforeEach(async () => {
      await opened.database.write(async (tx) => {
        await tx.deleteFrom("audit_log").execute();
        await tx.deleteFrom("audit_chain_state").execute();
      });
      clock = createFakeClock(new Date());
      audit = createAudit({ database: opened.database, secrets, clock, onError: () => {} });
      await audit.prepare();
      await add("auth.login", "project.created", "auth.logout", "project.updated");
    });

    test("keeps rows within their retention and removes the oldest ones afterwards", async () => {
      expect(await sweep()).toEqual([0]);
      clock.advance(92 * dayMs);
      await addNow("auth.login");
      expect(await sweep()).toEqual([5]);
      expect(await actions()).toEqual(["auth.login"]);
      expect(await outcome()).toBe("clean");
      await add("auth.logout");
      expect(await actions()).toEqual(["auth.login", "auth.logout"]);
      expect(await outcome()).toBe("clean");
    });

    test("removes nothing when only the clock has advanced, as after a clock jump", async () => {
      clock.advance(120 * dayMs);
      expect(await sweep()).toEqual([0]);
      expect(await actions()).toHaveLength(5);
    });

    test("stops at the oldest row whose class must stay", async () => {
      clock.advance(40 * dayMs);
      await addNow("auth.login");
      const byClass = { auth: 30, audit: 30 };
      expect(await sweep({ SVC_AUDIT_RETENTION_BY_CLASS: byClass })).toEqual([2]);
      expect(await actions()).toEqual(["project.created", "auth.logout", "project.updated", "auth.login"]);
      expect(await outcome()).toBe("clean");
    });

    test("works in batches up to its limit and continues the next time", async () => {
      await add(...Array.from({ length: 1500 }, () => "auth.login"));
      clock.advance(92 * dayMs);
      await addNow("auth.login");
      const pace = { SVC_AUDIT_RETENTION_SWEEP_BATCH_SIZE: 600, SVC_AUDIT_RETENTION_SWEEP_MAX_PER_PASS: 1000 };
      expect(await sweep(pace)).toEqual([1000]);
      expect(await outcome()).toBe("clean");
      expect(await sweep(pace)).toEqual([505]);
    });

    test("by hand removes rows before an instant and records that in the log, in the same transaction", async () => {
      clock.advance(dayMs);
      const before = clock.now();
      expect(await upkeep().prune({ before, settings })).toBe(5);
      const [row] = await opened.database.read.selectFrom("audit_log").selectAll().execute();
      expect(row).toMatchObject({ action: "audit.prune", user_id: null });
      expect(JSON.parse(row!.metadata)).toEqual({ before: before.toISOString(), removed: 5 });
      expect(await outcome()).toBe("clean");
    });

    test("by hand keeps a class with its own retention, and records an attempt that removed nothing", async () => {
      clock.advance(dayMs);
      const strict = { ...settings, SVC_AUDIT_RETENTION_BY_CLASS: { auth: 30 } };
      expect(await upkeep().prune({ before: clock.now(), settings: strict })).toBe(1);
      expect(await upkeep().prune({ before: clock.now(), settings: strict })).toBe(0);
      expect((await actions()).slice(-2)).toEqual(["audit.prune", "audit.prune"]);
      expect((await actions())[0]).toBe("auth.login");
    });

    test("removes nothing from a chain that was tampered with", async () => {
      clock.advance(92 * dayMs);
      await addNow("auth.login");
      await opened.database.write((tx) =>
        tx.updateTable("audit_log").set({ result: "failed" }).where("action", "=", "auth.logout").execute(),
      );
      await expect(sweep()).rejects.toThrow(/cannot be removed: its signature is wrong/);
      expect(await actions()).toHaveLength(6);
    });

    test("rolls back when another process has moved the prune point", async () => {
      clock.advance(91 * dayMs);
      const mayGo = pastRetention(settings, clock.now());
      const held = Promise.withResolvers<void>();
      const begun = Promise.withResolvers<void>();
      const holding = opened.database.write(async (tx) => {
        await tx.updateTable("audit_chain_state").set({ singleton: 1 }).execute();
        begun.resolve();
        await held.promise;
      });
      await begun.promise;
      let planned = 0;
      // Called between the plan and the change: both calls plan before either changes anything.
      const entryOf = () => {
        planned += 1;
        if (planned === 2) held.resolve();
        return null;
      };
      const pruned = [3, 4].map((maxRows) => audit.prune({ mayGo, maxRows, entryOf }));
      const results = await Promise.allSettled(pruned);
      await holding;
      expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
      const [refused] = results.filter((result) => result.status === "rejected");
      expect(refused?.reason).toBeInstanceOf(ConcurrentPrune);
      expect(await outcome()).toBe("clean");
    });

    test("keeps a removed head provable", async () => {
      const anchor = parseAnchor((await upkeep().head())!);
      clock.advance(92 * dayMs);
      await addNow("auth.login");
      expect(await sweep()).toEqual([5]);
      expect(await upkeep().verifyAnchor(anchor)).toEqual({ verdict: "VERIFIED_ANCESTOR", reason: null });
      const later = { ...anchor, occurred_at: "2100-01-01T00:00:00.000000Z" };
      expect(await upkeep().verifyAnchor(later)).toEqual({ verdict: "UNPROVABLE", reason: "newer_than_head" });
    });

    test("continues during concurrent appends", async () => {
      await add(...Array.from({ length: 400 }, () => "auth.login"));
      clock.advance(92 * dayMs);
      await addNow("auth.login");
      const appended = Array.from({ length: 30 }, () => add("project.created"));
      await Promise.all([sweep({ SVC_AUDIT_RETENTION_SWEEP_BATCH_SIZE: 100 }), ...appended]);
      expect(await outcome()).toBe("clean");
    });
  });
}
