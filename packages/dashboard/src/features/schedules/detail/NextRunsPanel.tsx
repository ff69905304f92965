import type { ScheduleDetail } from "@svc/client";
import { PanelEmpty } from "../../../ui/panels/Panel.tsx";
import { PanelFrame } from "../../../ui/panels/PanelFrame.tsx";
import { knownZone } from "../when.ts";
import { RunList } from "./RunList.tsx";

/** The next ten runs of a schedule. */
export function NextRunsPanel({ schedule }: { schedule: ScheduleDetail }) {
  const runs = schedule.next_runs ?? (schedule.next_run_at ? [schedule.next_run_at] : []);
  const isHeld = !schedule.is_enabled || schedule.paused_at || schedule.quarantined_at;
  return (
    <PanelFrame title="Next runs" note={isHeld && runs.length > 0 ? "if it were enabled now" : undefined}>
      {runs.length === 0 ? (
        <PanelEmpty kind="none-yet">No run follows.</PanelEmpty>
      ) : (
        <RunList runs={runs.map((run) => Date.parse(run))} zone={knownZone(schedule.timezone)} />
      )}
    </PanelFrame>
  );
}
