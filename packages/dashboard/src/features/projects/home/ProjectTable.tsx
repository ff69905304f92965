import type { HomeProject } from "@svc/client";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { SparkBars } from "../../../ui/charts/SparkBars.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { ScrollBox } from "../../../ui/panels/ScrollBox.tsx";
import { count, nameText, percent, printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { HealthWord } from "./HealthWord.tsx";
import css from "./home.module.css";
import { byTrouble } from "./trouble-order.ts";

/** All projects of the caller, the one that needs somebody first. */
export function ProjectTable({ projects }: { projects: readonly HomeProject[] }) {
  return (
    <ScrollBox label="Projects">
      <table className={`${panel.tbl} ${panel.wide}`}>
        <thead>
          <tr>
            <th>Project</th>
            <th>Health</th>
            <th className="lg">Environment</th>
            <th className="lg">Tasks by the hour, 24 h</th>
            <th className="num lg">Ended, 24 h</th>
            <th className="num">Failed, 24 h</th>
            <th className="num">Agents online</th>
            <th className="num lg">Waiting, now</th>
            <th className="num lg">Last event</th>
          </tr>
        </thead>
        <tbody>
          {byTrouble(projects).map((project) => (
            <ProjectRow key={project.id} project={project} />
          ))}
        </tbody>
      </table>
    </ScrollBox>
  );
}

function ProjectRow({ project }: { project: HomeProject }) {
  const { slug, health } = project;
  const name = nameText(project.name);
  return (
    <tr>
      <td className={panel.two}>
        <AppLink href={paths.project(slug)}>
          <b>{name}</b>
        </AppLink>
        <small>{slug}</small>
      </td>
      <td>
        <HealthWord health={health} />
      </td>
      <td className="lg t2">{printable(project.environment)}</td>
      <td className="lg">
        <SparkBars
          values={project.tasks_by_hour}
          isRunning
          label={`${name}: ${count(project.tasks_24h)} tasks ended in 24 h, at most ${count(Math.max(0, ...project.tasks_by_hour))} in an hour`}
        />
      </td>
      <td className="num lg">{count(project.tasks_24h)}</td>
      <td className="num">
        {project.tasks_24h === 0 ? (
          <span className="t3">no tasks</span>
        ) : (
          <>
            {percent(project.failure_rate_24h)} <span className="t3 lg">{count(project.failures_24h)}</span>
          </>
        )}
      </td>
      <td className="num">
        {project.agents_total === 0 ? (
          <span className="t3">none yet</span>
        ) : (
          <span className={project.agents_online < project.agents_total && health !== "idle" ? css.less : undefined}>
            {count(project.agents_online)} of {count(project.agents_total)}
          </span>
        )}
      </td>
      <td className="num lg">{count(project.backlog)}</td>
      <td className="num lg t2">
        <Age at={project.last_activity_at} suffix=" ago" />
      </td>
    </tr>
  );
}
