import type { Schedule } from "@svc/client";
import { useQueryClient } from "@tanstack/react-query";
import { api } from "../../../api/api.ts";
import { noteCommand } from "../../../shell/rail/recent.ts";
import { FormDialog } from "../../../ui/forms/FormDialog.tsx";
import { nameText, printable } from "../../../ui/time/format.ts";
import { Stamp } from "../../../ui/time/Stamp.tsx";
import type { DialogProps } from "../../actions/index.ts";
import { ProjectTag } from "../../projects/index.ts";
import { firesQuery } from "../queries.ts";
import { scheduleErrorText } from "./control-texts.ts";
import { useScheduleChanged } from "./use-schedule-changed.ts";

type RunNowDialogProps = Omit<DialogProps<Schedule>, "subject"> & { schedule: Schedule };

/** Starts the task of a schedule once. The tray shows how its command ends. */
export function RunNowDialog({ slug, schedule, onClose }: RunNowDialogProps) {
  const client = useQueryClient();
  const changed = useScheduleChanged(slug);
  const name = nameText(schedule.name);
  return (
    <FormDialog
      title={`Run ${name} now`}
      act="Run now"
      place={<ProjectTag />}
      send={() => api.triggerSchedule(slug, schedule.id)}
      onDone={async ({ command_id, fire_id: _, ...after }) => {
        noteCommand({ slug, id: command_id, words: `Run ${name} now`, task: "" });
        void client.invalidateQueries({ queryKey: firesQuery(slug, schedule.id).queryKey });
        await changed(after);
      }}
      undone="Nothing was started."
      errorText={(error) => scheduleErrorText(error, schedule.engine)}
      onClose={onClose}
    >
      <p>
        Starts <b>{printable(schedule.task_name)}</b> once, with the arguments of the schedule.
      </p>
      <p className="t2">
        The schedule itself doesn't change:{" "}
        {schedule.next_run_at ? (
          <>
            its next run stays at <Stamp at={schedule.next_run_at} to="minute" />.
          </>
        ) : schedule.is_enabled ? (
          "no run follows."
        ) : (
          "it stays disabled."
        )}
      </p>
    </FormDialog>
  );
}
