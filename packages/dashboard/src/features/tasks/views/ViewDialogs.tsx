import { isProblem, type SavedView, type SavedViewFilters } from "@svc/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import controls from "../../../ui/controls.module.css";
import { ActForm } from "../../../ui/forms/ActForm.tsx";
import { Field } from "../../../ui/forms/Field.tsx";
import { FormDialog } from "../../../ui/forms/FormDialog.tsx";
import { DialogFoot } from "../../../ui/layers/DialogFoot.tsx";
import { Dialog } from "../../../ui/layers/Layers.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { InlineAlert } from "../../../ui/panels/InlineAlert.tsx";
import { printable } from "../../../ui/time/format.ts";
import { useShownViews } from "./view-changes.ts";
import type { ListView } from "./views.ts";

interface NameViewDialogProps {
  slug: string;
  /** The view to rename; without it, a new view is created. */
  view?: ListView;
  filters: SavedViewFilters;
  /** The error of a failed save under the existing name. */
  saveError?: Error | null;
  onClose: () => void;
  onDone: (view: SavedView) => void;
}

export function NameViewDialog({ slug, view, filters, saveError = null, onClose, onDone }: NameViewDialogProps) {
  const [name, setName] = useState(view?.name ?? "");
  const { show } = useShownViews(slug);
  const put = useMutation({
    mutationFn: () => {
      const body = { name: name.trim(), filters };
      return view?.id ? api.replaceSavedView(slug, view.id, body) : api.createSavedView(slug, body);
    },
    onSuccess: (saved) => {
      show(saved);
      onClose();
      onDone(saved);
    },
  });
  return (
    <Dialog title={view ? `Rename view ${printable(view.name)}` : "Save view"} onClose={onClose}>
      <ActForm error={put.error} className={controls.rows} onSubmit={() => put.mutate()}>
        {saveError ? <InlineAlert>Couldn't save the view. {reasonOf(saveError)}</InlineAlert> : null}
        <Field
          label="Name"
          required
          maxLength={80}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          error={put.isError ? reasonOf(put.error) : null}
          hint="Only you see it. The time range is not saved."
        />
        <DialogFoot onLeave={onClose}>
          <ActButton error={put.error ?? saveError} isBusy={put.isPending}>
            {view ? "Rename view" : "Save view"}
          </ActButton>
        </DialogFoot>
      </ActForm>
    </Dialog>
  );
}

interface DeleteViewDialogProps {
  slug: string;
  view: ListView;
  onClose: () => void;
  onDone: () => void;
}

export function DeleteViewDialog({ slug, view, onClose, onDone }: DeleteViewDialogProps) {
  const { drop } = useShownViews(slug);
  return (
    <FormDialog
      title={`Delete view ${printable(view.name)}`}
      act="Delete view"
      isDanger
      send={() => api.deleteSavedView(slug, view.id ?? "")}
      onDone={() => {
        drop(view.id ?? "");
        onDone();
      }}
      undone="Nothing was deleted."
      onClose={onClose}
    >
      <p>Deletes the saved name and filters. Tasks and the current list are not affected.</p>
    </FormDialog>
  );
}

function reasonOf(error: Error): string {
  const reason = isProblem(error, "conflict") ? error.details.reason : null;
  if (reason === "name_in_use") return "You already have a view with this name.";
  if (reason === "too_many_views") return "You have reached the maximum number of views. Delete one first.";
  return causeOf(error);
}
