import type { TaskDifferences, TaskRow } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { paths } from "../../../../address/paths.ts";
import { useTimeRange } from "../../../../address/time-range.ts";
import { AppLink } from "../../../../ui/buttons/AppLink.tsx";
import { Panel } from "../../../../ui/panels/Panel.tsx";
import panel from "../../../../ui/panels/panel.module.css";
import type { Column } from "../../../../ui/tables/columns.tsx";
import { DataTable } from "../../../../ui/tables/DataTable.tsx";
import { percent, printable } from "../../../../ui/time/format.ts";
import { taskDifferencesQuery } from "../detail-queries.ts";
import { comparedRange, filterOf, nothingToCompare, sampleText, valueText } from "./comparison.ts";
import css from "./differences.module.css";
import { nameTerm } from "./search-terms.ts";

/** What the failed tasks of a name have in common that the passed ones do not. Facts with their sample: why is not said. */
export function DifferencesPanel({ slug, task }: { slug: string; task: TaskRow }) {
  const { params, label } = comparedRange(task.received_at, useTimeRange("-24h"));
  const query = useQuery(taskDifferencesQuery(slug, task.name, params));
  const failures = ({ q, ...more }: Record<string, string> = {}) =>
    paths.tasks(slug, { state: "failure", q: [nameTerm(task.name), q].filter(Boolean).join(" "), ...params, ...more });
  return (
    <Panel
      title="What is different about the failures"
      window={label}
      read={query}
      rows={4}
      empty={(data) => {
        const why = nothingToCompare(data);
        return why === null ? null : <p className={css.none}>{why}</p>;
      }}
    >
      {(data) => (
        <>
          <p className={css.sample}>
            {sampleText(data)}. <AppLink href={failures()}>Show the failed ones</AppLink>
          </p>
          {data.attributes.length === 0 ? (
            <p className={css.none}>Nothing that is known of them sets the failed ones apart.</p>
          ) : (
            <DataTable
              className={css.diff}
              columns={columnsOf(failures)}
              rows={data.attributes}
              rowKey={({ field, value }) => `${field} ${value}`}
            />
          )}
          <p className={panel.foot}>
            Shown are values that at least 5 failed tasks have, and one side has more often by 20 points or more. A
            difference is not a cause.
          </p>
        </>
      )}
    </Panel>
  );
}

type Attribute = TaskDifferences["attributes"][number];

const columnsOf = (hrefOf: (more: Record<string, string>) => string): readonly Column<Attribute>[] => [
  {
    header: "Field and value",
    cell: ({ field, value }) => {
      const filter = filterOf(field, value);
      const words = <b className="mono">{printable(valueText(field, value))}</b>;
      return (
        <>
          <span className="t2">{printable(field)}</span>{" "}
          {filter ? <AppLink href={hrefOf({ ...filter })}>{words}</AppLink> : words}
        </>
      );
    },
  },
  { header: "Failed", className: "num", cell: (one) => <b>{percent(one.failed_share)}</b> },
  { header: "Passed", className: "num", cellClass: "t2", cell: (one) => percent(one.passed_share) },
  {
    header: "Shares as bars",
    isHeaderHidden: true,
    cellClass: css.bars,
    cell: ({ failed_share: failed, passed_share: passed }) => (
      <svg width="100%" height="20" aria-hidden="true">
        <rect className={css.failed} x="0" y="3" width={`${100 * failed}%`} height="6" />
        <rect className={css.passed} x="0" y="11" width={`${100 * passed}%`} height="6" />
      </svg>
    ),
  },
];
