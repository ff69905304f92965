import { describe, expect, test } from "vitest";
import { commands } from "../commands.ts";
import { findCommand } from "./find-command.ts";

describe("findCommand", () => {
  test("returns the words after a command, and after one of a group", () => {
    expect(findCommand(["agent", "bullmq", "--dev"], commands)).toMatchObject({
      words: ["agent"],
      rest: ["bullmq", "--dev"],
    });
    expect(findCommand(["config", "show", "--json"], commands)).toMatchObject({
      words: ["config", "show"],
      rest: ["--json"],
    });
  });

  test.each([[["config"]], [["config", "--json"]]])("returns the group for %j", (args) => {
    expect(findCommand(args, commands)).toMatchObject({ group: { name: "config" } });
  });
});
