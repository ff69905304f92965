import { describe, expect, test } from "vitest";
import { commands } from "../commands.ts";
import { findCommand, nearest } from "./find-command.ts";

const known = ["serve", "demo", "agent", "changepassword", "reset-mfa", "check", "doctor", "config"];

describe("nearest", () => {
  test.each([
    ["sevre", "serve"],
    ["doctr", "doctor"],
    ["chekc", "check"],
    ["changepasword", "changepassword"],
    ["change-password", "changepassword"],
    ["resetmfa", "reset-mfa"],
    ["conf", "config"],
    ["demoo", "demo"],
  ])("finds for %s the word %s", (typed, word) => {
    expect(nearest(typed, known)).toBe(word);
  });

  test.each(["", "x", "migrate", "users", "zzzzzz"])("suggests nothing for %j, which is near to none", (typed) => {
    expect(nearest(typed, known)).toBeNull();
  });
});

describe("findCommand", () => {
  test("gives the words after a command, and after one of a group", () => {
    expect(findCommand(["agent", "bullmq", "--dev"], commands)).toMatchObject({
      words: ["agent"],
      rest: ["bullmq", "--dev"],
    });
    expect(findCommand(["config", "show", "--json"], commands)).toMatchObject({
      words: ["config", "show"],
      rest: ["--json"],
    });
  });

  test.each([[["config"]], [["config", "--json"]]])("gives the group for %j", (args) => {
    expect(findCommand(args, commands)).toMatchObject({ group: { name: "config" } });
  });
});
