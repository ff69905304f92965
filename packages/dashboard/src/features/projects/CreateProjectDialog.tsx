import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { conflictReason } from "../../api/field-errors.ts";
import { useGo } from "../../ui/buttons/AppLink.tsx";
import { Field } from "../../ui/forms/Field.tsx";
import { FormDialog } from "../../ui/forms/FormDialog.tsx";
import { ZoneField } from "../../ui/forms/ZoneField.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { homeSummaryQuery, projectsQuery } from "./queries.ts";
import { projectRefusal } from "./settings/project-changes.ts";
import { slugFrom } from "./slug.ts";

/** Creates a project; opened from the start page, the project switcher or the palette. */
export function CreateProjectDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const go = useGo();
  const [name, setName] = useState("");
  const [typedSlug, setTypedSlug] = useState<string | null>(null);
  const [environment, setEnvironment] = useState("production");
  const [timezone, setTimezone] = useState("UTC");
  const slug = typedSlug ?? slugFrom(name);

  return (
    <FormDialog
      title="Create project"
      act="Create project"
      send={() => api.createProject({ name: name.trim(), slug, environment, timezone })}
      onDone={async (project) => {
        await client.invalidateQueries({ queryKey: projectsQuery.queryKey });
        await client.invalidateQueries({ queryKey: homeSummaryQuery.queryKey });
        await client.invalidateQueries({ queryKey: ["me"] });
        go(paths.project(project.slug));
      }}
      undone="No project was created."
      errorText={(error) => projectRefusal(conflictReason(error))?.text ?? causeOf(error)}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Field
            label="Name"
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            error={errors.name}
          />
          <Field
            label="Slug"
            required
            minLength={2}
            maxLength={63}
            pattern="[a-z0-9](-?[a-z0-9])*"
            value={slug}
            onChange={(event) => setTypedSlug(event.currentTarget.value)}
            hint="Part of the project's URLs. Lowercase letters, digits and single hyphens."
            error={errors.slug}
          />
          <Field
            label="Environment"
            required
            maxLength={40}
            pattern="[A-Za-z0-9_.\-]+"
            value={environment}
            onChange={(event) => setEnvironment(event.currentTarget.value)}
            hint="Production projects are marked with a coloured line."
            error={errors.environment}
          />
          <ZoneField value={timezone} onChange={setTimezone} error={errors.timezone} />
        </>
      )}
    </FormDialog>
  );
}
