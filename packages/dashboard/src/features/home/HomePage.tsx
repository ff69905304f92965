import { plural } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { paths } from "../../address/paths.ts";
import { type PageLoader, readAhead } from "../../api/read-ahead.ts";
import { usePollMs } from "../../live/live.ts";
import { openNewProject } from "../../shell/overlay.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import { Glyph } from "../../ui/Icon.tsx";
import { Empty } from "../../ui/panels/Lines.tsx";
import panel from "../../ui/panels/panel.module.css";
import { QueryBoundary } from "../../ui/panels/QueryBoundary.tsx";
import { DataTable } from "../../ui/tables/DataTable.tsx";
import { count, nameText, printable } from "../../ui/time/format.ts";
import { usePage } from "../../ui/title.ts";
import { homeSummaryQuery, projectsQuery } from "../projects/index.ts";
import { useMe } from "../sessions/index.ts";
import { ArchivedPanel } from "./ArchivedPanel.tsx";
import { AttentionPanel } from "./AttentionPanel.tsx";
import css from "./home.module.css";
import { ProjectTable } from "./ProjectTable.tsx";

export const loader: PageLoader = () => readAhead(homeSummaryQuery);

/** What needs attention, then all projects, worst health first. */
export function HomePage() {
  usePage([["Projects"]]);
  const me = useMe();
  const pollMs = usePollMs();
  const [isArchiveShown, setArchiveShown] = useState(false);
  const summary = useQuery({ ...homeSummaryQuery, refetchInterval: pollMs });

  const create = me.is_admin ? (
    <Button variant="main" onClick={openNewProject} icon="plus">
      Create project
    </Button>
  ) : null;
  const { projects = [], attention = [], aggregate } = summary.data ?? {};

  return (
    <>
      <div className={panel.head}>
        <h1>Projects</h1>
        {aggregate && projects.length > 0 ? (
          <span className="t3 grow">
            {plural(aggregate.tasks_24h, "task")} finished in 24 h, {count(aggregate.failures_24h)} failed. Online now:{" "}
            {count(aggregate.agents_online)} of {plural(aggregate.agents_total, "agent")},{" "}
            {count(aggregate.workers_online)} of{" "}
            {plural(aggregate.workers_online + aggregate.workers_missing, "worker")}.
          </span>
        ) : (
          <span className="grow" />
        )}
        <Button aria-pressed={isArchiveShown} onClick={() => setArchiveShown(!isArchiveShown)}>
          {isArchiveShown ? "Hide archived" : "Show archived"}
        </Button>
        {create}
      </div>
      <QueryBoundary name="Project figures" read={summary}>
        {projects.length === 0 ? (
          <NoProject isAdmin={me.is_admin}>{create}</NoProject>
        ) : (
          <>
            <AttentionPanel items={attention} />
            <ProjectTable projects={projects} />
          </>
        )}
      </QueryBoundary>
      {summary.isLoadingError ? <NamesOnly /> : null}
      {isArchiveShown ? <ArchivedPanel /> : null}
    </>
  );
}

function NoProject({ isAdmin, children }: { isAdmin: boolean; children: ReactNode }) {
  return (
    <Empty title="No projects yet">
      <p>
        {isAdmin
          ? "A project holds the tasks, queues, workers and agents of one application or team. Create one, create an agent, and watch the first tasks arrive."
          : "You are not a member of any active project. Ask an administrator to add you."}
      </p>
      {children}
    </Empty>
  );
}

/** Links to the projects while their figures can't be loaded. */
function NamesOnly() {
  const { data = [] } = useQuery(projectsQuery);
  if (data.length === 0) return null;
  return (
    <DataTable
      label="Projects"
      size="wide"
      rows={data}
      rowKey={({ id }) => id}
      columns={[
        {
          header: "Project",
          cell: ({ slug, name }) => (
            <AppLink href={paths.project(slug)}>
              <b>{nameText(name)}</b>
            </AppLink>
          ),
          small: ({ slug }) => slug,
        },
        {
          header: "Health",
          cell: () => (
            <span className={css.unread}>
              <Glyph name="unknown" />
              unknown
            </span>
          ),
        },
        { header: "Environment", className: "lg", cellClass: "t2", cell: ({ environment }) => printable(environment) },
      ]}
    />
  );
}
