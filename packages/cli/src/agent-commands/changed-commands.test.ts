import type { Command, CommandStatus, ListCommandsQuery } from "@svc/client";
import { describe, expect, test } from "vitest";
import { createChangedCommands } from "./changed-commands.ts";

/** The commands of a project, listed as the service does. */
function startProject() {
  /** Newest first. */
  const commands: Command[] = [];
  let pages = 0;
  let beforePage = () => {};
  return {
    issue(count: number, status: CommandStatus = "completed"): string {
      for (let left = count; left > 0; left -= 1) {
        const id = `command-${commands.length}`;
        const issued_at = new Date(Date.UTC(2026, 4, 1) + commands.length).toISOString();
        commands.unshift({ id, status, issued_at } as Command);
      }
      return commands[0]?.id ?? "";
    },
    complete(id: string): void {
      const at = commands.findIndex((command) => command.id === id);
      commands[at] = { ...(commands[at] as Command), status: "completed" };
    },
    before(action: () => void): void {
      beforePage = action;
    },
    pages: () => pages,
    async list({ limit = 50, cursor }: ListCommandsQuery) {
      pages += 1;
      beforePage();
      const from = cursor === undefined ? 0 : commands.findIndex(({ id }) => id === cursor) + 1;
      const items = commands.slice(from, from + limit);
      return { items, next_cursor: from + limit < commands.length ? (items.at(-1)?.id ?? null) : null };
    },
  };
}

describe("changed commands", () => {
  test("are empty on the first poll, then contain new and updated commands, oldest first", async () => {
    const project = startProject();
    project.issue(3);
    const open = project.issue(1, "dispatched");
    const poll = createChangedCommands(project.list);
    expect(await poll()).toEqual({ changed: [], hasMissed: false });
    expect(await poll()).toEqual({ changed: [], hasMissed: false });
    project.complete(open);
    const fresh = project.issue(1, "pending");
    const { changed } = await poll();
    expect(changed.map(({ id, status }) => [id, status])).toEqual([
      [open, "completed"],
      [fresh, "pending"],
    ]);
    expect(project.pages()).toBe(3);
  });

  test("contain everything issued since, over several pages, and no earlier commands", async () => {
    const project = startProject();
    project.issue(1000);
    const poll = createChangedCommands(project.list);
    await poll();
    project.issue(450);
    const { changed, hasMissed } = await poll();
    expect([changed.length, changed[0]?.id, changed.at(-1)?.id]).toEqual([450, "command-1000", "command-1449"]);
    expect([hasMissed, project.pages()]).toEqual([false, 4]);
  });

  test("contain a command that was unfinished, however many newer ones there are", async () => {
    const project = startProject();
    project.issue(500);
    const open = project.issue(1, "dispatched");
    const poll = createChangedCommands(project.list);
    await poll();
    for (let round = 0; round < 3; round += 1) {
      project.issue(190);
      expect((await poll()).changed).toHaveLength(190);
    }
    project.complete(open);
    expect((await poll()).changed.map(({ id }) => id)).toEqual([open]);
    const before = project.pages();
    expect((await poll()).changed).toEqual([]);
    expect(project.pages() - before).toBe(1);
  });

  test("contain each command once while more are issued during a poll", async () => {
    const project = startProject();
    project.issue(10);
    const poll = createChangedCommands(project.list);
    await poll();
    project.issue(450);
    project.before(() => project.issue(1));
    const reported = [...(await poll()).changed, ...(await poll()).changed].map(({ id }) => id);
    expect(new Set(reported).size).toBe(reported.length);
    expect(reported).toHaveLength(450 + 4);
  });

  test("report missed changes when there are more than one poll reads, then continue", async () => {
    const project = startProject();
    project.issue(1);
    const poll = createChangedCommands(project.list);
    await poll();
    project.issue(6000);
    const { changed, hasMissed } = await poll();
    expect([changed.length, hasMissed]).toEqual([5000, true]);
    project.issue(2);
    expect(await poll()).toMatchObject({ changed: [{ id: "command-6001" }, { id: "command-6002" }], hasMissed: false });
  });
});
