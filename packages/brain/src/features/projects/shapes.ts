import type { ProjectRow } from "../../schema/tables/index.ts";
import type { Project } from "./schemas.ts";

/** A project as the API shows it (spec part 3, section 5.4). */
export function publicProject(row: ProjectRow): Project {
  return {
    id: row.id,
    slug: row.slug,
    name: row.name,
    description: row.description,
    environment: row.environment,
    timezone: row.timezone,
    is_active: row.is_active,
    automation_enabled: row.automation_enabled,
    automation_revision: row.automation_revision,
    default_scheduler_owner: row.default_scheduler_owner,
    allowed_schedulers: row.allowed_schedulers === null ? null : (JSON.parse(row.allowed_schedulers) as string[]),
    settings: row.settings === null ? null : (JSON.parse(row.settings) as Record<string, unknown>),
    organization_id: row.organization_id,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}
