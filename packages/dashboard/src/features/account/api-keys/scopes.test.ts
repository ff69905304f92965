import { expect, test } from "vitest";
import { groupScopes, isIncluded, makesProjects, scopesToSend } from "./scopes.ts";

test("scopes are grouped by resource in the catalogue's order; an unknown resource is a group of its own", () => {
  const groups = groupScopes(["home:read", "tasks:read", "tasks:write", "wishes:read", "admin:*"]);
  expect(groups.map(({ title, scopes }) => [title, scopes])).toEqual([
    ["Home", ["home:read"]],
    ["Tasks", ["tasks:read", "tasks:write"]],
    ["wishes", ["wishes:read"]],
    ["Everything", ["admin:*"]],
  ]);
});

test("writing includes reading, and everything includes all; only what is not included is sent", () => {
  const chosen = new Set(["tasks:read", "tasks:write", "audit:read"]);
  expect(isIncluded("tasks:read", chosen)).toBe(true);
  expect(isIncluded("audit:read", chosen)).toBe(false);
  expect(scopesToSend(chosen)).toEqual(["tasks:write", "audit:read"]);
  expect(scopesToSend(new Set([...chosen, "admin:*"]))).toEqual(["admin:*"]);
});

test("projects can be created with their write scope or with admin:*", () => {
  expect(makesProjects(new Set(["projects:read", "tasks:write"]))).toBe(false);
  expect(makesProjects(new Set(["projects:write"]))).toBe(true);
  expect(makesProjects(new Set(["admin:*"]))).toBe(true);
});
