import { ApiProblem } from "@svc/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { faultsByField } from "../../api/field-faults.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import { useGo } from "../../ui/buttons/AppLink.tsx";
import controls from "../../ui/controls.module.css";
import { ActForm } from "../../ui/forms/ActForm.tsx";
import { Field } from "../../ui/forms/Field.tsx";
import { DialogFoot } from "../../ui/layers/DialogFoot.tsx";
import { Dialog } from "../../ui/layers/Layers.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { Refusal } from "../../ui/panels/Refusal.tsx";
import { homeSummaryQuery, projectsQuery } from "./queries.ts";
import { ZoneField } from "./settings/ZoneField.tsx";
import { slugFrom } from "./slug.ts";

/** A project of one's own making, from the start page, the project switcher or the palette. */
export function CreateProjectDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const go = useGo();
  const [name, setName] = useState("");
  const [typedSlug, setTypedSlug] = useState<string | null>(null);
  const [environment, setEnvironment] = useState("production");
  const [timezone, setTimezone] = useState("UTC");
  const slug = typedSlug ?? slugFrom(name);

  const create = useMutation({
    mutationFn: () => api.createProject({ name: name.trim(), slug, environment, timezone }),
    onSuccess: async (project) => {
      await client.invalidateQueries({ queryKey: projectsQuery.queryKey });
      await client.invalidateQueries({ queryKey: homeSummaryQuery.queryKey });
      await client.invalidateQueries({ queryKey: ["me"] });
      onClose();
      go(paths.project(project.slug));
    },
  });
  const faults = faultsByField(create.error);
  const isElsewhere = create.isError && Object.keys(faults).length === 0;

  return (
    <Dialog title="New project" onClose={onClose}>
      <ActForm error={create.error} className={controls.rows} onSubmit={() => create.mutate()}>
        <Field
          label="Name"
          required
          maxLength={200}
          autoFocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={faults.name}
        />
        <Field
          label="Slug"
          required
          minLength={2}
          maxLength={63}
          pattern="[a-z0-9](-?[a-z0-9])*"
          value={slug}
          onChange={(event) => setTypedSlug(event.currentTarget.value)}
          hint="Part of every address of this project: small letters, digits and single hyphens."
          error={faults.slug}
        />
        <Field
          label="Environment"
          required
          maxLength={40}
          pattern="[A-Za-z0-9_.\-]+"
          value={environment}
          onChange={(event) => setEnvironment(event.currentTarget.value)}
          hint="Production projects carry a coloured line, so that they are not mistaken for another."
          error={faults.environment}
        />
        <ZoneField value={timezone} onChange={setTimezone} error={faults.timezone} />
        {isElsewhere ? <Refusal>{conflictText(create.error)}</Refusal> : null}
        <DialogFoot leave="Cancel" onLeave={onClose}>
          <ActButton error={create.error} isBusy={create.isPending}>
            Create project
          </ActButton>
        </DialogFoot>
      </ActForm>
    </Dialog>
  );
}

function conflictText(error: Error): string {
  if (error instanceof ApiProblem && error.code === "conflict")
    return `Not created: ${error.message}. The slug may be in use.`;
  return causeOf(error);
}
