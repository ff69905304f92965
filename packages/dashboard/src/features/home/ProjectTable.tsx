import { type HomeProject, plural } from "@svc/client";
import { paths } from "../../address/paths.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { SparkBars } from "../../ui/charts/SparkBars.tsx";
import { labels } from "../../ui/labels.ts";
import type { Column } from "../../ui/tables/columns.tsx";
import { DataTable } from "../../ui/tables/DataTable.tsx";
import { count, nameText, percent, printable } from "../../ui/time/format.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { HealthWord } from "../projects/index.ts";
import { byHealth } from "./health-order.ts";
import css from "./home.module.css";

/** All projects of the user, worst health first. */
export function ProjectTable({ projects }: { projects: readonly HomeProject[] }) {
  return <DataTable label="Projects" size="wide" rows={byHealth(projects)} rowKey={({ id }) => id} columns={columns} />;
}

interface OnlineProps {
  online: number;
  offline: number;
  total: number;
  none: string;
}

function Online({ online, offline, total, none }: OnlineProps) {
  if (total === 0) return <span className="t3">{none}</span>;
  return (
    <span className={offline > 0 ? css.less : undefined}>
      {count(online)} of {count(total)}
    </span>
  );
}

const columns: readonly Column<HomeProject>[] = [
  {
    header: "Project",
    cell: ({ slug, name }) => (
      <AppLink href={paths.project(slug)}>
        <b>{nameText(name)}</b>
      </AppLink>
    ),
    small: ({ slug }) => slug,
  },
  { header: "Health", cell: ({ health }) => <HealthWord health={health} /> },
  { header: "Environment", className: "lg", cellClass: "t2", cell: ({ environment }) => printable(environment) },
  {
    header: `${labels.finished} by the hour, 24 h`,
    className: "lg",
    cell: ({ name, tasks_24h: tasks, tasks_by_hour: byHour }) => (
      <SparkBars
        values={byHour}
        isRunning
        label={`${nameText(name)}: ${plural(tasks, "task")} finished in 24 h, at most ${count(Math.max(0, ...byHour))} in an hour`}
      />
    ),
  },
  { header: `${labels.finished}, 24 h`, className: "num lg", cell: (project) => count(project.tasks_24h) },
  {
    header: `${labels.failed}, 24 h`,
    className: "num",
    cell: (project) =>
      project.tasks_24h === 0 ? (
        <span className="t3">no finished tasks</span>
      ) : (
        <>
          {percent(project.failure_rate_24h)} <span className="t3 lg">{count(project.failures_24h)}</span>
        </>
      ),
  },
  {
    header: "Agents online",
    className: "num",
    cell: ({ agents_online: online, agents_offline: offline, agents_total: total }) => (
      <Online online={online} offline={offline} total={total} none="none yet" />
    ),
  },
  {
    header: "Workers online",
    className: "num lg",
    cell: ({ workers_online: online, workers_missing: missing, agents_online: agents }) => (
      <Online online={online} offline={agents > 0 ? missing : 0} total={online + missing} none="none" />
    ),
  },
  { header: `${labels.waiting}, now`, className: "num lg", cell: (project) => count(project.backlog) },
  {
    header: "Last event",
    className: "num lg",
    cellClass: "t2",
    cell: (project) => <Age at={project.last_activity_at} suffix=" ago" />,
  },
];
