import { useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { paths } from "../../../address/paths.ts";
import { type PageLoader, readAhead } from "../../../api/read-ahead.ts";
import { usePage } from "../../../ui/title.ts";
import { agentsQuery } from "../../agents/index.ts";
import { projectQuery } from "../../projects/index.ts";
import { ScheduleEditor } from "./ScheduleEditor.tsx";
import { emptyForm } from "./schedule-form.ts";

export const loader: PageLoader<{ slug: string }> = ({ params: { slug } }) =>
  Promise.all([readAhead(projectQuery(slug)), readAhead(agentsQuery(slug))]);

export function NewSchedulePage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/schedules/new" });
  usePage([[slug, paths.project(slug)], ["Schedules", paths.schedules(slug)], ["New schedule"]]);
  const { timezone } = useSuspenseQuery(projectQuery(slug)).data;
  const agents = useQuery(agentsQuery(slug));
  const engines = [...new Set(agents.data?.items.flatMap((agent) => agent.engine_adapters))];
  return (
    <ScheduleEditor
      // Until the agents are known, the engine can't be filled in.
      key={String(agents.isPending)}
      slug={slug}
      schedule={null}
      first={emptyForm({ timezone, engine: engines.length === 1 ? (engines[0] ?? "") : "" })}
    />
  );
}
