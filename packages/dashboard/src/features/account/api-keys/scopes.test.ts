import { expect, test } from "vitest";
import { groupScopes, isIncluded, makesProjects, scopesToMint } from "./scopes.ts";

test("scopes stand by what they are about, in the catalogue's order; what this page does not know stands under its own name", () => {
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
  expect(scopesToMint(chosen)).toEqual(["tasks:write", "audit:read"]);
  expect(scopesToMint(new Set([...chosen, "admin:*"]))).toEqual(["admin:*"]);
});

test("projects are made with their write scope or with everything", () => {
  expect(makesProjects(new Set(["projects:read", "tasks:write"]))).toBe(false);
  expect(makesProjects(new Set(["projects:write"]))).toBe(true);
  expect(makesProjects(new Set(["admin:*"]))).toBe(true);
});
