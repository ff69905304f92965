import type { Member, ProjectRole } from "@svc/client";
import { expect, test } from "vitest";
import { lastAdminGuard, memberRefusal, roles } from "./roles.ts";

const member = (id: string, role: ProjectRole): Member => ({
  id,
  user_id: id,
  project_id: "p",
  user_email: `${id}@example.org`,
  user_display_name: null,
  role,
  created_at: "2026-11-20T10:00:00.000Z",
});

test("only the last admin can't be removed", () => {
  const [ann, ben, viewer] = [member("ann", "admin"), member("ben", "admin"), member("vi", "viewer")];
  expect(lastAdminGuard(ann, [ann, viewer])).toMatch(/^The project's last admin/);
  expect(lastAdminGuard(ann, [ann, ben])).toBeNull();
  expect(lastAdminGuard(viewer, [ann, viewer])).toBeNull();
});

test("every role has a one-line description, and conflicts have a message", () => {
  expect(roles.map(({ role }) => role)).toEqual(["viewer", "auditor", "operator", "admin"]);
  expect(memberRefusal("already_member")).toMatch(/already/);
  expect(memberRefusal("other")).toBeNull();
  expect(memberRefusal(null)).toBeNull();
});
