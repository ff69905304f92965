import { randomApiKey } from "@svc/protocol";
import { createFakeClock, waitFor } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeEach, describe, expect, test } from "vitest";
import { emptyTables } from "../../../test/fixtures/access-fixture.ts";
import { createKeyring } from "../../platform/crypto/keyring.ts";
import type { Database } from "../../platform/database/database.ts";
import { uuidV7 } from "../../platform/ids.ts";
import { createLog } from "../../platform/log.ts";
import { createMail } from "../../platform/mail/mail.ts";
import type { SessionRow, Tables } from "../../schema/tables/index.ts";
import { createAudit } from "../audit/index.ts";
import { createSecurityHistory } from "../security-history/index.ts";
import { createUsers } from "../users/index.ts";
import { createApiKeys } from "./index.ts";

const oldMaster = "master-secret-old-0123456789-0123456789";
const newMaster = "master-secret-new-0123456789-0123456789";
const origin = { user_id: null, api_key_id: null, source_ip: null, user_agent: null };

for (const dialect of testDialects) {
  describe(`a bearer on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const clock = createFakeClock(new Date("2026-03-04T05:06:07.000Z"));
    const errors: unknown[] = [];
    const onError = (error: unknown) => void errors.push(error);
    const sessionId = "01890000-0000-7000-8000-000000000001";
    let owner: { id: string };

    const keysUnder = (masters = createKeyring(newMaster, [oldMaster]), database: Database<Tables> = opened.database) =>
      createApiKeys({
        database,
        clock,
        masters,
        onError,
        audit: createAudit({ database, clock, onError, secrets: createKeyring("audit-secret-0123456789-01234567890") }),
        projects: { get: () => Promise.reject(new Error("not asked")), find: () => null },
        users: createUsers({ database, clock }),
        history: createSecurityHistory({
          ...{ database, clock },
          mail: createMail({ settings: {}, log: createLog({ level: "error", json: true, write: () => {} }), clock }),
          settings: { SVC_PUBLIC_URL: "http://localhost:7700" },
        }),
      });
    const actorOf = (id: string) => ({
      kind: "session" as const,
      user: { id, email: "mira@example.org", display_name: "Mira", is_admin: true },
      sessionId,
      csrfToken: "",
      provedAt: null,
      mfa: { enrolled: false, pending: false, verifiedAt: null, overdueSince: null },
    });
    const mint = (body = {}, keys = keysUnder()) =>
      keys.mint({ actor: actorOf(owner.id), body: { name: "key", scopes: ["tasks:read"], ...body }, origin });
    const changeOwner = (changes: { is_active?: boolean; is_admin?: boolean }) =>
      opened.database.write((tx) => tx.updateTable("users").set(changes).where("id", "=", owner.id).execute());
    const usedAt = async () =>
      (await opened.database.read.selectFrom("api_keys").select(["last_used_at", "last_used_ip"]).execute())[0];

    beforeEach(async () => {
      await emptyTables(opened.database);
      const audit = createAudit({
        database: opened.database,
        clock,
        onError,
        secrets: createKeyring("audit-secret-0123456789-01234567890"),
      });
      await audit.prepare();
      const users = createUsers({ database: opened.database, clock });
      owner = await opened.database.write((tx) =>
        users.add(tx, { email: "mira@example.org", displayName: "Mira", passwordHash: "x", isAdmin: true }),
      );
      const now = clock.now();
      const session = {
        ...{ id: sessionId, user_id: owner.id, token_hash: "x", csrf_token: "x", is_remembered: false, issued_at: now },
        ...{ last_seen_at: now, expires_at: now, is_mfa_spared: false },
      };
      await opened.database.write((tx) =>
        tx
          .insertInto("sessions")
          .values(session as SessionRow)
          .execute(),
      );
      errors.length = 0;
    });

    test("returns its key, with the owner's current state", async () => {
      const { id, token } = await mint({ allowed_cidrs: ["192.0.2.0/24"] });
      expect(await keysUnder().apiKey(token)).toEqual({
        kind: "api_key",
        user: { id: owner.id, email: "mira@example.org", display_name: "Mira", is_admin: true },
        keyId: id,
        scopes: ["tasks:read"],
        projectId: null,
        allowedCidrs: ["192.0.2.0/24"],
        lastUsedAt: null,
      });
      await changeOwner({ is_admin: false });
      expect(await keysUnder().apiKey(token)).toMatchObject({ user: { is_admin: false } });
    });

    test("is valid under the master that issued it as long as that is a previous one", async () => {
      const { token } = await mint({}, keysUnder(createKeyring(oldMaster)));
      expect(await keysUnder().apiKey(token)).not.toBeNull();
      expect(await keysUnder(createKeyring(newMaster)).apiKey(token)).toBeNull();
    });

    test("is rejected when it was never issued, is truncated, longer or has another prefix", async () => {
      const { token } = await mint();
      const others = [
        randomApiKey(),
        token.slice(0, -1),
        `${token}A`,
        `xyz_${token.slice(4)}`,
        token.slice(4),
        "",
        "svk_",
        `${token.slice(0, -1)}\u0000`,
      ];
      for (const other of others) expect(await keysUnder().apiKey(other)).toBeNull();
    });

    test("expires at its time, to the millisecond", async () => {
      const { token } = await mint({ expires_in_days: 2 });
      clock.advance(2 * 86_400_000 - 1);
      expect(await keysUnder().apiKey(token)).not.toBeNull();
      clock.advance(1);
      expect(await keysUnder().apiKey(token)).toBeNull();
    });

    test("stops working immediately when its owner is deactivated or deleted", async () => {
      const { token } = await mint();
      await changeOwner({ is_active: false });
      expect(await keysUnder().apiKey(token)).toBeNull();
      await changeOwner({ is_active: true });
      expect(await keysUnder().apiKey(token)).not.toBeNull();
      await opened.database.write((tx) => tx.deleteFrom("users").where("id", "=", owner.id).execute());
      expect(await keysUnder().apiKey(token)).toBeNull();
      expect(await opened.database.read.selectFrom("api_keys").selectAll().execute()).toEqual([]);
    });

    test("stops working in every process when one revokes it", async () => {
      const far = dialect === "postgres" ? await opened.openAgain() : opened.database;
      const { id, token } = await mint();
      const farKeys = keysUnder(undefined, far);
      expect(await farKeys.apiKey(token)).not.toBeNull();
      await keysUnder().revoke({ actor: actorOf(owner.id), id, origin });
      expect(await farKeys.apiKey(token)).toBeNull();
      if (far !== opened.database) await far.close();
    });

    test("is revoked once when two processes revoke it concurrently", async () => {
      const { id } = await mint();
      const both = await Promise.allSettled(
        [1, 2].map(() => keysUnder().revoke({ actor: actorOf(owner.id), id, origin })),
      );
      expect(both.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
      const revoked = opened.database.read.selectFrom("audit_log").selectAll().where("action", "=", "api_key.revoked");
      expect(await revoked.execute()).toHaveLength(1);
    });

    test("does not record a use automatically; a use is recorded at most once per 60 seconds, with its address", async () => {
      const { token } = await mint();
      const keys = keysUnder();
      const use = async (address: string) => {
        const key = await keys.apiKey(token);
        if (key === null || key instanceof Promise) throw new Error("the key is not valid");
        keys.apiKeyUsed(key, { address, userAgent: undefined });
      };
      await keys.apiKey(token);
      expect(await usedAt()).toEqual({ last_used_at: null, last_used_ip: null });

      const first = clock.now();
      await use("192.0.2.1");
      await waitFor(async () => (await usedAt())?.last_used_at !== null);
      expect(await usedAt()).toEqual({ last_used_at: first, last_used_ip: "192.0.2.1" });
      clock.advance(59_999);
      await use("192.0.2.2");
      clock.advance(1);
      await use("192.0.2.3");
      await waitFor(async () => (await usedAt())?.last_used_ip !== "192.0.2.1");
      expect(await usedAt()).toEqual({ last_used_at: clock.now(), last_used_ip: "192.0.2.3" });
      // A caller that read the earlier row does not overwrite it.
      const stale = await keys.apiKey(token);
      if (stale === null || stale instanceof Promise) throw new Error("the key is not valid");
      clock.advance(10_000);
      keys.apiKeyUsed({ ...stale, lastUsedAt: null }, { address: "192.0.2.4", userAgent: undefined });
      await opened.database.write(async () => {});
      expect((await usedAt())?.last_used_ip).toBe("192.0.2.3");
      expect(errors).toEqual([]);
    });

    test("is deleted with the project that its key is bound to", async () => {
      const projectId = await addProject(opened.database, uuidV7(clock));
      const { id, token } = await mint();
      await opened.database.write((tx) =>
        tx.updateTable("api_keys").set({ project_id: projectId }).where("id", "=", id).execute(),
      );
      expect(await keysUnder().apiKey(token)).toMatchObject({ projectId });
      await opened.database.write((tx) => tx.deleteFrom("projects").where("id", "=", projectId).execute());
      expect(await keysUnder().apiKey(token)).toBeNull();
    });
  });
}
