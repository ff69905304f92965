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

describe("what is sent of a project's settings", () => {
  test("is what differs, without blanks around it", () => {
    expect(changesOf(project, form)).toEqual({});
    expect(changesOf(project, { ...form, name: " Shop ", description: "  " })).toEqual({});
    expect(changesOf(project, { ...form, name: "Store", slug: "store", owner: "beat" })).toEqual({
      name: "Store",
      slug: "store",
      default_scheduler_owner: "beat",
    });
  });

  test("clears a description and a list that were emptied", () => {
    const described = { ...project, description: "What we sell" };
    expect(changesOf(described, { ...form, schedulers: " \n" })).toEqual({
      description: null,
      allowed_schedulers: null,
    });
  });

  test("names each scheduler once", () => {
    expect(changesOf(project, { ...form, schedulers: "beat\n\n beat \nother" })).toEqual({
      allowed_schedulers: ["beat", "other"],
    });
    expect(changesOf(project, { ...form, schedulers: "svc-scheduler\n\nbeat\n" })).toEqual({});
  });
});

test("a conflict stands at the field that it is about", () => {
  expect(projectRefusal("slug_in_use")?.field).toBe("slug");
  expect(projectRefusal("scheduler_owner_not_allowed")?.field).toBe("owner");
  expect(projectRefusal("last_active_project")).toMatchObject({ field: null });
  expect(projectRefusal("other")).toBeNull();
  expect(projectRefusal(null)).toBeNull();
});
