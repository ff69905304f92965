import { useSuspenseQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../../address/paths.ts";
import { type PageLoader, readAhead } from "../../../api/read-ahead.ts";
import { ButtonLink } from "../../../ui/buttons/Button.tsx";
import { Empty } from "../../../ui/panels/Lines.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { nameText, printable } from "../../../ui/time/format.ts";
import { usePage } from "../../../ui/title.ts";
import { scheduleQuery } from "../queries.ts";
import { isOwn } from "../schedule-state.ts";
import { readEditSearch } from "../schedules-search.ts";
import { ScheduleEditor } from "./ScheduleEditor.tsx";
import { formOf } from "./schedule-form.ts";

export const loader: PageLoader<{ slug: string; scheduleId: string }> = ({ params: { slug, scheduleId } }) =>
  readAhead(scheduleQuery(slug, scheduleId));

export function EditSchedulePage() {
  const { slug, scheduleId } = useParams({ from: "/signed-in/p/$slug/schedules/$scheduleId/edit" });
  const { expression } = useSearch({
    from: "/signed-in/p/$slug/schedules/$scheduleId/edit",
    select: readEditSearch,
    structuralSharing: true,
  });
  const { data } = useSuspenseQuery(scheduleQuery(slug, scheduleId));
  // Changes are computed against the version that was loaded: against the current one, they would undo changes made by others.
  const [schedule] = useState(data);
  const [first] = useState(() => formOf(schedule));
  const name = nameText(schedule.name);
  usePage([
    [slug, paths.project(slug)],
    ["Schedules", paths.schedules(slug)],
    [name, paths.schedule(slug, scheduleId)],
    ["Edit"],
  ]);
  if (isOwn(schedule))
    return (
      <ScheduleEditor
        slug={slug}
        schedule={schedule}
        first={first}
        proposed={first.kind === "cron" ? expression : undefined}
      />
    );
  return (
    <>
      <div className={panel.head}>
        <h1>Edit schedule</h1>
      </div>
      <Empty
        title="Defined in its engine's scheduler"
        chips={<ButtonLink href={paths.schedule(slug, scheduleId)}>View schedule</ButtonLink>}
      >
        <p>
          {printable(schedule.scheduler)} defines {name}. Change it there; svc shows what it reports.
        </p>
      </Empty>
    </>
  );
}
