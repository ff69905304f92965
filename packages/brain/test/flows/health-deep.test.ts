import { startTestBrain, type TestBrain } from "@svc/testkit/brain";
import { routeDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { migrations } from "../../src/schema/migrations/migrations.ts";

for (const dialect of routeDialects) {
  describe(`the migrations in /health/deep on ${dialect}`, () => {
    let brain: TestBrain;
    beforeAll(async () => {
      brain = await startTestBrain({ dialect });
    });
    afterAll(() => brain.stop());
    const deep = () => brain.as.viewer.get("//health/deep");
    const [before, newest] = migrations.slice(-2).map(({ name }) => name);

    test("are ok while the database has all of them, degraded with 200 when it lacks the newest", async () => {
      const fine = { status: "ok", revision: newest, expected: newest };
      expect(await deep()).toMatchObject({ status: 200, body: { status: "ok", checks: { migrations: fine } } });

      await brain.running.brain.database.write((tx) =>
        tx
          .deleteFrom("schema_migrations" as never)
          .where("name" as never, "=", newest as never)
          .execute(),
      );
      const behind = { status: "degraded", revision: before, expected: newest };
      expect(await deep()).toMatchObject({ status: 200, body: { status: "degraded", checks: { migrations: behind } } });
    });
  });
}
