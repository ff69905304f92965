import type { Schedule, ScheduleCreate, ScheduleDetail } from "@svc/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../../address/paths.ts";
import { api } from "../../../api/api.ts";
import { conflictReason, errorsByField } from "../../../api/field-errors.ts";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import { useGo } from "../../../ui/buttons/AppLink.tsx";
import { ButtonLink } from "../../../ui/buttons/Button.tsx";
import { ActForm } from "../../../ui/forms/ActForm.tsx";
import { InlineAlert } from "../../../ui/panels/InlineAlert.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { nameText } from "../../../ui/time/format.ts";
import { useMayNot } from "../../projects/index.ts";
import { scheduleErrorText } from "../acts/control-texts.ts";
import { LazyForecastStrip } from "../forecast/LazyForecastStrip.tsx";
import { schedulePages, scheduleQuery } from "../queries.ts";
import css from "../schedules.module.css";
import { CadenceFields } from "./CadenceFields.tsx";
import { CadencePreview } from "./CadencePreview.tsx";
import { LateFields } from "./LateFields.tsx";
import type { Preview } from "./preview.ts";
import { SoFarPanel } from "./SoFarPanel.tsx";
import {
  changesOf,
  definitionOf,
  expressionOf,
  type FieldsProps,
  type FormErrors,
  formErrors,
  type ScheduleForm,
} from "./schedule-form.ts";
import { NameFields, TaskFields } from "./TaskFields.tsx";
import { useComparison, usePreview } from "./use-preview.ts";

interface ScheduleEditorProps {
  slug: string;
  /** Null for a new one. */
  schedule: ScheduleDetail | null;
  first: ScheduleForm;
  /** A proposed cron expression that replaces the stored one in the form. */
  proposed?: string | undefined;
}

/** Creates or changes a schedule, with its next runs while typing. */
export function ScheduleEditor({ slug, schedule, first, proposed }: ScheduleEditorProps) {
  const client = useQueryClient();
  const go = useGo();
  const mayNot = useMayNot(slug, "admin");
  const [form, setForm] = useState(() =>
    proposed === undefined ? first : { ...first, expressions: { ...first.expressions, cron: proposed } },
  );
  const [isTried, setTried] = useState(false);
  const preview = usePreview(form);
  const comparison = useComparison(slug, form, schedule?.id);
  const save = useMutation({
    mutationFn: (): Promise<Schedule> =>
      schedule === null
        ? api.createSchedule(slug, definitionOf(form) as ScheduleCreate)
        : api.updateSchedule(slug, schedule.id, changesOf(first, form) as Partial<ScheduleCreate>),
    onSuccess: async (saved) => {
      await Promise.all([
        client.invalidateQueries({ queryKey: schedulePages(slug).queryKey }),
        client.invalidateQueries({ queryKey: scheduleQuery(slug, saved.id).queryKey }),
      ]);
      go(paths.schedule(slug, saved.id));
    },
  });

  const own = formErrors(form);
  const hasErrors = Object.keys(own).length > 0;
  const isNameTaken = conflictReason(save.error) === "name_in_use";
  const refused: FormErrors = isNameTaken
    ? { name: "Another schedule of this project has this name" }
    : errorsByField(save.error);
  const errors: FormErrors = { ...(isTried ? own : {}), ...refused };
  const isUnchanged = schedule !== null && !hasErrors && Object.keys(changesOf(first, form)).length === 0;
  const set = (changes: Partial<ScheduleForm>) => {
    setForm((old) => ({ ...old, ...changes }));
    if (save.isError) save.reset();
  };
  const submit = () => {
    setTried(true);
    if (!hasErrors) save.mutate();
  };
  const fields: FieldsProps = { slug, form, errors: { ...refusalOf(preview.data, form), ...errors }, set };
  const back = schedule === null ? paths.schedules(slug) : paths.schedule(slug, schedule.id);

  return (
    <ActForm error={save.error ?? (isTried && hasErrors ? own : null)} onSubmit={submit}>
      <div className={`${panel.head} ${css.editorHead}`}>
        <h1>{schedule === null ? "New schedule" : "Edit schedule"}</h1>
        <span className="t2 cut grow">{schedule === null ? "" : nameText(schedule.name)}</span>
        <ButtonLink href={back}>{schedule === null ? "Cancel" : "Discard changes"}</ButtonLink>
        <ActButton
          className={css.save}
          error={save.error}
          isBusy={save.isPending}
          reason={mayNot ?? (isUnchanged ? "No changes to save" : null)}
        >
          {schedule === null ? "Create schedule" : "Save changes"}
        </ActButton>
      </div>
      <LazyForecastStrip
        slug={slug}
        edited={schedule?.id ?? null}
        own={form.is_enabled ? (preview.data?.quarters ?? undefined) : undefined}
      />
      <div className={panel.page}>
        {save.error && Object.keys(refused).length === 0 ? (
          <InlineAlert>Nothing was saved. {scheduleErrorText(save.error, form.engine)}</InlineAlert>
        ) : null}
        <div className={panel.grid2}>
          <div className={panel.stack}>
            <NameFields {...fields} />
            <CadenceFields {...fields} description={preview.data?.description} />
            <TaskFields {...fields} />
            <LateFields {...fields} runs={preview.data?.runs ?? []} isNew={schedule === null} />
            {schedule === null ? null : <SoFarPanel slug={slug} schedule={schedule} />}
          </div>
          <CadencePreview read={preview} comparison={comparison.data} slug={slug} form={form} set={set} />
        </div>
      </div>
    </ActForm>
  );
}

/** Why the typed expression or zone is refused. */
function refusalOf(preview: Preview | undefined, form: ScheduleForm): FormErrors {
  if (!preview?.refusal || expressionOf(form) === "") return {};
  return { [preview.refusal.field]: preview.refusal.message };
}
