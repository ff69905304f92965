import { Button } from "../../../ui/buttons/Button.tsx";
import { Panel, PanelEmpty, type PanelRead } from "../../../ui/panels/Panel.tsx";
import { warningText } from "../clock-changes.ts";
import { RunList, type SameMinute } from "../detail/RunList.tsx";
import { knownZone } from "../when.ts";
import type { Preview } from "./preview.ts";
import { expressionOf, type ScheduleForm } from "./schedule-form.ts";

interface Comparison {
  warnings: readonly { kind: string; local_time: string }[];
  same_minute: readonly ({ at: string } & SameMinute)[];
}

interface CadencePreviewProps {
  read: PanelRead<Preview>;
  /** Undefined until the service answered. */
  comparison: Comparison | undefined;
  form: ScheduleForm;
  onUtc: () => void;
}

const nothing: Preview = { description: null, runs: [], refusal: null };

/** The next runs of the typed cadence. Why an expression is refused is said at its field. */
export function CadencePreview({ read, comparison, form, onUtc }: CadencePreviewProps) {
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
          <Button variant="link" onClick={onUtc}>
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
        <RunList
          runs={runs}
          zone={knownZone(zone)}
          sameMinute={comparison && new Map(comparison.same_minute.map((one) => [Date.parse(one.at), one]))}
          warnings={comparison?.warnings.map(warningText)}
        />
      )}
    </Panel>
  );
}
