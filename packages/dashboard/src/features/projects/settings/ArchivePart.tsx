import type { Project } from "@svc/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { conflictReason } from "../../../api/field-errors.ts";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import { Button } from "../../../ui/buttons/Button.tsx";
import { Field } from "../../../ui/forms/Field.tsx";
import { FormDialog } from "../../../ui/forms/FormDialog.tsx";
import { dialogList } from "../../../ui/layers/Layers.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { InlineAlert } from "../../../ui/panels/InlineAlert.tsx";
import { printable } from "../../../ui/time/format.ts";
import { roleIn, useMe } from "../../sessions/index.ts";
import { whyNotAs } from "../may-not.ts";
import { ProjectTag } from "../ProjectTag.tsx";
import { projectQuery, projectsQuery } from "../queries.ts";
import { projectRefusal } from "./project-changes.ts";
import css from "./settings.module.css";

const errorText = (error: unknown) => projectRefusal(conflictReason(error))?.text ?? causeOf(error);

/** Refreshes everything that shows whether a project is active: its record, the lists, the start page. */
function useStateChanged(slug: string): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await Promise.all(
      [projectQuery(slug).queryKey, ["projects"], ["home-summary"], ["agents", slug]].map((queryKey) =>
        client.invalidateQueries({ queryKey }),
      ),
    );
  };
}

/** Archives or restores a project. */
export function ArchivePart({ project }: { project: Project }) {
  const me = useMe();
  // Only instance administrators see all projects; for others, the server reports that this is the last one.
  const all = useQuery({ ...projectsQuery, enabled: me.is_admin && project.is_active }).data;
  const isLast = me.is_admin && all?.length === 1 && all[0]?.id === project.id;
  const [isAsking, setAsking] = useState(false);
  // Restoring needs the same role.
  const disabledReason =
    whyNotAs(roleIn(me, project.slug), undefined, "admin") ??
    (isLast ? "The last active project can't be archived" : null);
  if (!project.is_active) return <RestorePart project={project} disabledReason={disabledReason} />;
  return (
    <section className={css.part} aria-labelledby="h-archive">
      <h2 id="h-archive">Archive</h2>
      <p className="t2">
        Makes the project read-only and keeps its data. Its agents are disconnected and can't reconnect. You can restore
        it later.
      </p>
      {isLast ? <p>This is the last active project. Create another one first.</p> : null}
      <Button variant="danger" disabledReason={disabledReason} onClick={() => setAsking(true)}>
        Archive project
      </Button>
      {isAsking ? <ArchiveDialog project={project} onClose={() => setAsking(false)} /> : null}
    </section>
  );
}

function ArchiveDialog({ project, onClose }: { project: Project; onClose: () => void }) {
  const changed = useStateChanged(project.slug);
  const [typed, setTyped] = useState("");
  return (
    <FormDialog
      title={`Archive ${printable(project.name)}`}
      act="Archive project"
      place={<ProjectTag />}
      isDanger
      reason={typed.trim() === project.slug ? null : "Type the slug first"}
      send={() => api.archiveProject(project.slug)}
      onDone={changed}
      undone="The project was not archived."
      errorText={errorText}
      onClose={onClose}
    >
      <p>This takes effect immediately:</p>
      <ul className={dialogList}>
        <li>Its agents are disconnected. Those still running buffer new events until you restore the project.</li>
        <li>Commands not yet sent to an agent are cancelled.</li>
        <li>Users and API keys can't make changes.</li>
      </ul>
      <p className="t2">
        Tasks, events, statistics and members remain readable. Retention still applies. Select “Show archived” to see
        the project in lists.
      </p>
      <Field
        label={`Type ${project.slug} to confirm`}
        autoComplete="off"
        spellCheck={false}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

function RestorePart({ project, disabledReason }: { project: Project; disabledReason: string | null }) {
  const changed = useStateChanged(project.slug);
  const restore = useMutation({
    mutationFn: () => api.changeProject(project.slug, { is_active: true }),
    onSuccess: changed,
  });
  return (
    <section className={css.part} aria-labelledby="h-archive">
      <h2 id="h-archive">Archived</h2>
      <p className="t2">
        The project is read-only. After you restore it, running agents reconnect within minutes and send the events they
        buffered.
      </p>
      {restore.isError ? <InlineAlert>Not restored. {errorText(restore.error)}</InlineAlert> : null}
      <ActButton
        error={restore.error}
        isBusy={restore.isPending}
        reason={disabledReason}
        onAct={() => restore.mutate()}
      >
        Restore project
      </ActButton>
    </section>
  );
}
