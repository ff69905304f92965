import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  addSchedule,
  certificateFor,
  type Frame,
  projectWith,
  removeSchedule,
  renameTask,
  startSchedulerGrpc,
} from "../../../../test/schedulers/scheduler-fixture.ts";
import { statusCodes } from "../status-codes.ts";
import { readServerRevision } from "./stream-reads.ts";

for (const dialect of testDialects) {
  describe(`the stream of changes on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);
    type Server = Awaited<ReturnType<typeof startSchedulerGrpc>>;
    const servers: Server[] = [];
    let server: Server;
    let project: Awaited<ReturnType<typeof projectWith>>;
    let other: Awaited<ReturnType<typeof projectWith>>;
    let run = 0;

    async function start(options: Parameters<typeof startSchedulerGrpc>[1] = {}) {
      const started = await startSchedulerGrpc(opened, options);
      servers.push(started);
      return started;
    }
    beforeEach(async () => {
      run += 1;
      project = await projectWith(opened, `own-${run}`);
      other = await projectWith(opened, `other-${run}`);
      server = await start({ names: { bindings: { bound: [`own-${run}`] } } });
    });
    afterEach(async () => {
      for (const started of servers.splice(0)) await started.stop();
    });

    const now = () => readServerRevision(opened.database.read);
    const watch = async (request: object = {}, name = "free") =>
      server.client(certificateFor(name)).watch({ after_revision: await now(), ...request });
    /** Reads until the stream has scanned everything; gives the changes. */
    async function changesOf(stream: { next(): Promise<Frame> }): Promise<Frame[]> {
      const changes: Frame[] = [];
      for (;;) {
        const frame = await stream.next();
        if (frame.change != null) changes.push(frame.change);
        else if (frame.scanned_through.revision === (await now())) return changes;
      }
    }

    async function changesUntilEnd(stream: { next(): Promise<Frame> }): Promise<void> {
      while ((await stream.next()) !== undefined);
    }

    test("sends changes after a revision in order, and how far it has scanned", async () => {
      const after_revision = await now();
      const row = await addSchedule(opened, { project_id: project.id });
      const revision = await renameTask(opened, row, "second");
      const hidden = await addSchedule(opened, { project_id: project.id, scheduler: "celery-beat" });
      const stream = await watch({ after_revision });
      expect(await stream.next()).toMatchObject({
        change: {
          kind: "UPSERT",
          revision: row.schedule_revision,
          project_id: project.id,
          schedule_id: row.id,
          schedule: { id: row.id, task_name: "second", revision },
        },
      });
      expect(await stream.next()).toMatchObject({ change: { kind: "UPSERT", revision } });
      const end = hidden.schedule_revision;
      expect(await stream.next()).toMatchObject({ scanned_through: { revision: end, server_revision: end } });
      const removed = await removeSchedule(opened, row);
      server.grpc.changed();
      expect(await stream.change()).toMatchObject({
        change: { kind: "TOMBSTONE", revision: removed, schedule_id: row.id, schedule: null },
      });
    });

    test("confirms with every poll that it is current", async () => {
      const stream = await watch();
      const expected = { scanned_through: { revision: await now(), server_revision: await now() } };
      expect(await stream.next()).toMatchObject(expected);
      await server.grpc.poll();
      expect(await stream.next()).toMatchObject(expected);
    });

    test("finds changes without a signal at the next poll", async () => {
      const stream = await watch();
      await stream.next();
      const row = await addSchedule(opened, { project_id: project.id });
      await server.grpc.poll();
      expect(await stream.change()).toMatchObject({ change: { schedule_id: row.id } });
    });

    test("loses and repeats nothing under concurrent changes", async () => {
      const stream = await watch();
      const rows = [];
      for (let index = 0; index < 4; index += 1) rows.push(await addSchedule(opened, { project_id: project.id }));
      const from = await now();
      const watched = (async () => {
        const revisions: number[] = [];
        while (revisions.at(-1) !== from + 100) {
          const frame = await stream.change();
          revisions.push(frame.change.revision);
        }
        return revisions;
      })();
      await Promise.all(
        rows.map(async (row) => {
          for (let index = 0; index < 25; index += 1) {
            await renameTask(opened, row, `task-${index}`);
            server.grpc.changed();
          }
        }),
      );
      const revisions = await watched;
      expect(revisions).toEqual(Array.from({ length: 104 }, (_, index) => from - 3 + index));
    });

    test("sends many changes in order to a client that reads slowly", async () => {
      const after_revision = await now();
      const row = await addSchedule(opened, { project_id: project.id, args: JSON.stringify(["x".repeat(60_000)]) });
      const stream = await watch({ after_revision });
      for (let index = 0; index < 100; index += 1) await renameTask(opened, row, `task-${index}`);
      server.grpc.changed();
      const changes: Frame[] = [];
      while (changes.length < 101) changes.push(...(await changesOf(stream)));
      expect(changes.map(({ revision }) => revision)).toEqual(
        Array.from({ length: 101 }, (_, index) => row.schedule_revision + index),
      );
    });

    test.each(["bound", "free"])(
      "moves past changes of projects that %s may not see or did not ask for",
      async (name) => {
        const request = name === "free" ? { project_ids: [project.id] } : {};
        const stream = await watch(request, name);
        await addSchedule(opened, { project_id: other.id });
        const own = await addSchedule(opened, { project_id: project.id });
        const { schedule_revision } = await addSchedule(opened, { project_id: other.id });
        server.grpc.changed();
        const changes = await changesOf(stream);
        expect(changes).toMatchObject([{ schedule_id: own.id }]);
        expect(await now()).toBe(schedule_revision);
      },
    );

    test("includes a project that is created while it is open", async () => {
      const stream = await watch();
      await stream.next();
      const late = await projectWith(opened, `late-${run}`);
      const row = await addSchedule(opened, { project_id: late.id });
      server.grpc.changed();
      expect(await stream.change()).toMatchObject({ change: { kind: "UPSERT", schedule_id: row.id } });
    });

    test("sends a gap and ends when changes after the revision were pruned", async () => {
      const row = await addSchedule(opened, { project_id: project.id });
      const pruned = await renameTask(opened, row, "pruned");
      await renameTask(opened, row, "kept");
      await opened.database.write((tx) => tx.deleteFrom("schedule_changes").where("revision", "<=", pruned).execute());
      const stream = await watch({ after_revision: pruned - 1 });
      expect(await stream.next()).toMatchObject({ gap: {} });
      expect(await stream.next()).toBeUndefined();
      const current = await watch({ after_revision: pruned });
      expect(await current.next()).toMatchObject({ change: { revision: pruned + 1 } });
    });

    test("sends a gap when all changes were pruned, or the client knows more than the service", async () => {
      await addSchedule(opened, { project_id: project.id });
      await opened.database.write((tx) => tx.deleteFrom("schedule_changes").execute());
      expect(await (await watch({ after_revision: (await now()) - 1 })).next()).toMatchObject({ gap: {} });
      expect(await (await watch({ after_revision: (await now()) + 1 })).next()).toMatchObject({ gap: {} });
      expect(await (await watch()).next()).toMatchObject({ scanned_through: {} });
    });

    test("sends a gap where the log of changes says so, if the client may see the project", async () => {
      const bound = await watch({}, "bound");
      const free = await watch({}, "free");
      // Both are up to date before the change, which they must not see before it is marked.
      for (const stream of [bound, free]) await stream.next();
      const hidden = await addSchedule(opened, { project_id: other.id });
      const mark = (changeKind: string) =>
        opened.database.write((tx) =>
          tx
            .updateTable("schedule_changes")
            .set({ change_kind: changeKind })
            .where("revision", "=", hidden.schedule_revision)
            .execute(),
        );
      await mark("gap");
      const own = await addSchedule(opened, { project_id: project.id });
      server.grpc.changed();
      expect(await free.change()).toMatchObject({ gap: {} });
      expect(await bound.change()).toMatchObject({ change: { schedule_id: own.id } });
      await mark("upsert");
    });

    test("sends tombstones for an archived project, and its schedules again when it is restored", async () => {
      const row = await addSchedule(opened, { project_id: project.id });
      const stream = await watch();
      await project.change({ is_active: false });
      // As archiving and restoring do.
      await renameTask(opened, row, "archived");
      server.grpc.changed();
      expect(await stream.change()).toMatchObject({ change: { kind: "TOMBSTONE", schedule_id: row.id } });
      await project.change({ is_active: true });
      await renameTask(opened, row, "restored");
      server.grpc.changed();
      expect(await stream.change()).toMatchObject({ change: { kind: "UPSERT", schedule_id: row.id } });
    });

    test("sends a gap when a project with schedules is renamed in or out of a binding", async () => {
      await addSchedule(opened, { project_id: project.id });
      const gapAfter = async (slug: string) => {
        const stream = await watch({}, "bound");
        await stream.next();
        await project.change({ slug });
        server.grpc.changed();
        expect(await stream.change()).toMatchObject({ gap: {} });
      };
      await gapAfter(`renamed-${run}`);
      await gapAfter(`own-${run}`);
    });

    test("sends no gap when the view of another client changes", async () => {
      await addSchedule(opened, { project_id: other.id });
      const stream = await watch({}, "bound");
      await stream.next();
      await other.change({ slug: `renamed-other-${run}` });
      const row = await addSchedule(opened, { project_id: project.id });
      server.grpc.changed();
      expect(await stream.change()).toMatchObject({ change: { schedule_id: row.id } });
    });

    test("is limited for each certificate and in all", async () => {
      server = await start({
        settings: { SVC_SCHEDULER_GRPC_WATCH_MAX_CONCURRENT: 3, SVC_SCHEDULER_GRPC_WATCH_MAX_PER_CERT: 2 },
      });
      const exhausted = { code: statusCodes.RESOURCE_EXHAUSTED };
      const first = await watch({}, "a");
      await first.next();
      await (await watch({}, "a")).next();
      await expect((await watch({}, "a")).next()).rejects.toMatchObject(exhausted);
      await (await watch({}, "b")).next();
      await expect((await watch({}, "c")).next()).rejects.toMatchObject(exhausted);
      expect(server.refused).toEqual([]);

      first.cancel();
      await expect(changesUntilEnd(first)).rejects.toMatchObject({ code: 1 });
      for (;;) {
        // The server may learn of the end later than the client.
        const frame = await (await watch({}, "a")).next().catch((error) => error);
        if (frame.scanned_through != null) break;
        expect(frame).toMatchObject(exhausted);
      }
    });

    test("is refused for an invalid request", async () => {
      const invalid = { code: statusCodes.INVALID_ARGUMENT };
      await expect((await watch({ after_revision: -1 })).next()).rejects.toMatchObject(invalid);
      await expect((await watch({ project_ids: ["x"] })).next()).rejects.toMatchObject(invalid);
    });

    test("ends when the service stops", async () => {
      const stream = await watch();
      await stream.next();
      const ended = expect(stream.next()).rejects.toMatchObject({
        code: statusCodes.UNAVAILABLE,
        details: "the service is stopping",
      });
      await server.grpc.stop();
      await ended;
    });
  });
}

if (testDialects.includes("postgres")) {
  describe("the stream of changes of two processes", () => {
    const opened = useTestDatabase("postgres");

    test("sends changes that the other process made, when it is notified", async () => {
      const database = await opened.openAgain();
      const server = await startSchedulerGrpc(opened);
      const other = await startSchedulerGrpc({ database });
      try {
        const project = await projectWith(opened, "shared");
        const stream = server.client().watch({ after_revision: 0 });
        await stream.next();
        const row = await addSchedule({ database }, { project_id: project.id });
        other.grpc.changed();
        expect(await stream.change()).toMatchObject({ change: { kind: "UPSERT", schedule_id: row.id } });
      } finally {
        await server.stop();
        await other.stop();
        await database.close();
      }
    });
  });
}
