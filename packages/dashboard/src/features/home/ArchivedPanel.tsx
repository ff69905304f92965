import type { Project } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../address/paths.ts";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { Panel, PanelEmpty } from "../../ui/panels/Panel.tsx";
import type { Column } from "../../ui/tables/columns.tsx";
import { DataTable } from "../../ui/tables/DataTable.tsx";
import { nameText, printable } from "../../ui/time/format.ts";
import { Stamp } from "../../ui/time/Stamp.tsx";
import { archivedProjectsQuery } from "../projects/index.ts";
import css from "./home.module.css";

/** Archived projects, which can be restored from their settings. */
export function ArchivedPanel() {
  const read = useQuery(archivedProjectsQuery);
  return (
    <div className={css.archived}>
      <Panel
        title="Archived projects"
        window="read-only until restored"
        read={read}
        rows={2}
        empty={(projects) =>
          projects.length > 0 ? null : <PanelEmpty kind="none-yet">No archived projects.</PanelEmpty>
        }
      >
        {(projects) => (
          <DataTable label="Archived projects" rows={projects} rowKey={({ id }) => id} columns={columns} />
        )}
      </Panel>
    </div>
  );
}

const columns: readonly Column<Project>[] = [
  {
    header: "Project",
    cell: ({ slug, name }) => (
      <AppLink href={paths.general(slug)}>
        <b>{nameText(name)}</b>
      </AppLink>
    ),
    small: ({ slug }) => slug,
  },
  { header: "Environment", className: "lg", cellClass: "t2", cell: ({ environment }) => printable(environment) },
  {
    header: "Last changed",
    className: "num",
    cellClass: "t2",
    cell: ({ updated_at: at }) => <Stamp at={at} to="minute" />,
  },
];
