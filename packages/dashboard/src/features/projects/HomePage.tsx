import type { Project, ProjectStats } from "@svc/client";
import { useQueries, useSuspenseQuery } from "@tanstack/react-query";
import { useState } from "react";
import { usePollMs } from "../../live/live.ts";
import { paths } from "../../paths.ts";
import { AppLink } from "../../ui/AppLink.tsx";
import controls from "../../ui/controls.module.css";
import { Empty } from "../../ui/Feedback.tsx";
import { count, percent, printable } from "../../ui/format.ts";
import { Glyph, Icon } from "../../ui/Icon.tsx";
import panel from "../../ui/panel.module.css";
import { ScrollBox } from "../../ui/ScrollBox.tsx";
import { usePage } from "../../ui/title.ts";
import { useMe } from "../sessions/queries.ts";
import { CreateProjectDialog } from "./CreateProjectDialog.tsx";
import { projectsQuery, statsQuery } from "./queries.ts";

// Figures are read for this many projects; the rest are listed without them.
const withFigures = 20;

export function HomePage() {
  usePage([{ label: "Projects" }]);
  const me = useMe();
  const pollMs = usePollMs();
  const { data: projects } = useSuspenseQuery(projectsQuery);
  const [isCreating, setCreating] = useState(false);
  const figures = useQueries({
    queries: projects
      .slice(0, withFigures)
      .map((project) => ({ ...statsQuery(project.slug), refetchInterval: pollMs })),
  });

  const create = me.is_admin ? (
    <button type="button" className={`${controls.btn} ${controls.pri}`} onClick={() => setCreating(true)}>
      <Icon name="plus" />
      New project
    </button>
  ) : null;

  return (
    <>
      <div className={panel.head}>
        <h1 className="grow">Projects</h1>
        {create}
      </div>
      {projects.length === 0 ? (
        <Empty title="No project yet">
          <p>
            {me.is_admin
              ? "A project holds the tasks, queues, workers and agents of one application or team."
              : "You are not a member of any project. An administrator can add you to one."}
          </p>
          {create}
        </Empty>
      ) : (
        <ScrollBox label="Projects">
          <table className={`${panel.tbl} ${panel.wide}`}>
            <thead>
              <tr>
                <th>Project</th>
                <th className="lg">Environment</th>
                <th className="num">Running</th>
                <th className="num lg">Finished, 24 h</th>
                <th className="num">Failed, 24 h</th>
                <th className="num lg">Waiting in queues</th>
                <th className="num">Agents</th>
              </tr>
            </thead>
            <tbody>
              {projects.map((project, at) => (
                <ProjectRow
                  key={project.id}
                  project={project}
                  stats={figures[at]?.data}
                  isBroken={figures[at]?.isError ?? false}
                />
              ))}
            </tbody>
          </table>
        </ScrollBox>
      )}
      {isCreating ? <CreateProjectDialog onClose={() => setCreating(false)} /> : null}
    </>
  );
}

function ProjectRow({
  project,
  stats,
  isBroken,
}: {
  project: Project;
  stats: ProjectStats | undefined;
  isBroken: boolean;
}) {
  const agents = (stats?.agents_online ?? 0) + (stats?.agents_offline ?? 0);
  const backlog = stats?.queue_depths?.reduce((sum, queue) => sum + queue.pending_count, 0) ?? 0;
  return (
    <tr>
      <td className={panel.two}>
        <AppLink href={paths.tasks(project.slug)}>
          <b>{printable(project.name)}</b>
        </AppLink>
        <small>{project.slug}</small>
      </td>
      <td className="lg t2">{printable(project.environment)}</td>
      {stats ? (
        <>
          <td className="num">{count(stats.tasks_by_state?.started ?? 0)}</td>
          <td className="num lg">{count(stats.tasks_succeeded_24h + stats.tasks_failed_24h)}</td>
          <td className="num">
            {count(stats.tasks_failed_24h)}{" "}
            {stats.tasks_failed_24h > 0 ? <span className="t3">{percent(stats.failure_rate_24h)}</span> : null}
          </td>
          <td className="num lg">{count(backlog)}</td>
          <td className="num">
            {agents === 0 ? (
              <span className="t3">none yet</span>
            ) : stats.agents_offline > 0 ? (
              <span className={panel.wrong}>
                <Glyph name="failure" />
                {stats.agents_online} of {agents}
              </span>
            ) : (
              `${stats.agents_online} of ${agents}`
            )}
          </td>
        </>
      ) : (
        <td className="t3" colSpan={5}>
          {isBroken ? "Figures could not be read" : ""}
        </td>
      )}
    </tr>
  );
}
