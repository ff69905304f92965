import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { createKeyring } from "../../../platform/crypto/keyring.ts";
import type { Database } from "../../../platform/database/database.ts";
import { SqliteError } from "../../../platform/database/errors.ts";
import type { Tables } from "../../../schema/tables/index.ts";
import { createAudit } from "../audit.ts";

const strangers = 9500;
const action = "agent.auth.bearer_failed";
const addressOf = (n: number) => `${11 + (n >> 16)}.${(n >> 8) & 255}.${n & 255}.9`;

for (const dialect of testDialects) {
  describe(`a flood of refusals on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    /** An audit log that counts its transactions and can be made to fail. */
    async function countingAudit() {
      const seen = { batches: 0, ended: 0, isDown: false, errors: [] as unknown[], suppressed: 0 };
      const write: Database<Tables>["write"] = async (work, options) => {
        seen.batches += 1;
        if (seen.isDown) throw new SqliteError("disk I/O error", 10);
        try {
          return await opened.database.write(work, options);
        } finally {
          seen.ended += 1;
        }
      };
      const audit = createAudit({
        database: { ...opened.database, write },
        secrets: createKeyring("audit-secret-0123456789-0123456789ab"),
        clock: createFakeClock(),
        onError: (error) => void seen.errors.push(error),
        onSuppressed() {
          seen.suppressed += 1;
        },
      });
      await audit.prepare();
      Object.assign(seen, { batches: 0, ended: 0 });
      const refuse = (address: string) =>
        audit.refused(
          { action, target_type: "agent", result: "failed", outcome: "deny", source_ip: address },
          { scope: action, address },
        );
      return { audit, seen, refuse };
    }

    /** Rows of refusals, and refusals counted in summaries. */
    async function recorded() {
      const rows = await opened.database.read.selectFrom("audit_log").select(["action", "metadata"]).execute();
      const summaries = rows.filter((row) => row.action === "auth.refusals_suppressed");
      return {
        rows: rows.filter((row) => row.action === action).length,
        summaries: summaries.map(({ metadata }) => JSON.parse(metadata)),
        counted: summaries.reduce((sum, { metadata }) => sum + JSON.parse(metadata).count, 0) as number,
      };
    }

    test("needs few transactions, and each refusal has a row or is counted", async () => {
      const { audit, seen, refuse } = await countingAudit();
      for (let n = 0; n < strangers; n += 1) refuse(addressOf(n));
      expect(seen.batches).toBe(0);
      await audit.settled();
      expect(seen).toEqual({ batches: 10, ended: 10, isDown: false, errors: [], suppressed: strangers - 1000 });
      const { rows, counted, summaries } = await recorded();
      expect([rows, counted, summaries.length]).toEqual([1000, strangers - 1000, 1]);
      expect(summaries[0]).toMatchObject({
        kinds: { [action]: strangers - 1000 },
        addresses: Array.from({ length: 10 }, (_, n) => addressOf(1000 + n)),
      });
      expect((await audit.verify()).outcome).toBe("clean");
    });

    test("delays another write by at most one batch", async () => {
      const { audit, seen, refuse } = await countingAudit();
      for (let n = 0; n < 1000; n += 1) refuse(addressOf(n));
      const settled = audit.settled();
      for (let n = 0; n < 3; n += 1) {
        const before = seen.ended;
        await opened.database.write((tx) => audit.append(tx, { action: "auth.login", target_type: "session" }));
        // The server database orders the waits for the chain's lock; the embedded one has a single queue.
        if (dialect === "sqlite") expect(seen.ended - before).toBeLessThanOrEqual(1);
      }
      await settled;
      expect((await audit.verify()).outcome).toBe("clean");
    });

    test("loses nothing while the database fails", async () => {
      const before = await recorded();
      const { audit, seen, refuse } = await countingAudit();
      seen.isDown = true;
      for (let n = 0; n < 1200; n += 1) refuse(addressOf(n));
      await audit.settled();
      for (let n = 1200; n < 1500; n += 1) refuse(addressOf(n));
      await audit.settled();
      expect(seen.errors).toHaveLength(2);
      seen.isDown = false;
      expect(await audit.stop()).toBe(0);
      const after = await recorded();
      expect(after.rows - before.rows + after.counted - before.counted).toBe(1500);
      expect((await audit.verify()).outcome).toBe("clean");
    });

    test("causes one row from one /64, and ten rows and a count from one /48", async () => {
      const before = await recorded();
      const { audit, refuse } = await countingAudit();
      for (let n = 0; n < 500; n += 1) refuse(`2001:db8:1:1::${n.toString(16)}`);
      await audit.settled();
      expect((await recorded()).rows - before.rows).toBe(1);
      for (let n = 0; n < 500; n += 1) refuse(`2001:db8:2:${n.toString(16)}::1`);
      await audit.settled();
      const after = await recorded();
      expect([after.rows - before.rows, after.counted - before.counted]).toEqual([11, 490]);
    });
  });
}
