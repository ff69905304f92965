import type { Project } from "@svc/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { conflictReason } from "../../../api/field-faults.ts";
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

const wordsOf = (error: unknown) => projectRefusal(conflictReason(error))?.words ?? causeOf(error);

/** What shows whether a project is active: its own record, the lists, the start page. */
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

/** Ends a project without losing what it holds, and takes that back. */
export function ArchivePart({ project }: { project: Project }) {
  const me = useMe();
  // Only who sees every project knows whether this is the last one; for others the server says so.
  const all = useQuery({ ...projectsQuery, enabled: me.is_admin && project.is_active }).data;
  const isLast = me.is_admin && all?.length === 1 && all[0]?.id === project.id;
  const [isAsking, setAsking] = useState(false);
  // Restoring it is open to the same role.
  const held =
    whyNotAs(roleIn(me, project.slug), undefined, "admin") ??
    (isLast ? "The last active project cannot be archived" : null);
  if (!project.is_active) return <RestorePart project={project} held={held} />;
  return (
    <section className={css.part} aria-labelledby="h-archive">
      <h2 id="h-archive">Archive</h2>
      <p className="t2">
        Ends the project and keeps all it holds. Its agents are cut off and refused, nothing in it can be changed, and
        it can be restored.
      </p>
      {isLast ? <p>This is the last active project, and one must be left. Create another one first.</p> : null}
      <Button variant="danger" disabledReason={held} onClick={() => setAsking(true)}>
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
      undone="Not archived."
      wordsOf={wordsOf}
      onClose={onClose}
    >
      <p>This ends, at once:</p>
      <ul className={dialogList}>
        <li>
          the connections of its agents, which are refused from then on: what happens in their engines is not seen
        </li>
        <li>commands that no agent has taken yet, which are cancelled</li>
        <li>every change in it, by people and by API keys</li>
      </ul>
      <p className="t2">
        Tasks, events and figures stay to be read for as long as they are kept, and so do members. It leaves the lists
        of projects; “Show archived” finds it, and restoring brings it back.
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

function RestorePart({ project, held }: { project: Project; held: string | null }) {
  const changed = useStateChanged(project.slug);
  const restore = useMutation({
    mutationFn: () => api.changeProject(project.slug, { is_active: true }),
    onSuccess: changed,
  });
  return (
    <section className={css.part} aria-labelledby="h-archive">
      <h2 id="h-archive">Archived</h2>
      <p className="t2">
        Everything can be read and nothing changed. Restored, its agents are let in again and connect by themselves;
        what happened in between was not seen.
      </p>
      {restore.isError ? <InlineAlert>Not restored. {wordsOf(restore.error)}</InlineAlert> : null}
      <ActButton error={restore.error} isBusy={restore.isPending} reason={held} onAct={() => restore.mutate()}>
        Restore project
      </ActButton>
    </section>
  );
}
