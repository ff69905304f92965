import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { startAccess } from "../../../test/fixtures/access-fixture.ts";
import { mountAgents } from "../../../test/fixtures/mount-agents.ts";

for (const dialect of testDialects) {
  describe(`the status history of an agent on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    test("shows the newest 100 samples", async () => {
      const fixture = await startAccess(opened.database);
      const agents = mountAgents(fixture);
      await fixture.addUser("root@example.org", { isAdmin: true });
      const root = await fixture.signIn("root@example.org");
      const project = (await root.send("POST", "/projects", { slug: "shop", name: "Shop" })).body;
      const { agent } = (await root.send("POST", "/projects/shop/agents", { name: "worker-1" })).body;
      const identity = { agent_id: agent.id, project_id: project.id, name: agent.name, project_is_active: true };
      const at = fixture.clock.now().getTime();
      await Promise.all(
        Array.from({ length: 103 }, (_, index) => agents.recordSample(identity, new Date(at + index), { index })),
      );
      const { items } = (await root.get(`/projects/shop/agents/${agent.id}/status-history`)).body;
      expect(items.map(({ payload }: { payload: { index: number } }) => payload.index)).toEqual(
        Array.from({ length: 100 }, (_, index) => 102 - index),
      );
      await agents.stop();
      await fixture.app.close();
    });
  });
}
