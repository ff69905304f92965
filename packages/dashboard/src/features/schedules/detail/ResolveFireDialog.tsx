import type { Fire, ScheduleDetail } from "@svc/client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { Checkbox } from "../../../ui/buttons/Checkbox.tsx";
import { FormDialog } from "../../../ui/forms/FormDialog.tsx";
import { ChoiceField } from "../../../ui/forms/Select.tsx";
import { Stamp } from "../../../ui/time/Stamp.tsx";
import { ProjectTag } from "../../projects/index.ts";
import { scheduleErrorText } from "../acts/control-texts.ts";
import { useScheduleChanged } from "../acts/use-schedule-changed.ts";
import { fireStyle } from "../fires/fire-status.ts";
import { firesQuery } from "../queries.ts";

const resolutions = [
  ["completed", "Completed: the task did its work"],
  ["failed", "Failed: the task did not do its work"],
  ["timeout", "Timed out: outcome unknown"],
  ["cancelled", "Cancelled"],
  ["skipped", "Skipped: it is not needed"],
] as const;
type Resolution = (typeof resolutions)[number][0];

interface ResolveFireDialogProps {
  slug: string;
  schedule: ScheduleDetail;
  fire: Fire;
  onClose: () => void;
}

/** Sets how a fire without an outcome ended. */
export function ResolveFireDialog({ slug, schedule: shown, fire, onClose }: ResolveFireDialogProps) {
  const [schedule] = useState(shown);
  const client = useQueryClient();
  const changed = useScheduleChanged(slug);
  const [resolution, setResolution] = useState<Resolution>("completed");
  const [isAware, setAware] = useState(false);
  const [staysEnabled, setStaysEnabled] = useState(true);
  return (
    <FormDialog
      title="Resolve fire"
      act="Resolve fire"
      place={<ProjectTag />}
      reason={isAware ? null : "Confirm that the task may have run"}
      send={() =>
        api.resolveFire(slug, schedule.id, {
          fire_id: fire.fire_id,
          expected_status: fire.status,
          resolution,
          observed_control_token: schedule.control_token,
          work_may_have_executed: true,
          enabled_after_resolution: staysEnabled,
        })
      }
      onDone={async (answer) => {
        void client.invalidateQueries({ queryKey: firesQuery(slug, schedule.id).queryKey });
        await changed(answer.schedule);
      }}
      undone="The fire was not resolved."
      errorText={(error) => scheduleErrorText(error, schedule.engine)}
      onClose={onClose}
    >
      <p>
        The fire planned for <Stamp at={fire.scheduled_for} to="minute" /> has no final outcome:{" "}
        {fireStyle(fire.status).label.toLowerCase()}. Check the task first, then set how it ended. This changes the
        record only: no task is started or stopped.
      </p>
      <ChoiceField
        label="Outcome"
        value={resolution}
        options={resolutions}
        onChange={(next) => setResolution(next as Resolution)}
      />
      <Checkbox checked={isAware} onChange={setAware}>
        I know that the task may have run
      </Checkbox>
      <Checkbox
        checked={staysEnabled}
        onChange={setStaysEnabled}
        hint={staysEnabled ? undefined : "It doesn't fire again until it is enabled."}
      >
        The schedule is enabled afterwards
      </Checkbox>
    </FormDialog>
  );
}
