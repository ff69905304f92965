import { describe, expect, test } from "vitest";
import { whyNotAs, whyNotManage } from "./may-not.ts";

describe("a role", () => {
  const operator = "Needs the operator role in this project";
  const admin = "Needs the admin role in this project";

  test.each([
    ["admin", null, null],
    ["operator", null, admin],
    ["viewer", operator, admin],
    ["auditor", operator, admin],
    [null, operator, admin],
  ] as const)("with role %s: operator actions %o, admin actions %o", (role, asOperator, asAdmin) => {
    for (const project of [undefined, { is_active: true }]) {
      expect(whyNotAs(role, project)).toBe(asOperator);
      expect(whyNotAs(role, project, "admin")).toBe(asAdmin);
    }
  });

  test("with any role may do what viewers may", () => {
    for (const role of ["admin", "operator", "auditor", "viewer"] as const) {
      expect(whyNotAs(role, { is_active: true }, "viewer")).toBeNull();
    }
  });

  test.each([
    ["admin", "The project is archived"],
    ["viewer", operator],
  ] as const)("with role %s can't act in an archived project: %s", (role, reason) => {
    expect(whyNotAs(role, { is_active: false })).toBe(reason);
  });

  test.each([
    ["admin", "The project is archived; restore it first"],
    ["operator", admin],
  ] as const)("with role %s can't change settings of an archived project: %s", (role, reason) => {
    expect(whyNotManage(role, { is_active: false })).toBe(reason);
  });
});
