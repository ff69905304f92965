import { createRedactor } from "@svc/protocol";
import { createFakeClock } from "@svc/testkit";
import { testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { commandRow } from "../../../test/rows/command-rows.ts";
import { createLog } from "../../platform/log.ts";
import { createMetrics } from "../../platform/metrics.ts";
import type { CommandRow } from "../../schema/tables/index.ts";
import { createCommands } from "./index.ts";
import { cancelPending } from "./store.ts";

const projectId = "11111111-2222-4333-8444-555555555555";
const clock = createFakeClock();
const never = new AbortController().signal;
const at = (seconds: number) => new Date(clock.now().getTime() + seconds * 1000);

for (const dialect of testDialects) {
  describe(`concurrent changes of a command on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    /** Two processes on one database, with their notifications. */
    async function twoProcesses() {
      const again = await opened.openAgain();
      const ended: string[] = [];
      const late: string[] = [];
      const [one, two] = [opened.database, again].map((database) => {
        const commands = createCommands({
          database,
          clock,
          log: createLog({ level: "error", json: true }),
          metrics: createMetrics(),
          labels: { of: () => "shop", whenKnown: (_ids, work) => work() },
          audit: { refused: ({ target_id }) => void late.push(String(target_id)), async append() {} },
          redactor: createRedactor(),
          timeoutSeconds: 60,
          redispatch: { windowSeconds: 60, minIntervalSeconds: 10 },
          publish() {},
        });
        commands.onEnded(({ id }, isHere) => void (isHere && ended.push(id)));
        return commands;
      });
      return { one: one!, two: two!, again, ended, late };
    }
    async function add(agentId: string, given: Partial<CommandRow>): Promise<CommandRow[]> {
      const rows = Array.from({ length: 40 }, () =>
        commandRow({ project_id: projectId, agent_id: agentId, timeout_at: at(60), ...given }),
      );
      await opened.database.write((tx) => tx.insertInto("commands").values(rows).execute());
      return rows;
    }
    const statusesOf = async (agentId: string) =>
      new Map(
        (
          await opened.database.read
            .selectFrom("commands")
            .select(["id", "status"])
            .where("agent_id", "=", agentId)
            .execute()
        ).map(({ id, status }) => [id, status]),
      );

    test("of a result and the timeout, one counts and the other is late", async () => {
      const agentId = "aaaaaaaa-0000-4000-8000-000000000001";
      const { one, two, again, ended, late } = await twoProcesses();
      const rows = await add(agentId, { status: "dispatched", timeout_at: at(-1) });
      await Promise.all([
        one.expire(never),
        ...rows.map(({ id }) => two.reports.resulted(agentId, id, { status: "success" })),
        two.expire(never),
      ]);
      const statuses = await statusesOf(agentId);
      const timedOut = rows.map(({ id }) => id).filter((id) => statuses.get(id) === "timeout");
      expect([...statuses.values()].every((status) => status === "timeout" || status === "completed")).toBe(true);
      expect(ended.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
      expect(late.toSorted()).toEqual(timedOut.toSorted());
      await again.close();
    });

    test("of two claims and a cancel, one succeeds", async () => {
      const agentId = "aaaaaaaa-0000-4000-8000-000000000002";
      const { one, two, again } = await twoProcesses();
      await add(agentId, {});
      const request = { agentId, max: 100, retryContracts: new Set<string>() };
      const cancel = again.write((tx) =>
        cancelPending(tx, { of: { agent_id: agentId }, error: "revoked", now: clock.now() }),
      );
      const [first, second, third] = await Promise.all([one.claim(request), two.claim(request), cancel]);
      const claimed = [...first.commands, ...second.commands].map(({ id }) => id);
      const cancelled = third.map(({ id }) => id);
      const statuses = await statusesOf(agentId);
      expect([...claimed, ...cancelled].toSorted()).toEqual([...statuses.keys()].toSorted());
      for (const id of claimed) expect(statuses.get(id)).toBe("dispatched");
      for (const id of cancelled) expect(statuses.get(id)).toBe("cancelled");
      await again.close();
    });

    test("of a result and a failed send, the result counts", async () => {
      const agentId = "aaaaaaaa-0000-4000-8000-000000000003";
      const { one, two, again, ended } = await twoProcesses();
      const rows = await add(agentId, {});
      const { commands } = await one.claim({ agentId, max: 100, retryContracts: new Set() });
      await Promise.all(
        commands.flatMap((command) => [
          one.unsent(command),
          two.reports.resulted(agentId, command.id, { status: "success", ...command.payload }),
        ]),
      );
      expect(new Set((await statusesOf(agentId)).values())).toEqual(new Set(["completed"]));
      expect(ended.toSorted()).toEqual(rows.map(({ id }) => id).toSorted());
      await again.close();
    });
  });
}
