import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { useAccess } from "../../../../test/fixtures/access-fixture.ts";
import * as reads from "./list-reads.ts";

for (const dialect of testDialects) {
  describe(`reads of the audit log on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    const fixture = useAccess(opened);

    test("find the actions of a project and of a user, newest first, between two positions", async () => {
      const { read } = opened.database;
      const { id: userId } = await fixture.addUser("root@example.org", { isAdmin: true });
      const root = await fixture.signIn("root@example.org");
      const { id: projectId } = (await root.send("POST", "/projects", { slug: "shop", name: "Shop" })).body;
      await root.send("PATCH", "/projects/shop", { name: "Shop of shops" });
      await fixture.audit.settled();

      const all = await reads.newestAuditRows(read, "all", {}, 50);
      const isNewestFirst = all.every(
        (row, index) => index === 0 || row.occurred_us <= (all[index - 1]?.occurred_us ?? 0),
      );
      expect(isNewestFirst).toBe(true);
      const ofProject = all.filter((row) => row.project_id === projectId);
      const own = all.filter((row) => row.user_id === userId && row.project_id === null);
      expect([ofProject.length > 1, own.length > 0]).toEqual([true, true]);
      expect(await reads.newestAuditRows(read, { projectId }, {}, 50)).toEqual(ofProject);

      const sources = [{ projectId }, { ownOf: userId }];
      const wanted = all.filter((row) => ofProject.includes(row) || own.includes(row));
      const places = await reads.newestAuditPositions(read, sources, {}, 50);
      expect(places.map(({ id }) => id)).toEqual(wanted.map(({ id }) => id));
      const between = { olderThan: places[0], newerThan: places.at(-1), userId };
      expect(await reads.newestAuditPositions(read, sources, between, 50)).toEqual(places.slice(1, -1));
      const rows = await reads.auditRowsByIds(
        read,
        places.map(({ id }) => id),
      );
      expect(rows).toEqual(wanted);

      const filter = {
        actionPrefix: "project.",
        outcome: ofProject[0]?.outcome ?? undefined,
        targetId: projectId,
        sinceUs: 0,
      };
      const untilUs = ofProject[0]?.occurred_us;
      expect(await reads.newestAuditRows(read, { projectId }, { ...filter, untilUs }, 1)).toEqual([ofProject[0]]);
      expect(await reads.countUpTo(read, { projectId }, {}, 1)).toBe(1);
      expect(await reads.countUpTo(read, { ownOf: userId }, {}, 50)).toBe(own.length);

      const project = { id: projectId, slug: "shop" };
      expect(await reads.auditedProjects(read, userId, 5)).toEqual([project]);
      expect(await reads.projectsByIds(read, [projectId])).toEqual([project]);
      expect([await reads.projectBySlug(read, "shop"), await reads.projectBySlug(read, "x")]).toEqual([
        project,
        undefined,
      ]);
    });
  });
}
