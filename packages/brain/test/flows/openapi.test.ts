import { startTestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";

for (const dialect of routeDialects) {
  describe(`the API description on ${dialect}`, () => {
    test("leaves an audit row of who read it, and none of who was refused", async () => {
      await using brain = await startTestBrain({ dialect });
      const { database, features } = brain.running.brain;

      expect((await brain.as.nobody.get("/openapi.json")).status).toBe(401);
      expect((await brain.as.viewer.get("/openapi.json", { "user-agent": "curious/1" })).status).toBe(200);

      const rows = await database.read
        .selectFrom("audit_log")
        .select(["user_id", "target_type", "result", "source_ip", "user_agent"])
        .where("action", "=", "openapi.schema_accessed")
        .execute();
      const viewer = await features.users.findByEmail("viewer@example.org");
      expect(rows).toEqual([
        {
          user_id: viewer?.id,
          target_type: "openapi",
          result: "success",
          source_ip: "127.0.0.1",
          user_agent: "curious/1",
        },
      ]);
    });
  });
}
