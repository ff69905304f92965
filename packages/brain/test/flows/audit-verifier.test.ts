import { execFile } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openAuditAlone, parseAnchor } from "@svc/brain/audit-log";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { AuditLogRow } from "../../src/schema/tables/index.ts";

const secret = "audit-demo-secret-0123456789abcdef!!";
const userId = "2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d";
const verifier = fileURLToPath(new URL("../../../../examples/audit-verifier/verify.mjs", import.meta.url));

/** The documented verifier shares no code with this program; both must report the same for the same chain. */
for (const dialect of testDialects) {
  describe(`an independent verifier on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let folder = "";
    let rows: AuditLogRow[] = [];
    const alone = () => openAuditAlone(opened.database, secret);

    /** The independent verifier's verdict on a dump. */
    async function independent(anchorText?: string) {
      const { database } = opened;
      const dumped = await database.read
        .selectFrom("audit_log")
        .selectAll()
        .orderBy("occurred_us")
        .orderBy("id")
        .execute();
      const state = await database.read.selectFrom("audit_chain_state").selectAll().executeTakeFirstOrThrow();
      const [rowsFile, stateFile, anchorFile] = ["rows.jsonl", "state.json", "anchor.json"].map((name) =>
        join(folder, name),
      );
      await writeFile(rowsFile!, dumped.map((row) => JSON.stringify(row)).join("\n"));
      await writeFile(stateFile!, JSON.stringify(state));
      if (anchorText !== undefined) await writeFile(anchorFile!, anchorText);
      const files = [rowsFile!, stateFile!, ...(anchorText === undefined ? [] : [anchorFile!])];
      const { promise, resolve } = Promise.withResolvers<string>();
      execFile(process.execPath, [verifier, ...files], { env: { SECRETS: secret } }, (_failed, out, err) =>
        resolve(out === "" ? JSON.stringify({ err }) : out),
      );
      return JSON.parse(await promise);
    }

    /** The verdict of both, which must be the same. */
    async function agreed(anchorText?: string) {
      const anchor = anchorText === undefined ? undefined : parseAnchor(anchorText);
      const ours = await alone().upkeep.verify({ anchor });
      const { outcome, fault, anchor: verdict, rows: walked } = ours;
      const theirs = await independent(anchorText);
      expect(theirs).toEqual({
        outcome,
        fault: fault && { reason: fault.reason, row_id: fault.row_id },
        rows: walked,
        anchor: verdict,
      });
      return { outcome, reason: fault?.reason ?? null, row: fault?.row_id ?? null, verdict };
    }

    const change = (id: string, values: Partial<AuditLogRow>) =>
      opened.database.write((tx) => tx.updateTable("audit_log").set(values).where("id", "=", id).execute());

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "svc-verifier-"));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    beforeEach(async () => {
      const { database } = opened;
      await database.write(async (tx) => {
        await tx.deleteFrom("audit_log").execute();
        await tx.deleteFrom("audit_chain_state").execute();
      });
      const { audit } = alone();
      await audit.prepare();
      await audit.record(
        Array.from({ length: 20 }, (_, n) => ({
          action: "project.updated",
          target_type: "project",
          target_id: 'ü "\\ \u2028 \u007f \u0001 😀',
          user_id: n % 2 === 0 ? userId : null,
          source_ip: "2001:db8::1",
          metadata: { n, ratio: 0.5, big: 1e21, text: "é\n😀", list: [null, true] },
        })),
      );
      rows = await database.read.selectFrom("audit_log").selectAll().orderBy("occurred_us").orderBy("id").execute();
    });

    test("agrees on a clean chain, also pruned and with a deleted user", async () => {
      const nothing = { reason: null, row: null, verdict: null };
      expect(await agreed()).toEqual({ outcome: "clean", ...nothing });
      const { audit } = alone();
      await audit.prune({ mayGo: ({ occurred_us }) => occurred_us <= rows[7]!.occurred_us, maxRows: 100 });
      await opened.database.write(async (tx) => {
        await audit.forgetUser(tx, { userId, entry: { action: "user.deleted", target_type: "user" } });
      });
      expect(await agreed()).toEqual({ outcome: "clean", ...nothing });
    });

    test("names the row of a flipped byte", async () => {
      const row = rows[9]!;
      await change(row.id, { metadata: row.metadata.replace("true", "null") });
      expect(await agreed()).toMatchObject({ reason: "signature", row: row.id });
    });

    test("names the row after a deleted one", async () => {
      await opened.database.write((tx) => tx.deleteFrom("audit_log").where("id", "=", rows[9]!.id).execute());
      expect(await agreed()).toMatchObject({ reason: "link", row: rows[10]!.id });
    });

    test("names the first of two swapped rows", async () => {
      const [first, second] = [rows[9]!, rows[10]!];
      await change(first.id, { occurred_us: second.occurred_us });
      await change(second.id, { occurred_us: first.occurred_us });
      expect(await agreed()).toMatchObject({ outcome: "failed", row: second.id });
    });

    test("names an inserted row", async () => {
      const inserted = { ...rows[9]!, id: randomUUID(), prev_row_hmac: "f".repeat(64) };
      await opened.database.write((tx) =>
        tx
          .insertInto("audit_log")
          .values({ ...inserted, occurred_us: rows[19]!.occurred_us + 1_000_000 })
          .execute(),
      );
      expect(await agreed()).toMatchObject({ reason: "signature", row: inserted.id });
    });

    test("cannot prove an anchor when the last rows were deleted with the state, and names the head without the state", async () => {
      const { audit, upkeep } = alone();
      const older = await opened.database.read.selectFrom("audit_chain_state").selectAll().executeTakeFirstOrThrow();
      const earlier = (await upkeep.head())!;
      await audit.record({ action: "project.created", target_type: "project" });
      const anchor = (await upkeep.head())!;
      expect((await agreed(anchor)).verdict).toBe("CURRENT_MATCH");
      expect((await agreed(earlier)).verdict).toBe("VERIFIED_ANCESTOR");
      const { id } = parseAnchor(anchor);
      await opened.database.write((tx) => tx.deleteFrom("audit_log").where("id", "=", id).execute());
      expect(await agreed(anchor)).toMatchObject({ reason: "head_missing", row: id });
      await opened.database.write((tx) => tx.updateTable("audit_chain_state").set(older).execute());
      expect(await agreed(anchor)).toEqual({ outcome: "clean", reason: null, row: null, verdict: "UNPROVABLE" });
    });
  });
}

test("the independent verifier imports nothing of this program and has at most 100 lines of code", async () => {
  const text = await readFile(verifier, "utf8");
  const imported = [...text.matchAll(/from "([^"]+)"/g)].map(([, name]) => name);
  expect(imported.every((name) => name?.startsWith("node:"))).toBe(true);
  const code = text.split("\n").filter((line) => !/^\s*(\/[/*].*)?$/.test(line));
  expect(code.length).toBeLessThanOrEqual(100);
});
