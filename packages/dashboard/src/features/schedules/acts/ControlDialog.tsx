import type { Schedule } from "@svc/client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../../address/paths.ts";
import { api } from "../../../api/api.ts";
import { useGo } from "../../../ui/buttons/AppLink.tsx";
import { FormDialog } from "../../../ui/forms/FormDialog.tsx";
import { nameText } from "../../../ui/time/format.ts";
import type { DialogProps } from "../../actions/index.ts";
import { ProjectTag } from "../../projects/index.ts";
import { schedulePages } from "../queries.ts";
import { isOwn } from "../schedule-state.ts";
import { type Control, controlTexts, scheduleErrorText } from "./control-texts.ts";
import { useScheduleChanged } from "./use-schedule-changed.ts";

type ControlDialogProps = Omit<DialogProps<Schedule>, "subject"> & { schedule: Schedule; act: Control };

/** Confirms a change of a schedule's control. */
export function ControlDialog({ slug, schedule: shown, act, onClose }: ControlDialogProps) {
  // What the user saw when opening it: its control token proves that nothing changed since.
  const [schedule] = useState(shown);
  const client = useQueryClient();
  const go = useGo();
  const changed = useScheduleChanged(slug);
  const texts = controlTexts[act];
  const send = async (): Promise<Schedule | null> => {
    switch (act) {
      case "enable":
        return api.enableSchedule(slug, schedule.id);
      case "disable":
        return api.disableSchedule(slug, schedule.id);
      case "pause":
        return api.pauseSchedule(slug, schedule.id);
      case "resume":
        return api.resumeSchedule(slug, schedule.id);
      case "clear-quarantine":
        return api.clearScheduleQuarantine(slug, schedule.id, { observed_control_token: schedule.control_token });
      case "resync":
        await api.resyncSchedules(slug);
        return null;
      case "delete":
        await api.deleteSchedule(slug, schedule.id);
        return null;
    }
  };
  const done = async (answer: Schedule | null) => {
    if (answer !== null) return changed(answer);
    if (act !== "delete") return;
    go(paths.schedules(slug));
    await client.invalidateQueries({ queryKey: schedulePages(slug).queryKey });
  };
  return (
    <FormDialog
      title={texts.title(nameText(schedule.name))}
      act={texts.act}
      place={<ProjectTag />}
      isDanger={act === "delete"}
      send={send}
      onDone={done}
      undone={texts.undone}
      errorText={(error) => scheduleErrorText(error, schedule.engine)}
      onClose={onClose}
    >
      <p>{isOwn(schedule) ? texts.own : (texts.native ?? texts.own)}</p>
    </FormDialog>
  );
}
