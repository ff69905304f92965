import { plural, type SchedulePreview } from "@svc/client";
import { Button } from "../../../ui/buttons/Button.tsx";
import { NoteLine } from "../../../ui/panels/Lines.tsx";
import { Panel, PanelEmpty, type PanelRead } from "../../../ui/panels/Panel.tsx";
import { minuteText } from "../../../ui/time/instants.ts";
import { warningText } from "../clock-changes.ts";
import { RunList } from "../detail/RunList.tsx";
import { ScheduleNames } from "../forecast/ScheduleNames.tsx";
import { knownZone, runText } from "../when.ts";
import type { Preview } from "./preview.ts";
import { expressionOf, type FieldsProps, type ScheduleForm } from "./schedule-form.ts";

interface CadencePreviewProps {
  read: PanelRead<Preview>;
  /** Undefined until the service answered. */
  comparison: SchedulePreview | undefined;
  slug: string;
  form: ScheduleForm;
  set: FieldsProps["set"];
}

const nothing: Preview = { description: null, runs: [], quarters: null, refusal: null };

/** The next runs of the typed cadence. Why an expression is refused is said at its field. */
export function CadencePreview({ read, comparison, slug, form, set }: CadencePreviewProps) {
  const zone = form.timezone.trim() || "UTC";
  const isMissing = expressionOf(form) === "";
  return (
    <Panel
      title="Next runs"
      window="updates as you type"
      read={isMissing ? { ...read, data: nothing, error: null } : read}
      rows={10}
      actions={
        form.kind === "cron" && zone !== "UTC" ? (
          <Button variant="link" onClick={() => set({ timezone: "UTC" })}>
            Use UTC
          </Button>
        ) : undefined
      }
      empty={({ runs, refusal }) =>
        runs.length > 0 ? null : (
          <PanelEmpty kind="none-yet">
            {isMissing
              ? "Enter when it fires."
              : refusal
                ? "Correct the expression or the time zone."
                : "No run follows."}
          </PanelEmpty>
        )
      }
    >
      {({ runs }) => (
        <>
          <RunList
            runs={runs}
            zone={knownZone(zone)}
            sameMinute={comparison && new Map(comparison.same_minute.map((one) => [Date.parse(one.at), one]))}
            warnings={comparison?.warnings.map(warningText)}
          />
          {comparison ? (
            <CollisionLine
              slug={slug}
              zone={knownZone(zone)}
              comparison={comparison}
              onMove={(cron) => set({ expressions: { ...form.expressions, cron } })}
            />
          ) : null}
        </>
      )}
    </Panel>
  );
}

interface CollisionLineProps {
  slug: string;
  zone: string;
  comparison: SchedulePreview;
  onMove: (expression: string) => void;
}

/** The first minute of the next runs in which other schedules fire, and the minute that is free. */
function CollisionLine({ slug, zone, comparison: { same_minute, move, is_capped }, onMove }: CollisionLineProps) {
  const [first] = same_minute;
  if (first === undefined) return null;
  return (
    <NoteLine
      action={
        move ? (
          <Button
            variant="link"
            title={`Changes the expression to ${move.expression}`}
            onClick={() => onMove(move.expression)}
          >
            Move to {runText(Date.parse(move.at), zone, Date.parse(first.at))}
          </Button>
        ) : undefined
      }
    >
      <b>
        {minuteText(Date.parse(first.at), zone).slice(11)} collides with {plural(first.schedule_count, "schedule")}
      </b>
      : <ScheduleNames slug={slug} schedules={first.schedules} count={first.schedule_count} />
      {move ? ". Nothing else fires in the suggested minute of the next runs" : ""}
      {is_capped ? ". More schedules exist than were compared" : ""}.
    </NoteLine>
  );
}
