import { testDialects } from "@svc/testkit/databases";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CommandFixture, startCommands } from "../../../../test/fixtures/command-fixture.ts";
import { ownOrigin } from "../../audit/index.ts";
import { createPlace } from "./place.ts";
import { restartWorker } from "./requests.ts";

for (const dialect of testDialects) {
  describe(`a command whose agent becomes unavailable before its row is written on ${dialect}`, () => {
    let fixture: CommandFixture;
    beforeAll(async () => {
      fixture = await startCommands(dialect);
    });
    afterAll(() => fixture.brain.stop());

    test.each([
      ["is not found when the agent was revoked", "not_found", { resource: "agent" }],
      ["is refused when the project was archived", "conflict", { reason: "project_archived" }],
    ])("%s", async (_what, code, details) => {
      const { brain } = fixture;
      const { database, features } = brain.running.brain;
      const { id: projectId, slug } = await brain.addProject(`p-${code.replace("_", "-")}`, "Project");
      const { body } = await brain.as.root.post(`/projects/${slug}/agents`, { name: "agent" });
      const agentId = body.agent.id as string;
      const place = createPlace({
        database,
        issue: features.commands.issue,
        maxFrameBytes: 1_048_576,
      });
      const order = {
        ...restartWorker({ agent_id: agentId, worker_name: "w1" }),
        async require() {
          const path = code === "not_found" ? `/projects/${slug}/agents/${agentId}` : `/projects/${slug}`;
          expect((await brain.as.root.delete(path)).status).toBe(204);
        },
      };
      await expect(place(order, { projectId, userId: agentId, origin: ownOrigin })).rejects.toMatchObject({
        code,
        details,
      });
      const rows = await database.read.selectFrom("commands").selectAll().where("project_id", "=", projectId).execute();
      expect(rows).toEqual([]);
    });
  });
}
