import type { Me } from "@svc/client";
import { describe, expect, test } from "vitest";
import { actionTree, actorText, auditedSlugs, outcomeOf, reachText, targetName } from "./labels.ts";

const member = (project_slug: string, role: Me["memberships"][number]["role"]) => ({
  project_id: project_slug,
  project_slug,
  project_name: project_slug.toUpperCase(),
  role,
});

describe("the tree of actions", () => {
  test("has the classes of the actions, each with its actions once", () => {
    const tree = actionTree(["auth.logout", "auth.login", "auth.login", "task.failed", "tasks.export", "odd"]);
    const of = (prefix: string) => tree.find((one) => one.prefix === prefix)?.actions;
    expect(of("auth.")).toEqual(["auth.login", "auth.logout"]);
    expect([of("task."), of("tasks.")]).toEqual([["task.failed"], ["tasks.export"]]);
    expect([of("odd."), of("project."), of("schedule.")]).toEqual([undefined, undefined, undefined]);
    expect(tree.map(({ name }) => name)).toEqual(["Sign-in", "Task lists", "Tasks"]);
  });

  test("shows unknown classes by their own names", () => {
    expect(actionTree(["robot.moved"]).at(-1)).toEqual({ prefix: "robot.", name: "robot", actions: ["robot.moved"] });
  });
});

test("a failed sign-in is not attributed to the system", () => {
  const row = { user_id: null, action: "auth.login" };
  expect(actorText(row, { me: { id: "" }, names: new Map() })).toBe("Not signed in");
});

test("an outcome is that of the row, or derived from its result", () => {
  expect(outcomeOf({ outcome: "deny", result: "failed" })).toBe("deny");
  expect(outcomeOf({ outcome: null, result: "success" })).toBe("allow");
  expect(outcomeOf({ outcome: null, result: "failed" })).toBe("failure");
});

test("a target has the name of its account or agent, else that in the row", () => {
  const known = { names: new Map([["u-1", "Mira"]]), agents: new Map([["a-1", "side-car"]]) };
  const nameOf = (target_id: string | null, metadata = {}) =>
    targetName({ target_type: "thing", target_id, metadata }, known);
  expect([nameOf("u-1"), nameOf("a-1")]).toEqual(["Mira", "side-car"]);
  expect([nameOf("k-1", { name: "nightly" }), nameOf("k-1"), nameOf(null)]).toEqual(["nightly", null, null]);
});

describe("who acted", () => {
  const me = { id: "11111111-0000-4000-8000-000000000001" };
  const other = "22222222-0000-4000-8000-00000abcdef0";
  test.each([
    [null, "System"],
    [me.id, "you"],
    [other, "Mira"],
    ["33333333-0000-4000-8000-0000deadbeef", "user deadbeef"],
  ])("%s is %s", (user_id, text) => {
    expect(actorText({ user_id }, { me, names: new Map([[other, "Mira"]]) })).toBe(text);
  });
});

describe("the visible entries", () => {
  const text = (is_admin: boolean, ...memberships: Me["memberships"]) => reachText({ is_admin, memberships });

  test("are all for an instance administrator", () => {
    expect(text(true)).toMatch(/^All entries/);
  });

  test.each(["viewer", "operator"] as const)("are only the own entries for a %s", (role) => {
    expect(text(false, member("shop", role))).toMatch(/^Only your own entries/);
    expect(auditedSlugs({ memberships: [member("shop", role)] })).toEqual([]);
  });

  test("include the projects that the user may audit", () => {
    expect(text(false, member("shop", "auditor"), member("mail", "viewer"))).toMatch(/^Entries of SHOP, and your own/);
    expect(text(false, member("shop", "auditor"), member("mail", "admin"))).toMatch(/^Entries of SHOP and MAIL,/);
    const four = ["a", "b", "c", "d"].map((slug) => member(slug, "admin"));
    expect(text(false, ...four)).toMatch(/^Entries of A, B and 2 other projects,/);
  });
});
