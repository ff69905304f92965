import type { Project, ProjectChanges } from "@svc/client";

/** The values of the settings form. */
export interface ProjectForm {
  name: string;
  slug: string;
  description: string;
  environment: string;
  timezone: string;
}

export function formOf(project: Project): ProjectForm {
  return {
    name: project.name,
    slug: project.slug,
    description: project.description ?? "",
    environment: project.environment,
    timezone: project.timezone,
  };
}

/** The fields that differ from the project; empty when none do. */
export function changesOf(project: Project, form: ProjectForm): ProjectChanges {
  const before = formOf(project);
  const isChanged = (key: keyof ProjectForm) => form[key].trim() !== before[key].trim();
  return {
    ...(isChanged("name") && { name: form.name.trim() }),
    ...(isChanged("slug") && { slug: form.slug.trim() }),
    ...(isChanged("description") && { description: form.description.trim() || null }),
    ...(isChanged("environment") && { environment: form.environment.trim() }),
    ...(isChanged("timezone") && { timezone: form.timezone.trim() }),
  };
}

const refusals: Readonly<Record<string, readonly [field: keyof ProjectForm | null, text: string]>> = {
  slug_pattern: ["slug", "Use 2–63 lowercase letters, digits and single hyphens in between."],
  slug_in_use: ["slug", "Another project has this slug."],
  last_active_project: [null, "The last active project can't be archived."],
  project_archived: [null, "The project was archived in the meantime. Restore it first."],
};

/** The message for a conflict over a project, and the field it belongs to; null for an unknown reason. */
export function projectRefusal(reason: string | null): { field: keyof ProjectForm | null; text: string } | null {
  const known = reason === null ? undefined : refusals[reason];
  return known === undefined ? null : { field: known[0], text: known[1] };
}
