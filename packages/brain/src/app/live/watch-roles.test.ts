import { startFaultyNetwork, waitFor } from "@svc/testkit";
import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { freshDatabaseUrl, testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SessionActor } from "../../platform/http/access/actor.ts";
import { watchRoles } from "./watch-roles.ts";

const unknownId = "00000000-0000-4000-8000-000000000000";

/** The actor of a caller as the hub has had it since the connect; only the session's id is true. */
async function actorOf(brain: TestBrain, caller: keyof TestBrain["as"]): Promise<SessionActor> {
  const { body } = await brain.as[caller].get("/auth/sessions");
  const { id } = (body.items ?? body).find(({ is_current }: { is_current: boolean }) => is_current);
  return {
    kind: "session",
    user: { id: unknownId, email: "", display_name: null, is_admin: false },
    sessionId: id,
    csrfToken: "",
    provedAt: null,
    mfa: { enrolled: false, pending: false, verifiedAt: null, overdueSince: null },
  };
}

for (const dialect of testDialects) {
  describe(`the role in which a session may watch a project on ${dialect}`, () => {
    let brain: TestBrain;
    let roleIn: ReturnType<typeof watchRoles>;
    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
      roleIn = watchRoles(brain.running.brain.features);
    });
    afterAll(() => brain.stop());

    test.each([
      ["viewer", "viewer"],
      ["operator", "operator"],
      ["admin", "admin"],
      ["root", "admin"],
      ["stranger", "no_membership"],
    ] as const)("is, for the %s, %s", async (caller, role) => {
      expect(await roleIn(await actorOf(brain, caller), brain.project.id)).toBe(role);
    });

    test.each(["viewer", "root"] as const)("is none, for the %s, in a project that is not there", async (caller) => {
      expect(await roleIn(await actorOf(brain, caller), unknownId)).toBe("no_membership");
    });

    test("follows the membership, and ends with it", async () => {
      const actor = await actorOf(brain, "auditor");
      const { database, features } = brain.running.brain;
      const ofAuditor = async () => {
        features.projects.forget();
        return roleIn(actor, brain.project.id);
      };
      expect(await ofAuditor()).toBe("auditor");
      const mine = await features.sessions.holderOf(actor.sessionId);
      const userId = mine?.userId ?? "";
      await database.write((tx) =>
        tx.updateTable("memberships").set({ role: "operator" }).where("user_id", "=", userId).execute(),
      );
      expect(await ofAuditor()).toBe("operator");
      await database.write((tx) => tx.deleteFrom("memberships").where("user_id", "=", userId).execute());
      expect(await ofAuditor()).toBe("no_membership");
      await database.write((tx) => tx.updateTable("users").set({ is_admin: true }).where("id", "=", userId).execute());
      expect(await ofAuditor()).toBe("admin");
      await database.write((tx) =>
        tx.updateTable("users").set({ is_active: false }).where("id", "=", userId).execute(),
      );
      expect(await ofAuditor()).toBe("no_session");
    });

    test("ends with the session", async () => {
      const actor = await actorOf(brain, "operator");
      expect((await brain.as.operator.post("/auth/logout")).status).toBe(204);
      expect(await roleIn(actor, brain.project.id)).toBe("no_session");
    });
  });
}

describe.runIf(testDialects.includes("postgres"))("the role while the database is unavailable", () => {
  test("is unknown, which is not a refusal, and known again when it is back", async () => {
    const { url, drop } = await freshDatabaseUrl("postgres");
    const { hostname, port } = new URL(url);
    const network = await startFaultyNetwork({ host: hostname, port: Number(port) });
    const through = new URL(url);
    through.host = `127.0.0.1:${network.port}`;
    try {
      await using brain = await startTestBrain({ databaseUrl: through.href });
      const roleIn = watchRoles(brain.running.brain.features);
      const actor = await actorOf(brain, "viewer");
      network.down();
      await expect(roleIn(actor, brain.project.id)).rejects.toThrow();
      network.heal();
      // A connection of the pool may still find out that it was cut; that is no refusal either.
      expect(await waitFor(() => roleIn(actor, brain.project.id))).toBe("viewer");
    } finally {
      await network.close();
      await drop();
    }
  });
});
