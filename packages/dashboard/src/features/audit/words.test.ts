import type { Me } from "@svc/client";
import { describe, expect, test } from "vitest";
import { actionTree, actorText, auditedSlugs, reachText } from "./words.ts";

const member = (project_slug: string, role: Me["memberships"][number]["role"]) => ({
  project_id: project_slug,
  project_slug,
  project_name: project_slug.toUpperCase(),
  role,
});

describe("the tree of actions", () => {
  test("has the known classes, and below each the actions that were seen, each once", () => {
    const tree = actionTree(["auth.logout", "auth.login", "auth.login", "task.failed", "tasks.export", "odd"]);
    const of = (prefix: string) => tree.find((one) => one.prefix === prefix)?.actions;
    expect(of("auth.")).toEqual(["auth.login", "auth.logout"]);
    expect([of("task."), of("tasks."), of("project.")]).toEqual([["task.failed"], ["tasks.export"], []]);
    expect(of("odd.")).toBeUndefined();
  });

  test("takes classes that it does not know", () => {
    expect(actionTree(["robot.moved"]).at(-1)).toEqual({ prefix: "robot.", name: "robot", actions: ["robot.moved"] });
  });
});

describe("who acted", () => {
  const me = { id: "11111111-0000-4000-8000-000000000001" };
  const other = "22222222-0000-4000-8000-00000abcdef0";
  test.each([
    [null, "no account"],
    [me.id, "you"],
    [other, "Mira"],
    ["33333333-0000-4000-8000-0000deadbeef", "user deadbeef"],
  ])("%s is %s", (user_id, text) => {
    expect(actorText({ user_id }, { me, names: new Map([[other, "Mira"]]) })).toBe(text);
  });
});

// Part 1, Activity feed, Visibility.
describe("what a person sees", () => {
  const text = (is_admin: boolean, ...memberships: Me["memberships"]) => reachText({ is_admin, memberships });

  test("is everything for an instance admin", () => {
    expect(text(true)).toMatch(/every row/);
  });

  test.each(["viewer", "operator"] as const)("is the own events only for a %s", (role) => {
    expect(text(false, member("shop", role))).toMatch(/^Your own events only/);
    expect(auditedSlugs({ memberships: [member("shop", role)] })).toEqual([]);
  });

  test("names the projects that may be audited", () => {
    expect(text(false, member("shop", "auditor"), member("mail", "viewer"))).toMatch(/^The rows of SHOP, which/);
    expect(text(false, member("shop", "auditor"), member("mail", "admin"))).toMatch(/^The rows of SHOP and MAIL,/);
    const four = ["a", "b", "c", "d"].map((slug) => member(slug, "admin"));
    expect(text(false, ...four)).toMatch(/^The rows of A, B and 2 other projects,/);
  });
});
