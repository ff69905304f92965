import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { beforeAll, describe, expect, test } from "vitest";
import { type Fixture, startAccess } from "../../../test/fixtures/access-fixture.ts";
import { commandEffects } from "../../../test/fixtures/command-effects.ts";
import { commandRow } from "../../../test/rows/command-rows.ts";
import { ownOrigin } from "../audit/index.ts";

for (const dialect of testDialects) {
  describe(`projects on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    let fixture: Fixture;
    let creatorId: string;
    beforeAll(async () => {
      fixture = await startAccess(opened.database, {}, commandEffects);
      creatorId = (await fixture.addUser("root@example.org", { isAdmin: true })).id;
    });
    const create = (slug: string, body: object = {}) =>
      fixture.projects.create({ body: { slug, name: slug, ...body }, creatorId, origin: ownOrigin });

    test("keep their JSON as given and detect that it did not change", async () => {
      const settings = { b: 1, a: [1.5, "\u0000\ud800"], c: { z: null } };
      const { id } = await create("json", { settings, allowed_schedulers: ["svc-scheduler"] });
      const read = await fixture.projects.get(id);
      expect(read.settings).toEqual({ b: 1, a: [1.5, "\ufffd\ufffd"], c: { z: null } });
      expect(read.allowed_schedulers).toEqual(["svc-scheduler"]);
      const before = (await fixture.auditRows("project.updated")).length;
      await fixture.projects.update({
        projectId: id,
        body: { allowed_schedulers: ["svc-scheduler"], settings },
        origin: ownOrigin,
      });
      expect(await fixture.auditRows("project.updated")).toHaveLength(before);
      await fixture.projects.update({ projectId: id, body: { settings: null }, origin: ownOrigin });
      expect((await fixture.projects.get(id)).settings).toBeNull();
      expect(await fixture.auditRows("project.updated")).toHaveLength(before + 1);
    });

    test("are listed by name, at most SVC_ADMIN_PROJECT_LIST_CAP", async () => {
      const capped = await startAccess(opened.database, { SVC_ADMIN_PROJECT_LIST_CAP: 2 });
      for (const slug of ["0-b", "0-c", "0-a"]) await create(slug);
      const listed = await capped.projects.list(rootActor(creatorId), { includeArchived: false });
      expect(listed.map(({ slug }) => slug)).toEqual(["0-a", "0-b"]);
      await capped.app.close();
    });

    test("keep one active when two processes archive the last two concurrently", async () => {
      const again = await opened.openAgain();
      const other = await startAccess(again);
      for (const { id } of await fixture.projects.list(rootActor(creatorId), { includeArchived: false })) {
        if ((await fixture.projects.list(rootActor(creatorId), { includeArchived: false })).length > 1) {
          await fixture.projects.archive({ projectId: id, origin: ownOrigin });
        }
      }
      const last = (await fixture.projects.list(rootActor(creatorId), { includeArchived: false }))[0]!;
      const second = await create("second");
      const results = await Promise.allSettled([
        fixture.projects.archive({ projectId: last.id, origin: ownOrigin }),
        other.projects.archive({ projectId: second.id, origin: ownOrigin }),
      ]);
      expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      expect(await fixture.projects.list(rootActor(creatorId), { includeArchived: false })).toHaveLength(1);
      await other.app.close();
      await again.close();
    });

    test("cancel only commands that were not sent to an agent when they are archived", async () => {
      const [kept, archived] = [await create("open"), await create("closing")];
      const rows = [
        commandRow({ project_id: archived.id, agent_id: null }),
        commandRow({ project_id: archived.id, status: "dispatched" }),
        commandRow({ project_id: kept.id }),
      ];
      await opened.database.write((tx) => tx.insertInto("commands").values(rows).execute());
      await fixture.projects.update({ projectId: archived.id, body: { name: "New" }, origin: ownOrigin });
      const statuses = () =>
        Promise.all(
          rows.map(async ({ id }) => {
            const query = opened.database.read.selectFrom("commands").select(["status", "error"]).where("id", "=", id);
            const { status, error } = await query.executeTakeFirstOrThrow();
            return [status, error];
          }),
        );
      expect((await statuses()).map(([status]) => status)).toEqual(["pending", "dispatched", "pending"]);
      await fixture.projects.archive({ projectId: archived.id, origin: ownOrigin });
      expect(await statuses()).toEqual([
        ["cancelled", "the project was archived"],
        ["dispatched", null],
        ["pending", null],
      ]);
      const audited = (await fixture.auditRows("project.archived")).filter(
        ({ target_id }) => target_id === archived.id,
      );
      expect(JSON.parse(audited[0]?.metadata ?? "")).toEqual({ slug: "closing", commands_cancelled: 1 });
    });

    test("are found by slug with the member's role, and cached for at most two seconds", async () => {
      const { id } = await create("found");
      expect(await fixture.projects.find("found", creatorId)).toMatchObject({ id, role: "admin", is_active: true });
      // The second lookup answers synchronously.
      expect(fixture.projects.find("found", creatorId)).toMatchObject({ id, role: "admin" });
      expect(await fixture.projects.find("nowhere", creatorId)).toBeNull();
      expect(await fixture.projects.find("x".repeat(64), creatorId)).toBeNull();
      await opened.database.write((tx) => tx.updateTable("memberships").set({ role: "viewer" }).execute());
      expect(await fixture.projects.find("found", creatorId)).toMatchObject({ role: "admin" });
      fixture.clock.advance(2000);
      expect(await fixture.projects.find("found", creatorId)).toMatchObject({ role: "viewer" });
    });

    if (dialect === "postgres") {
      test("archived by one process are immediately archived in the others", async () => {
        const again = await opened.openAgain();
        const other = await startAccess(again);
        await other.projects.start();
        const { id } = await create("shared");
        expect(await other.projects.find("shared", creatorId)).toMatchObject({ is_active: true });
        const announced = Promise.withResolvers<unknown>();
        other.projects.onChanged((change) => change.isActive || announced.resolve(change));
        await create("kept");
        await fixture.projects.archive({ projectId: id, origin: ownOrigin });
        expect(await announced.promise).toEqual({ projectId: id, isActive: false, endedLabel: null });
        expect(await other.projects.find("shared", creatorId)).toMatchObject({ is_active: false });
        await other.projects.stop();
        await other.app.close();
        await again.close();
      });
    }
  });
}

const rootActor = (id: string) =>
  ({
    kind: "session",
    user: { id, email: "root@example.org", display_name: null, is_admin: true },
    sessionId: "",
    csrfToken: "",
    provedAt: null,
    mfa: { enrolled: false, pending: false, verifiedAt: null, overdueSince: null },
  }) as const;
