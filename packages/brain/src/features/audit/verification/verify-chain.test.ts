import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { createKeyring } from "../../../platform/crypto/keyring.ts";
import type { AuditLogRow } from "../../../schema/tables/index.ts";
import { instantOfMicros } from "../chain/chain.ts";
import { type Audit, createAudit, createUpkeep } from "../index.ts";
import { type HeadAnchor, parseAnchor } from "./anchor.ts";

const secret = "current-audit-secret-0123456789abcdef";
const userId = "2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d";
const otherId = "3c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d";

for (const dialect of testDialects) {
  describe(`verification of the audit chain on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const clock = createFakeClock();
    const secrets = createKeyring(secret);
    let audit: Audit;

    const auditWith = (keyring = secrets) =>
      createAudit({ database: opened.database, secrets: keyring, clock, onError: () => {} });
    const upkeep = (keyring = secrets) => createUpkeep({ database: opened.database, secrets: keyring, clock });
    const rows = () =>
      opened.database.read.selectFrom("audit_log").selectAll().orderBy("occurred_us").orderBy("id").execute();
    const change = (id: string, values: Partial<AuditLogRow>) =>
      opened.database.write((tx) => tx.updateTable("audit_log").set(values).where("id", "=", id).execute());
    const remove = (id: string) =>
      opened.database.write((tx) => tx.deleteFrom("audit_log").where("id", "=", id).execute());
    const verdict = async (options = {}) => {
      const { outcome, fault, rows: walked } = await audit.verify(options);
      return { outcome, reason: fault?.reason ?? null, row: fault?.row_id ?? null, rows: walked };
    };
    const clean = (count: number) => ({ outcome: "clean", reason: null, row: null, rows: count });
    const failed = (reason: string, row: string | null, before: number) => ({
      outcome: "failed",
      reason,
      row,
      rows: before,
    });

    /** A chain of 1200 rows, which is more than two pages. */
    beforeEach(async () => {
      await opened.database.write(async (tx) => {
        await tx.deleteFrom("audit_log").execute();
        await tx.deleteFrom("audit_chain_state").execute();
      });
      audit = auditWith();
      await audit.prepare();
      await audit.record(
        Array.from({ length: 1199 }, (_, n) => ({
          action: n % 2 === 0 ? "project.updated" : "auth.login",
          target_type: "test",
          user_id: n % 3 === 0 ? userId : null,
          metadata: { n, text: 'é "quoted" \u2028\n\u0001' },
        })),
      );
    });

    test("finds a chain clean and reports progress, even while the chain grows", async () => {
      const progress: number[] = [];
      expect(await verdict({ onProgress: (done: number) => void progress.push(done) })).toEqual(clean(1200));
      expect(progress).toEqual([500, 1000, 1200]);
      const whileGrowing = await verdict({
        onProgress: () => audit.refused({ action: "auth.ip_denied", target_type: "test" }),
      });
      expect(whileGrowing).toEqual(clean(1200));
      await audit.settled();
      expect(await verdict()).toEqual(clean(1203));
    });

    test("checks only the oldest rows when given a limit, and then does not check the end", async () => {
      const { outcome, isComplete, rows: walked } = await audit.verify({ limit: 700 });
      expect({ outcome, isComplete, walked }).toEqual({ outcome: "clean", isComplete: false, walked: 700 });
      await remove((await rows())[700]!.id);
      expect((await audit.verify({ limit: 700 })).outcome).toBe("clean");
      expect((await audit.verify({ limit: 701 })).outcome).toBe("failed");
    });

    test("names the row in which a byte of any column was changed", async () => {
      const row = (await rows())[600]!;
      const signed: Partial<AuditLogRow>[] = [
        { metadata: row.metadata.replace("é", "e") },
        { action: "project.updatee" },
        { target_type: "text" },
        { target_id: "x" },
        { result: "failed" },
        { outcome: "deny" },
        { event_id: "x" },
        { source_ip: "10.0.0.1" },
        { user_agent: "x" },
        { project_id: otherId },
        { api_key_id: otherId },
        { row_hmac: row.row_hmac.replace(/.$/, (last) => (last === "0" ? "1" : "0")) },
      ];
      for (const values of signed) {
        await change(row.id, values);
        expect(await verdict(), Object.keys(values)[0]).toEqual(failed("signature", row.id, 600));
        await change(row.id, row);
      }
      await change(row.id, { hmac_version: 1 });
      expect(await verdict()).toEqual(failed("version", row.id, 600));
      await change(row.id, { hmac_version: 2, legacy_class: "old" });
      expect(await verdict()).toEqual(failed("version", row.id, 600));
      await change(row.id, { legacy_class: null, chain_generation: otherId });
      expect(await verdict()).toEqual(failed("generation", row.id, 600));
      await change(row.id, { chain_generation: row.chain_generation, hmac_key_id: "00" });
      expect(await verdict()).toEqual(failed("key", row.id, 600));
      await change(row.id, row);
      expect(await verdict()).toEqual(clean(1200));
    });

    test("names the row after a dropped one, and the first of two swapped rows", async () => {
      const all = await rows();
      const [first, second] = [all[500]!, all[501]!];
      await change(second.id, { occurred_us: first.occurred_us });
      await change(first.id, { occurred_us: second.occurred_us });
      expect(await verdict()).toEqual(failed("signature", second.id, 500));
      await change(first.id, first);
      await change(second.id, second);
      await remove(first.id);
      expect(await verdict()).toEqual(failed("link", second.id, 500));
    });

    test("names an inserted row", async () => {
      const all = await rows();
      const copied = all[10]!;
      const inserted = {
        ...copied,
        id: otherId,
        occurred_us: copied.occurred_us + 1_000_000_000_000,
        prev_row_hmac: "f".repeat(64),
      };
      await opened.database.write((tx) => tx.insertInto("audit_log").values(inserted).execute());
      expect(await verdict()).toEqual(failed("signature", otherId, 1200));
    });

    test("names the head when the end was truncated, and the first row when the beginning was removed", async () => {
      const all = await rows();
      await remove(all[1199]!.id);
      expect(await verdict()).toEqual(failed("head_missing", all[1199]!.id, 1199));
      await remove(all[0]!.id);
      expect(await verdict()).toEqual(failed("link", all[1]!.id, 0));
    });

    test("names the first row after the head when an older state was restored", async () => {
      const older = await opened.database.read.selectFrom("audit_chain_state").selectAll().executeTakeFirstOrThrow();
      await audit.record({ action: "project.created", target_type: "test" });
      const last = (await rows()).at(-1)!;
      await opened.database.write((tx) => tx.updateTable("audit_chain_state").set(older).execute());
      expect(await verdict()).toEqual(failed("after_head", last.id, 1200));
    });

    test("fails for a changed or missing state, and gives no verdict when no chain has begun", async () => {
      const { state } = await opened.database.read
        .selectFrom("audit_chain_state")
        .select("state")
        .executeTakeFirstOrThrow();
      await opened.database.write((tx) =>
        tx
          .updateTable("audit_chain_state")
          .set({ state: state.replace("1200", "1201") })
          .execute(),
      );
      expect(await verdict()).toEqual(failed("state", null, 0));
      await opened.database.write((tx) => tx.deleteFrom("audit_chain_state").execute());
      expect(await verdict()).toEqual(failed("state", null, 0));
      await opened.database.write((tx) => tx.deleteFrom("audit_log").execute());
      await expect(audit.verify()).rejects.toThrow(/no chain has begun/);
    });

    test("gives no verdict without a secret that signed rows", async () => {
      const next = createKeyring("next-audit-secret-0123456789abcdefghij", [secret]);
      const rotated = auditWith(next);
      await rotated.record({ action: "project.created", target_type: "test" });
      expect((await rotated.verify()).outcome).toBe("clean");
      const forgetful = auditWith(createKeyring(next.current));
      await expect(forgetful.verify()).rejects.toThrow(/is not configured/);
      await expect(audit.verify()).rejects.toThrow(/is not configured/);
    });

    test("compares every row's user with its signed reference, and requires a deletion row for missing users", async () => {
      const all = await rows();
      const acted = all.find(({ user_id }) => user_id !== null)!;
      const at = all.indexOf(acted);
      await change(acted.id, { user_id: otherId });
      expect(await verdict()).toEqual(failed("actor", acted.id, at));
      await change(acted.id, { user_id: null });
      expect(await verdict()).toEqual(failed("actor", acted.id, 1200));
      const anonymous = all.find(({ user_id }, index) => user_id === null && index > at)!;
      await change(acted.id, { user_id: userId });
      await change(anonymous.id, { user_id: userId });
      expect(await verdict()).toEqual(failed("actor", anonymous.id, all.indexOf(anonymous)));
      await change(anonymous.id, { user_id: null });

      const entry = { action: "user.deleted", target_type: "user", target_id: userId };
      await opened.database.write((tx) => audit.forgetUser(tx, { userId, entry }));
      expect((await rows()).some(({ user_id }) => user_id === userId)).toBe(false);
      expect(await verdict()).toEqual(clean(1201));
    });

    test("verifies the chain against a recorded head", async () => {
      const anchor = parseAnchor((await upkeep().head())!);
      const against = async (given = anchor) => {
        const { anchor: verdict, anchorFault: reason } = await audit.verify({ anchor: given });
        expect(await upkeep().verifyAnchor(given)).toEqual({ verdict, reason });
        return verdict;
      };
      expect(await against()).toBe("CURRENT_MATCH");
      await audit.record({ action: "project.created", target_type: "test" });
      expect(await against()).toBe("VERIFIED_ANCESTOR");
      expect(await against({ ...anchor, row_hmac: "0".repeat(64) })).toBe("UNPROVABLE");
      expect(await against({ ...anchor, generation: otherId })).toBe("UNPROVABLE");
      expect(await against({ ...anchor, id: otherId })).toBe("UNPROVABLE");
      await change(anchor.id, { result: "failed" });
      expect(await upkeep().verifyAnchor(anchor)).toEqual({ verdict: "UNPROVABLE", reason: "row_altered" });
    });

    describe("an anchor", () => {
      const anchorNow = async () => parseAnchor((await upkeep().head())!);
      const judged = async (anchor: HeadAnchor) => {
        const { verdict, reason } = await upkeep().verifyAnchor(anchor);
        // A walk over all rows never proves more than the check of the anchor alone.
        if (verdict === "UNPROVABLE") expect((await audit.verify({ anchor })).anchor).toBe("UNPROVABLE");
        return reason ?? verdict;
      };
      const record = () => audit.record({ action: "project.created", target_type: "test" });
      const stateRow = () => opened.database.read.selectFrom("audit_chain_state").selectAll().executeTakeFirstOrThrow();
      const writeState = (values: Awaited<ReturnType<typeof stateRow>>) =>
        opened.database.write((tx) => tx.updateTable("audit_chain_state").set(values).execute());

      test("of the head is unprovable once its row is deleted, although the state still names it", async () => {
        const anchor = await anchorNow();
        await remove(anchor.id);
        expect(await judged(anchor)).toBe("head_missing");
      });

      test("of the head is unprovable once its row was changed", async () => {
        const anchor = await anchorNow();
        await change(anchor.id, { metadata: "{}" });
        expect(await judged(anchor)).toBe("head_altered");
      });

      test("of an older row is unprovable once that row, or the head after it, is deleted", async () => {
        const anchor = await anchorNow();
        await record();
        const row = (await rows()).find(({ id }) => id === anchor.id)!;
        await remove(anchor.id);
        expect(await judged(anchor)).toBe("row_missing");
        await opened.database.write((tx) => tx.insertInto("audit_log").values(row).execute());
        expect(await judged(anchor)).toBe("VERIFIED_ANCESTOR");
        await remove((await anchorNow()).id);
        expect(await judged(anchor)).toBe("head_missing");
      });

      test("is unprovable once a row before or after it is deleted", async () => {
        const anchor = await anchorNow();
        await record();
        await record();
        const all = await rows();
        await remove(all[600]!.id);
        expect([await judged(anchor), await judged(await anchorNow())]).toEqual(["row_count", "row_count"]);
        await opened.database.write((tx) => tx.insertInto("audit_log").values(all[600]!).execute());
        await remove(all[1200]!.id);
        expect(await judged(anchor)).toBe("row_count");
      });

      test("is unprovable once all rows are deleted and the state is kept", async () => {
        const anchor = await anchorNow();
        await opened.database.write((tx) => tx.deleteFrom("audit_log").execute());
        expect(await judged(anchor)).toBe("head_missing");
      });

      test("is provable after the rows were pruned as recorded in the state, including the head", async () => {
        const middle = (await rows())[600]!;
        const anchor = await anchorNow();
        const older: HeadAnchor = {
          ...anchor,
          id: middle.id,
          row_hmac: middle.row_hmac,
          occurred_at: `${instantOfMicros(middle.occurred_us).slice(0, 26)}Z`,
        };
        expect(await judged(older)).toBe("VERIFIED_ANCESTOR");
        await audit.prune({ mayGo: () => true, maxRows: 5000 });
        expect(await rows()).toEqual([]);
        expect([await judged(anchor), await judged(older)]).toEqual(["CURRENT_MATCH", "VERIFIED_ANCESTOR"]);
      });

      test("is unprovable when the state was changed, or an older state was restored while its row still exists", async () => {
        const state = await stateRow();
        await record();
        const anchor = await anchorNow();
        const current = await stateRow();
        await writeState({
          ...current,
          state: current.state.replace('"active_row_count":1201', '"active_row_count":1200'),
        });
        expect(await judged(anchor)).toBe("state");
        await writeState(state);
        expect(await judged(anchor)).toBe("newer_than_head");
      });

      test("is unprovable when the chain was restarted", async () => {
        const anchor = await anchorNow();
        await opened.database.write(async (tx) => {
          await tx.deleteFrom("audit_log").execute();
          await tx.deleteFrom("audit_chain_state").execute();
        });
        await audit.prepare();
        expect(await judged(anchor)).toBe("generation");
      });
    });

    test("cannot prove a head that is missing because an older copy of the database was restored", async () => {
      const state = await opened.database.read.selectFrom("audit_chain_state").selectAll().executeTakeFirstOrThrow();
      await audit.record({ action: "project.created", target_type: "test" });
      const anchor = parseAnchor((await upkeep().head())!);
      await remove(anchor.id);
      await opened.database.write((tx) => tx.updateTable("audit_chain_state").set(state).execute());
      const { outcome, anchor: found } = await audit.verify({ anchor });
      expect({ outcome, found }).toEqual({ outcome: "clean", found: "UNPROVABLE" });
    });

    test("signs the state with the current key after a rotation", async () => {
      const next = createKeyring("next-audit-secret-0123456789abcdefghij", [secret]);
      const { keyId } = await upkeep(next).rotateKey();
      const { state } = await opened.database.read
        .selectFrom("audit_chain_state")
        .select("state")
        .executeTakeFirstOrThrow();
      expect(JSON.parse(state).state_key_id).toBe(keyId);
      expect((await upkeep(next).verify()).outcome).toBe("clean");
      await expect(upkeep().rotateKey()).rejects.toThrow(/not configured/);
    });
  });
}
