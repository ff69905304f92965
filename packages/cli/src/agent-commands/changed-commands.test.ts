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
    end(id: string): void {
      const at = commands.findIndex((command) => command.id === id);
      commands[at] = { ...(commands[at] as Command), status: "completed" };
    },
    before(doing: () => void): void {
      beforePage = doing;
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

describe("the commands that changed since the last look", () => {
  test("are none at first, then the new ones and those that went on, oldest first", async () => {
    const project = startProject();
    project.issue(3);
    const open = project.issue(1, "dispatched");
    const look = createChangedCommands(project.list);
    expect(await look()).toEqual({ changed: [], hasMissed: false });
    expect(await look()).toEqual({ changed: [], hasMissed: false });
    project.end(open);
    const fresh = project.issue(1, "pending");
    const { changed } = await look();
    expect(changed.map(({ id, status }) => [id, status])).toEqual([
      [open, "completed"],
      [fresh, "pending"],
    ]);
    expect(project.pages()).toBe(3);
  });

  test("are all of those that were issued, over several pages, and nothing that was there before", async () => {
    const project = startProject();
    project.issue(1000);
    const look = createChangedCommands(project.list);
    await look();
    project.issue(450);
    const { changed, hasMissed } = await look();
    expect([changed.length, changed[0]?.id, changed.at(-1)?.id]).toEqual([450, "command-1000", "command-1449"]);
    expect([hasMissed, project.pages()]).toEqual([false, 4]);
  });

  test("hold one that was under way, however far the newer ones have pushed it back", async () => {
    const project = startProject();
    project.issue(500);
    const open = project.issue(1, "dispatched");
    const look = createChangedCommands(project.list);
    await look();
    for (let round = 0; round < 3; round += 1) {
      project.issue(190);
      expect((await look()).changed).toHaveLength(190);
    }
    project.end(open);
    expect((await look()).changed.map(({ id }) => id)).toEqual([open]);
    const before = project.pages();
    expect((await look()).changed).toEqual([]);
    expect(project.pages() - before).toBe(1);
  });

  test("are each told once when more come while the pages are read", async () => {
    const project = startProject();
    project.issue(10);
    const look = createChangedCommands(project.list);
    await look();
    project.issue(450);
    project.before(() => project.issue(1));
    const told = [...(await look()).changed, ...(await look()).changed].map(({ id }) => id);
    expect(new Set(told).size).toBe(told.length);
    expect(told).toHaveLength(450 + 4);
  });

  test("are told of as missed when there are more than one look reads, and then go on", async () => {
    const project = startProject();
    project.issue(1);
    const look = createChangedCommands(project.list);
    await look();
    project.issue(6000);
    const { changed, hasMissed } = await look();
    expect([changed.length, hasMissed]).toEqual([5000, true]);
    project.issue(2);
    expect(await look()).toMatchObject({ changed: [{ id: "command-6001" }, { id: "command-6002" }], hasMissed: false });
  });
});
