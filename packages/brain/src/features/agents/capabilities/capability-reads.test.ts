import { randomUUID } from "node:crypto";
import { addProject, testDialects, useTestDatabase } from "@svc/testkit/databases";
import { describe, expect, test } from "vitest";
import { agentRow } from "../../../../test/rows/agent-rows.ts";
import type { AgentRow } from "../../../schema/tables/index.ts";
import { advertisedCapabilities, agentsSeenLast, onlineAmong } from "./capability-reads.ts";

const at = (second: number): Date => new Date(Date.UTC(2026, 3, 1, 10, 0, second));
const lists = { bullmq: ["list_dead_letters", "retry_task"] };

type Capabilities = Record<string, string[]>;
interface GivenAgent extends Partial<AgentRow> {
  readonly name: string;
  /** One entry per WebSocket session. */
  readonly sessions?: readonly Capabilities[];
  readonly isSessionOver?: boolean;
}

for (const dialect of testDialects) {
  describe(`capabilities of agents on ${dialect}`, () => {
    const opened = useTestDatabase(dialect);

    async function newProject(...given: GivenAgent[]): Promise<string> {
      const projectId = await addProject(opened.database, randomUUID());
      await opened.database.write(async (tx) => {
        for (const { sessions = [], isSessionOver = false, ...more } of given) {
          const row = agentRow({ project_id: projectId, state: "online", last_seen_at: at(30), ...more });
          await tx.insertInto("agents").values(row).execute();
          for (const capabilities of sessions) {
            await tx
              .insertInto("agent_workers")
              .values({
                id: randomUUID(),
                agent_id: row.id,
                project_id: projectId,
                worker_id: randomUUID(),
                role: null,
                framework: null,
                pid: null,
                started_at: null,
                state: isSessionOver ? "offline" : "online",
                capabilities: JSON.stringify(capabilities),
                last_seen_at: null,
                last_connect_at: null,
                created_at: at(0),
                updated_at: at(0),
              })
              .execute();
          }
        }
      });
      return projectId;
    }
    const seenLast = async (projectId: string, engine = "bullmq", token = "list_dead_letters") => {
      const { read } = opened.database;
      const found = await agentsSeenLast(read, { token, engine, projectId, since: at(20), limit: 10 });
      const names = await Promise.all(
        found.map(({ agent_id }) =>
          read.selectFrom("agents").select("name").where("id", "=", agent_id).executeTakeFirstOrThrow(),
        ),
      );
      return names.map(({ name }) => name);
    };

    test("are those of the agent's current sessions, whatever its last hello reported", async () => {
      const projectId = await newProject(
        { name: "reported", capabilities: JSON.stringify(lists), sessions: [{ bullmq: [] }] },
        { name: "has", sessions: [{ bullmq: [] }, lists] },
      );
      expect(await seenLast(projectId)).toEqual(["has"]);
      expect(await seenLast(projectId, "celery")).toEqual([]);
      expect(await seenLast(projectId, "bullmq", "purge_queue")).toEqual([]);
    });

    test("are those of the last hello while an agent without a session was seen recently", async () => {
      const polling = { capabilities: JSON.stringify(lists), sessions: [lists], isSessionOver: true };
      expect(await seenLast(await newProject({ name: "polls", ...polling, last_seen_at: at(20) }))).toEqual(["polls"]);
      expect(await seenLast(await newProject({ name: "silent", ...polling, last_seen_at: at(19) }))).toEqual([]);
      expect(await seenLast(await newProject({ name: "unseen", ...polling, last_seen_at: null }))).toEqual([]);
    });

    test("are ignored while the agent is offline, revoked, or in an archived project", async () => {
      const sessions = [lists];
      const projectId = await newProject(
        { name: "offline", state: "offline", sessions },
        { name: "revoked", revoked_at: at(1), sessions },
      );
      expect(await seenLast(projectId)).toEqual([]);
      const archived = await newProject({ name: "fine", sessions });
      expect(await seenLast(archived)).toEqual(["fine"]);
      await opened.database.write((tx) =>
        tx.updateTable("projects").set({ is_active: false }).where("id", "=", archived).execute(),
      );
      expect(await seenLast(archived)).toEqual([]);
    });

    test("choose the agent that was seen last, one per project and engine", async () => {
      const both = { ...lists, celery: ["list_dead_letters"] };
      const one = await newProject(
        { name: "first", last_seen_at: at(31), sessions: [lists] },
        { name: "last", last_seen_at: at(33), sessions: [lists] },
        { name: "other", last_seen_at: at(32), sessions: [both] },
      );
      const two = await newProject({ name: "far", sessions: [both] });
      expect([await seenLast(one), await seenLast(one, "celery")]).toEqual([["last"], ["other"]]);
      const { read } = opened.database;
      const everywhere = await agentsSeenLast(read, { token: "list_dead_letters", since: at(20), limit: 100 });
      const pairs = everywhere.map(({ project_id, engine }) => [project_id, engine]);
      for (const project of [one, two]) {
        for (const engine of ["bullmq", "celery"]) {
          expect(pairs.filter(([id, name]) => id === project && name === engine)).toHaveLength(1);
        }
      }
    });

    test("of given agents are those of each session or, while they poll, of their last hello", async () => {
      const both = { ...lists, celery: ["list_dead_letters"] };
      const ids = Array.from({ length: 5 }, () => randomUUID());
      const [session, polls, none, offline, revoked] = ids as [string, string, string, string, string];
      const projectId = await newProject(
        { id: session, name: "session", sessions: [both, lists] },
        { id: polls, name: "polls", capabilities: JSON.stringify(lists) },
        { id: none, name: "none" },
        { id: offline, name: "offline", state: "offline", sessions: [lists] },
        { id: revoked, name: "revoked", revoked_at: at(1), sessions: [lists] },
      );
      const among = async (of: string, agentIds: string[]) => {
        const found = await onlineAmong(opened.database.read, { since: at(20), projectId: of, agentIds });
        return Object.fromEntries(found.map(({ id, sessions }) => [id, sessions]));
      };
      const found = await among(projectId, ids);
      expect(found).toEqual({
        [session]: expect.arrayContaining([both, lists]),
        [polls]: [lists],
        [none]: [{}],
      });
      expect(found[session]).toHaveLength(2);
      expect(await among(projectId, [polls])).toEqual({ [polls]: [lists] });
      expect(await among(await newProject(), ids)).toEqual({});
    });

    test("are returned together for all sessions of an agent, most recently seen agents first", async () => {
      const projectId = await newProject(
        {
          name: "one",
          last_seen_at: at(31),
          engine_adapters: '["bullmq"]',
          sessions: [lists, { bullmq: ["cancel_task"] }],
        },
        { name: "two", last_seen_at: at(32), engine_adapters: '["celery"]', capabilities: '{"celery":["retry_task"]}' },
        { name: "disconnected", state: "offline" },
      );
      const query = { projectId, since: at(20) };
      const advertised = await advertisedCapabilities(opened.database.read, { ...query, limit: 10 });
      expect(advertised.map(({ name, engines }) => [name, engines])).toEqual([
        ["two", ["celery"]],
        ["one", ["bullmq"]],
      ]);
      expect(advertised[0]?.capabilities).toEqual({ celery: ["retry_task"] });
      expect(advertised[1]?.capabilities.bullmq?.sort()).toEqual(["cancel_task", "list_dead_letters", "retry_task"]);
      expect(await advertisedCapabilities(opened.database.read, { ...query, limit: 1 })).toHaveLength(1);
    });
  });
}
