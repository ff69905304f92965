import { Checkbox } from "../../../ui/buttons/Checkbox.tsx";
import controls from "../../../ui/controls.module.css";
import { Field } from "../../../ui/forms/Field.tsx";
import { ChoiceField } from "../../../ui/forms/Select.tsx";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import { type CatchUp, catchUpExample, catchUpLabels, catchUpRules } from "../catch-up.ts";
import css from "../schedules.module.css";
import { knownZone } from "../when.ts";
import type { FieldsProps } from "./schedule-form.ts";

const catchUps = Object.entries(catchUpLabels);
const overlaps = [
  ["allow", "Start anyway"],
  ["skip", "Skip the run"],
] as const;

/** What happens to runs that are late, overlap or take long. `runs` are the next ones, for an example. */
export function LateFields({
  form,
  errors,
  set,
  runs,
  isNew,
}: FieldsProps & { runs: readonly number[]; isNew: boolean }) {
  const policy = form.catch_up as CatchUp;
  const example = catchUpExample(policy, runs, knownZone(form.timezone.trim()));
  return (
    <PanelFrame title="If late">
      <div className={`${controls.rows} ${css.fields}`}>
        <div className={css.pair}>
          <ChoiceField
            label="After downtime"
            value={form.catch_up}
            options={catchUps}
            onChange={(next) => set({ catch_up: next })}
            error={errors.catch_up}
          />
          <ChoiceField
            label="If the last run is unfinished"
            value={form.overlap_policy}
            options={overlaps}
            onChange={(next) => set({ overlap_policy: next })}
            error={errors.overlap_policy}
          />
        </div>
        <p className={controls.hint}>{example ?? catchUpRules[policy]}</p>
        <div className={css.pair}>
          <Field
            label="Late start after (seconds)"
            inputMode="numeric"
            placeholder="No limit"
            hint="A later start is reported as a misfire."
            value={form.late_start_seconds}
            onChange={(event) => set({ late_start_seconds: event.currentTarget.value })}
            error={errors.late_start_seconds}
          />
          <Field
            label="Long run after (seconds)"
            inputMode="numeric"
            placeholder="No limit"
            hint="A longer run is reported as a misfire."
            value={form.long_run_seconds}
            onChange={(event) => set({ long_run_seconds: event.currentTarget.value })}
            error={errors.long_run_seconds}
          />
        </div>
        <Checkbox
          checked={form.is_enabled}
          onChange={(next) => set({ is_enabled: next })}
          hint={
            isNew
              ? "The first run is computed from the moment it is created."
              : "Saving computes the next run from now on. Runs missed before are not made up."
          }
        >
          Enabled
        </Checkbox>
      </div>
    </PanelFrame>
  );
}
