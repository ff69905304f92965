import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeAll, describe, expect, test } from "vitest";
import { createKeyring, type Keyring } from "../../platform/crypto/keyring.ts";
import type { Database } from "../../platform/database/database.ts";
import type { Tables } from "../../schema/tables/index.ts";
import { actorRef, openState, rowHmac, type SignedRow } from "./chain/chain.ts";
import { createChainKeys } from "./chain/chain-keys.ts";
import { type Audit, createAudit } from "./index.ts";

const secrets = createKeyring("current-audit-secret-0123456789abcdef");
const older = "previous-audit-secret-0123456789abcdef";
const userId = "2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d";

for (const dialect of testDialects) {
  describe(`the audit log on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const clock = createFakeClock();
    const errors: unknown[] = [];
    const auditOn = (database: Database<Tables>, chainSecrets: Keyring) =>
      createAudit({ database, secrets: chainSecrets, clock, onError: (error) => errors.push(error) });
    let audit: Audit;

    const rows = () =>
      opened.database.read.selectFrom("audit_log").selectAll().orderBy("occurred_us").orderBy("id").execute();
    const stateRow = () => opened.database.read.selectFrom("audit_chain_state").selectAll().executeTakeFirstOrThrow();

    /** Walks the chain as a verifier would and returns its actions. */
    async function verifiedActions(keys = createChainKeys(secrets)): Promise<string[]> {
      const state = openState(await stateRow(), keys);
      let previous: { row_hmac: string; occurred_us: number } | null = null;
      const walked = await rows();
      for (const row of walked) {
        const { user_id, legacy_class, hmac_version, row_hmac, ...signed } = row;
        expect([hmac_version, legacy_class]).toEqual([2, null]);
        expect(row_hmac).toBe(rowHmac(keys.find(row.hmac_key_id)!, signed satisfies SignedRow));
        expect(row.prev_row_hmac).toBe(previous?.row_hmac ?? null);
        if (previous !== null) expect(row.occurred_us).toBeGreaterThan(previous.occurred_us);
        if (user_id !== null) expect(row.actor_ref).toBe(actorRef(state.installation_id, user_id));
        previous = row;
      }
      expect(state.active_row_count).toBe(walked.length);
      expect(state.head?.row_hmac).toBe(walked.at(-1)?.row_hmac);
      return walked.map(({ action }) => action);
    }

    beforeAll(async () => {
      audit = auditOn(opened.database, secrets);
      await audit.prepare();
    });

    test("begins a generation with one signed row, even when prepared repeatedly and concurrently", async () => {
      const again = await opened.openAgain();
      await Promise.all([audit.prepare(), auditOn(again, secrets).prepare()]);
      await again.close();
      expect(await verifiedActions()).toEqual(["audit.generation_start"]);
      expect(await audit.checkState()).toBe(true);
    });

    test("chains the rows of one action in order, in the action's transaction", async () => {
      await opened.database.write(async (tx) => {
        await tx.insertInto("meta").values({ key: "acted", value: "yes" }).execute();
        await audit.append(tx, [
          { action: "first", target_type: "test", user_id: userId, source_ip: "10.0.0.1", metadata: { n: 1 } },
          { action: "second", target_type: "test" },
        ]);
      });
      expect((await verifiedActions()).slice(-2)).toEqual(["first", "second"]);
    });

    test("rolls back its rows together with a failed action", async () => {
      const before = await rows();
      const failing = opened.database.write(async (tx) => {
        await audit.append(tx, { action: "undone", target_type: "test" });
        throw new Error("stop here");
      });
      await expect(failing).rejects.toThrow("stop here");
      expect(await rows()).toEqual(before);
      expect(await verifiedActions()).not.toContain("undone");
    });

    test("keeps a single chain when many transactions of two processes append concurrently", async () => {
      const again = await opened.openAgain();
      const other = auditOn(again, secrets);
      const before = (await rows()).length;
      const appended = Array.from({ length: 60 }, (_, index) =>
        (index % 2 === 0 ? audit : other).record({ action: `concurrent.${index}`, target_type: "test" }),
      );
      await Promise.all(appended);
      await again.close();
      expect((await verifiedActions()).length).toBe(before + 60);
    });

    test("keeps exactly the rows of the successful actions among many concurrent ones", async () => {
      const before = await verifiedActions();
      const act = (index: number) =>
        opened.database.write(async (tx) => {
          await tx
            .insertInto("meta")
            .values({ key: `many.${index}`, value: "yes" })
            .execute();
          await audit.append(tx, { action: `many.${index}`, target_type: "test" });
          if (index % 5 === 0) throw new Error("stop here");
          // The database rejects this statement, which rolls back the whole action.
          if (index % 7 === 0)
            await tx
              .insertInto("meta")
              .values({ key: `many.${index}`, value: "again" })
              .execute();
        });
      const settled = await Promise.allSettled(Array.from({ length: 80 }, (_, index) => act(index)));
      const done = settled.flatMap(({ status }, index) => (status === "fulfilled" ? [`many.${index}`] : []));
      expect(done).toEqual(
        Array.from({ length: 80 }, (_, index) => index).flatMap((index) =>
          index % 5 === 0 || index % 7 === 0 ? [] : [`many.${index}`],
        ),
      );
      const kept = await opened.database.read.selectFrom("meta").select("key").where("key", "like", "many.%").execute();
      expect(kept.map(({ key }) => key).sort()).toEqual([...done].sort());
      expect((await verifiedActions()).slice(before.length).sort()).toEqual([...done].sort());
    });

    test("records a refusal once per key in ten minutes, independently for each key", async () => {
      const count = async () => (await rows()).filter(({ action }) => action === "auth.ip_denied").length;
      const refuse = (address: string) =>
        audit.refused(
          {
            action: "auth.ip_denied",
            target_type: "address",
            target_id: address,
            result: "denied",
            source_ip: address,
          },
          { scope: "auth.ip_denied", address },
        );
      refuse("10.0.0.1");
      refuse("10.0.0.1");
      refuse("10.0.0.2");
      await audit.settled();
      expect(await count()).toBe(2);
      clock.advance(9 * 60_000);
      refuse("10.0.0.1");
      await audit.settled();
      expect(await count()).toBe(2);
      clock.advance(60_000);
      refuse("10.0.0.1");
      await audit.settled();
      expect(await count()).toBe(3);
    });

    test("reads at most the requested number of addresses of an action since an instant", async () => {
      const since = new Date(Date.now() - 60_000);
      await audit.record([
        { action: "setup.attempt", target_type: "setup", source_ip: "10.9.9.9" },
        { action: "setup.attempt", target_type: "setup", source_ip: "10.9.9.8" },
        { action: "setup.completed", target_type: "setup", source_ip: "10.9.9.7" },
      ]);
      const query = { action: "setup.attempt", since, limit: 10 };
      expect((await audit.addressesSince(query)).sort()).toEqual(["10.9.9.8", "10.9.9.9"]);
      expect(await audit.addressesSince({ ...query, limit: 1 })).toHaveLength(1);
      expect(await audit.addressesSince({ ...query, since: new Date(Date.now() + 60_000) })).toEqual([]);
    });

    test("continues under a new key while the old one is still configured", async () => {
      const rotatedSecrets = createKeyring(older, [secrets.current]);
      const rotated = auditOn(opened.database, rotatedSecrets);
      await rotated.prepare();
      await rotated.record({ action: "after.rotation", target_type: "test" });
      const keys = createChainKeys(rotatedSecrets);
      expect((await verifiedActions(keys)).at(-1)).toBe("after.rotation");
      expect((await rows()).at(-1)?.hmac_key_id).toBe(keys.current.id);
      await auditOn(opened.database, createKeyring(secrets.current, [older])).record({
        action: "rotated.back",
        target_type: "test",
      });
    });

    test("refuses to start and to append under keys that did not sign the state", async () => {
      const stranger = auditOn(opened.database, createKeyring("x".repeat(40)));
      await expect(stranger.prepare()).rejects.toThrow(/not configured/);
      await expect(stranger.record({ action: "x", target_type: "test" })).rejects.toThrow(/not configured/);
    });

    test("refuses to begin another generation over rows whose state row was deleted", async () => {
      const state = await stateRow();
      await opened.database.write((tx) => tx.deleteFrom("audit_chain_state").execute());
      await expect(audit.prepare()).rejects.toThrow(/the state row is missing/);
      expect(await opened.database.read.selectFrom("audit_chain_state").selectAll().execute()).toEqual([]);
      await opened.database.write((tx) => tx.insertInto("audit_chain_state").values(state).execute());
      await audit.prepare();
    });

    test("refuses to append to a changed state, and rolls back the action", async () => {
      const { state } = await stateRow();
      const change = (text: string) =>
        opened.database.write((tx) => tx.updateTable("audit_chain_state").set({ state: text }).execute());
      await change(state.replace(/"active_row_count":\d+/, '"active_row_count":1'));
      const acting = opened.database.write(async (tx) => {
        await tx.insertInto("meta").values({ key: "tampered", value: "yes" }).execute();
        await audit.append(tx, { action: "tampered", target_type: "test" });
      });
      await expect(acting).rejects.toThrow(/does not authenticate/);
      await expect(audit.checkState()).rejects.toThrow(/does not authenticate/);
      const kept = await opened.database.read.selectFrom("meta").select("key").where("key", "=", "tampered").execute();
      expect(kept).toEqual([]);

      audit.refused({ action: "auth.ip_denied", target_type: "address" });
      await audit.settled();
      expect(errors).toHaveLength(1);
      await change(state);
      expect(await audit.checkState()).toBe(true);
    });
  });
}
