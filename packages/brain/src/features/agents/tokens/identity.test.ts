import { randomUUID } from "node:crypto";
import { randomToken, tokenLabels } from "@svc/protocol";
import { createFakeClock } from "@svc/testkit";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import type { KyselyPlugin } from "kysely";
import { beforeAll, describe, expect, test } from "vitest";
import { agentRow } from "../../../../test/rows/agent-rows.ts";
import { storedDigest } from "../../../platform/crypto/digests.ts";
import { createKeyring } from "../../../platform/crypto/keyring.ts";
import { createIdentities } from "./identity.ts";

const masters = createKeyring("master-secret-0123456789-0123456789", ["previous-secret-0123456789-01234567"]);
const projectId = "11111111-2222-4333-8444-555555555555";

for (const dialect of testDialects) {
  describe(`look-ups of tokens on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const tokens = Array.from({ length: 3 }, randomToken);
    beforeAll(async () => {
      await addProject(opened.database, projectId);
      const rows = tokens.map((token, index) =>
        agentRow({
          project_id: projectId,
          name: `agent-${index}`,
          token_hash: storedDigest(masters, tokenLabels.agentToken, token),
        }),
      );
      await opened.database.write((tx) => tx.insertInto("agents").values(rows).execute());
    });

    /** Identities that count their queries. */
    function counted() {
      let queries = 0;
      const counting: KyselyPlugin = {
        transformQuery({ node }) {
          queries += 1;
          return node;
        },
        transformResult: async ({ result }) => result,
      };
      const read = opened.database.read.withPlugin(counting);
      return { ...createIdentities({ read }, createFakeClock(), masters), queries: () => queries };
    }

    test("share queries when concurrent, and each gets its own answer", async () => {
      const { authenticate, queries } = counted();
      const strangers = Array.from({ length: 250 }, () => authenticate(randomToken()));
      const known = tokens.map((token) => authenticate(token));
      expect(await Promise.all(strangers)).toEqual(Array(250).fill(null));
      expect(await Promise.all(known)).toMatchObject(
        tokens.map((_, n) => ({ name: `agent-${n}`, project_id: projectId, project_is_active: true })),
      );
      expect(queries()).toBe(4);
    });

    test("say which of many agents are still admitted", async () => {
      const { admittedAmong } = counted();
      const rows = await opened.database.read.selectFrom("agents").select("id").orderBy("name").execute();
      const ids = rows.map(({ id }) => id);
      // More than one statement requests.
      const strangers = Array.from({ length: 500 }, () => randomUUID());
      expect(await admittedAmong([...ids.slice(0, 2), ...strangers, ...ids.slice(2)])).toEqual(new Set(ids));
      const revoke = (revoked_at: Date | null) =>
        opened.database.write((tx) => tx.updateTable("agents").set({ revoked_at }).where("id", "=", ids[0]!).execute());
      await revoke(new Date());
      expect(await admittedAmong(ids)).toEqual(new Set(ids.slice(1)));
      await revoke(null);
    });

    test("are refused while 10,000 wait, and answered again afterwards", async () => {
      const { authenticate } = counted();
      // The first one starts a query at once and does not wait.
      const asked = Array.from({ length: 10_001 }, () => authenticate(randomToken()));
      await expect(authenticate(tokens[0] ?? "")).rejects.toMatchObject({
        code: "unready",
        details: { reason: "credentials_full" },
        headers: { "retry-after": "1" },
      });
      expect(new Set(await Promise.all(asked))).toEqual(new Set([null]));
      expect((await authenticate(tokens[0] ?? ""))?.name).toBe("agent-0");
    });

    test("fail together, and the next ones query again", async () => {
      let isDown = true;
      const failing: KyselyPlugin = {
        transformQuery({ node }) {
          if (isDown) throw new Error("the database is down");
          return node;
        },
        transformResult: async ({ result }) => result,
      };
      const { authenticate } = createIdentities(
        { read: opened.database.read.withPlugin(failing) },
        createFakeClock(),
        masters,
      );
      const asked = [...tokens, randomToken()].map((token) => authenticate(token));
      for (const failed of asked) await expect(failed).rejects.toThrow("the database is down");
      isDown = false;
      expect((await authenticate(tokens[0] ?? ""))?.name).toBe("agent-0");
    });
  });
}
