import type { Project, ProjectChanges } from "@svc/client";

/** The form of a project's settings, as it is typed. */
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

/** What of the form differs from the project; empty when nothing does. */
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

const refusals: Readonly<Record<string, readonly [field: keyof ProjectForm | null, words: string]>> = {
  slug_pattern: ["slug", "Small letters, digits and single hyphens between them, 2 to 63 in all."],
  slug_in_use: ["slug", "Another project has this slug."],
  last_active_project: [null, "This is the last active project, and one must be left."],
  project_archived: [null, "The project was archived in the meantime. Restore it first."],
};

/** What a conflict over a project means, and at which field it stands. Null for a reason that is not known here. */
export function projectRefusal(reason: string | null): { field: keyof ProjectForm | null; words: string } | null {
  const known = reason === null ? undefined : refusals[reason];
  return known === undefined ? null : { field: known[0], words: known[1] };
}
