import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { deleteSessionByDigest, findHolder } from "./store.ts";

const now = new Date("2026-01-02T12:00:00.000Z");
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
const userId = "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee";

for (const dialect of testDialects) {
  describe(`the holder of a session on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const holderOf = (id: string) => findHolder(opened.database.read, id, { now, idleSince: hoursAgo(2) });
    const change = (changes: { is_admin?: boolean; is_active?: boolean }) =>
      opened.database.write((tx) => tx.updateTable("users").set(changes).where("id", "=", userId).execute());

    test("is the user's current state, and undefined for invalid sessions and users", async () => {
      await opened.database.write(async (tx) => {
        await tx
          .insertInto("users")
          .values({
            id: userId,
            email: "ann@example.org",
            email_key: "ann@example.org",
            first_name: null,
            last_name: null,
            display_name: null,
            password_hash: "x",
            is_admin: true,
            is_active: true,
            timezone: "UTC",
            failed_logins: 0,
            mfa_failed_codes: 0,
            locked_until: null,
            mfa_enforcement_started_at: null,
            last_login_at: null,
            created_at: now,
            updated_at: now,
          })
          .execute();
        const session = {
          user_id: userId,
          csrf_token: "x",
          is_remembered: false,
          issued_at: hoursAgo(5),
          last_seen_at: hoursAgo(1),
          expires_at: hoursAgo(-5),
          ip_at_issue: null,
          user_agent_at_issue: null,
          mfa_verified_at: null,
          is_mfa_spared: false,
        };
        const id = (digit: number) => `00000000-0000-4000-8000-00000000000${digit}`;
        const rows = [
          session,
          { ...session, expires_at: hoursAgo(1) },
          { ...session, last_seen_at: hoursAgo(3) },
          { ...session, last_seen_at: hoursAgo(3), is_remembered: true },
        ];
        await tx
          .insertInto("sessions")
          .values(rows.map((row, index) => ({ ...row, id: id(index), token_hash: `${index}`.repeat(64) })))
          .execute();
      });
      const [present, expired, idle, remembered] = [0, 1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`);
      const admin = expect.objectContaining({ user_id: userId, is_admin: true });
      expect(await Promise.all([present, expired, idle, remembered].map((id) => holderOf(id!)))).toEqual([
        admin,
        undefined,
        undefined,
        admin,
      ]);

      await change({ is_admin: false });
      expect(await holderOf(present!)).toMatchObject({ user_id: userId, is_admin: false });
      await change({ is_active: false });
      expect(await holderOf(present!)).toBeUndefined();

      const end = () => opened.database.write((tx) => deleteSessionByDigest(tx, "0".repeat(64)));
      expect([await end(), await end()]).toEqual([{ id: present, user_id: userId }, null]);
    });
  });
}
