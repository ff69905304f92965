import type { Project } from "@svc/client";
import { useMutation, useQueryClient, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { paths } from "../../../address/paths.ts";
import { api } from "../../../api/api.ts";
import { conflictReason, errorsByField } from "../../../api/field-errors.ts";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import { useGo } from "../../../ui/buttons/AppLink.tsx";
import controls from "../../../ui/controls.module.css";
import { ActForm } from "../../../ui/forms/ActForm.tsx";
import { AreaField, Field } from "../../../ui/forms/Field.tsx";
import { ZoneField } from "../../../ui/forms/ZoneField.tsx";
import { Glyph } from "../../../ui/Icon.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { InlineAlert } from "../../../ui/panels/InlineAlert.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { StaleLine } from "../../../ui/panels/QueryBoundary.tsx";
import { usePage } from "../../../ui/title.ts";
import { useIsProjectAdmin } from "../../sessions/index.ts";
import { projectQuery, useMayNotManage } from "../queries.ts";
import { ArchivePart } from "./ArchivePart.tsx";
import { changesOf, formOf, type ProjectForm, projectRefusal } from "./project-changes.ts";
import { SettingsTabs } from "./SettingsTabs.tsx";
import css from "./settings.module.css";

/** Name, slug, description, environment and time zone of a project, and its archiving. */
export function GeneralPage() {
  const { slug = "" } = useParams({ strict: false });
  usePage([[slug, paths.project(slug)], ["Settings"]]);
  const read = useSuspenseQuery(projectQuery(slug));
  const isAdmin = useIsProjectAdmin(slug);
  const archive = <ArchivePart project={read.data} />;
  return (
    <>
      <div className={panel.head}>
        <h1>Settings</h1>
        <span className="t3 grow">{isAdmin ? "" : "Read-only. Project admins can change settings."}</span>
      </div>
      <SettingsTabs slug={slug} current="general" />
      <StaleLine name="The settings" read={read} />
      <div className={css.general}>
        {read.data.is_active ? null : archive}
        <FieldsForm key={read.data.id} project={read.data} />
        {read.data.is_active ? archive : null}
      </div>
    </>
  );
}

function FieldsForm({ project }: { project: Project }) {
  const client = useQueryClient();
  const go = useGo();
  // Changes are computed against the version that was loaded: against the current one, they would undo changes made by others.
  const [base, setBase] = useState(project);
  const [form, setForm] = useState(formOf(base));
  // After a save with another slug, this version is shown until the page has moved to the new path.
  const [replaced, setReplaced] = useState<Project | null>(null);
  const mayNot = useMayNotManage(project.slug);
  const changes = changesOf(base, form);
  const isChanged = Object.keys(changes).length > 0;
  if (base !== project && project !== replaced && !isChanged) {
    setBase(project);
    setForm(formOf(project));
  }
  const save = useMutation({
    mutationFn: () => api.changeProject(project.slug, changes),
    onSuccess: async (changed) => {
      setReplaced(project);
      setBase(changed);
      setForm(formOf(changed));
      client.setQueryData(projectQuery(changed.slug).queryKey, changed);
      await client.invalidateQueries({ queryKey: ["projects"] });
      await client.invalidateQueries({ queryKey: ["home-summary"] });
      if (changed.slug === project.slug) return;
      // Roles are keyed by slug; without a refresh, the user would have none at the new address.
      await client.invalidateQueries({ queryKey: ["me"] });
      go(paths.general(changed.slug), { replace: true });
    },
  });
  const errors = errorsByField(save.error);
  const refusal = projectRefusal(conflictReason(save.error));
  const errorOf = (key: keyof ProjectForm, name: string = key) =>
    errors[name] ?? (refusal?.field === key ? refusal.text : undefined);
  const isElsewhere = save.isError && Object.keys(errors).length === 0 && (refusal?.field ?? null) === null;
  const bound = (key: keyof ProjectForm) => ({
    value: form[key],
    readOnly: mayNot !== null,
    autoComplete: "off",
    onChange: (event: { currentTarget: { value: string } }) => {
      const { value } = event.currentTarget;
      setForm((old) => ({ ...old, [key]: value }));
    },
  });

  return (
    <ActForm error={save.error} className={controls.rows} onSubmit={() => save.mutate()}>
      <Field label="Name" required maxLength={200} {...bound("name")} error={errorOf("name")} />
      <Field
        label="Slug"
        required
        minLength={2}
        maxLength={63}
        pattern="[a-z0-9](-?[a-z0-9])*"
        {...bound("slug")}
        hint={<SlugHint from={project.slug} to={form.slug} />}
        error={errorOf("slug")}
      />
      <AreaField
        label="Description"
        rows={3}
        maxLength={2000}
        {...bound("description")}
        error={errorOf("description")}
      />
      <Field
        label="Environment"
        required
        maxLength={40}
        pattern="[A-Za-z0-9_.\-]+"
        {...bound("environment")}
        hint="Production projects are marked with a coloured line."
        error={errorOf("environment")}
      />
      <ZoneField
        value={form.timezone}
        onChange={(timezone) => setForm((old) => ({ ...old, timezone }))}
        readOnly={mayNot !== null}
        hint="For times shown in the project's zone."
        error={errorOf("timezone")}
      />
      {isElsewhere ? <InlineAlert>Nothing was changed. {refusal?.text ?? causeOf(save.error)}</InlineAlert> : null}
      <div className={css.said}>
        <ActButton
          error={save.error}
          isBusy={save.isPending}
          reason={mayNot ?? (isChanged ? null : "No changes to save")}
        >
          Save changes
        </ActButton>
        <span role="status" className="t2">
          {save.isSuccess && !isChanged ? "Saved." : null}
        </span>
      </div>
    </ActForm>
  );
}

function SlugHint({ from, to }: { from: string; to: string }): ReactNode {
  if (to.trim() === from) return "Part of the project's URLs.";
  return (
    <span className={css.warning} role="status">
      <Glyph name="rejected" />
      <span>
        All URLs of this project change. Links, bookmarks and scripts with <code>/{from}</code> stop working, and
        another project may take the old slug. Agents are not affected.
      </span>
    </span>
  );
}
