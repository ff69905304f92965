import type { Project } from "@svc/client";
import { describe, expect, test } from "vitest";
import { changesOf, formOf, projectRefusal } from "./project-changes.ts";

const project: Project = {
  id: "p",
  slug: "shop",
  name: "Shop",
  description: null,
  environment: "production",
  timezone: "UTC",
  is_active: true,
  automation_enabled: true,
  automation_revision: 1,
  default_scheduler_owner: "svc-scheduler",
  allowed_schedulers: ["svc-scheduler", "beat"],
  settings: null,
  organization_id: null,
  created_at: "2026-11-20T10:00:00.000Z",
  updated_at: "2026-11-20T10:00:00.000Z",
};
const form = formOf(project);

describe("changes to a project's settings", () => {
  test("are the fields that differ, trimmed", () => {
    expect(changesOf(project, form)).toEqual({});
    expect(changesOf(project, { ...form, name: " Shop ", description: "  " })).toEqual({});
    expect(changesOf(project, { ...form, name: "Store", slug: "store" })).toEqual({ name: "Store", slug: "store" });
  });

  test("clear an emptied description", () => {
    const described = { ...project, description: "What we sell" };
    expect(changesOf(described, form)).toEqual({ description: null });
  });
});

test("a conflict is shown at its field", () => {
  expect(projectRefusal("slug_in_use")?.field).toBe("slug");
  expect(projectRefusal("last_active_project")).toMatchObject({ field: null });
  expect(projectRefusal("other")).toBeNull();
  expect(projectRefusal(null)).toBeNull();
});
