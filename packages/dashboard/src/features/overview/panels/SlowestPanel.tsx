import type { SlowestNames } from "@svc/client";
import { fieldTerm } from "@svc/client/task-query";
import type { UseQueryResult } from "@tanstack/react-query";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { Panel } from "../../../ui/panels/Panel.tsx";
import { DataTable } from "../../../ui/tables/DataTable.tsx";
import { duration, nameText } from "../../../ui/time/format.ts";
import css from "../overview.module.css";
import { relativeChange } from "./facts.ts";

interface SlowestPanelProps {
  slug: string;
  query: UseQueryResult<SlowestNames>;
  windowLabel: string;
}

/** The task names with the longest run times, and the change from the previous window. */
export function SlowestPanel({ slug, query, windowLabel }: SlowestPanelProps) {
  return (
    <Panel
      className={css.cell}
      title="Slowest tasks"
      window={`p95 run, ${windowLabel}`}
      read={query}
      rows={8}
      empty={({ items }) => (items.length === 0 ? <p className={css.quiet}>No run times in this time range.</p> : null)}
    >
      {({ items }) => (
        <DataTable
          label="Slowest tasks"
          size="dense"
          className={css.tbl}
          rows={items}
          rowKey={({ name }) => name}
          columns={[
            {
              header: "Task",
              cellClass: css.name,
              cell: ({ name }) => (
                <AppLink className={css.plain} href={paths.tasks(slug, { q: fieldTerm("name", name) })}>
                  {nameText(name)}
                </AppLink>
              ),
            },
            { header: "p95", className: "num", cell: ({ run }) => duration(run.p95) },
            {
              header: "Change",
              className: "num",
              cellClass: (item) => (changeOf(item)?.isWorse ? css.worseText : "t2"),
              cell: (item) => changeOf(item)?.text ?? "new",
            },
          ]}
        />
      )}
    </Panel>
  );
}

const changeOf = ({ run, previous }: SlowestNames["items"][number]) =>
  relativeChange(run.p95, previous?.p95 ?? null, "worse");
