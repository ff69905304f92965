import type { TaskDifferences } from "@svc/client";
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
import { type Compared, comparedRange, comparisonText, filterOf, nothingToCompare, releaseText } from "./comparison.ts";
import css from "./differences.module.css";
import { nameTerm } from "./search-terms.ts";

interface DifferencesProps {
  slug: string;
  compared: Compared;
  /** The time of one of the failures, which the comparison includes. */
  failedAt: string;
}

/** Values that differ between failed and succeeded tasks of the same name and time range. */
export function DifferencesPanel({ slug, compared, failedAt }: DifferencesProps) {
  const { params, label } = comparedRange(failedAt, useTimeRange("-24h"));
  const query = useQuery(taskDifferencesQuery(slug, compared, params));
  const term = "name" in compared ? nameTerm(compared.name) : `fingerprint:${compared.fingerprint}`;
  const failures = ({ q, ...more }: Record<string, string> = {}) =>
    paths.tasks(slug, { state: "failure", q: [term, q].filter(Boolean).join(" "), ...params, ...more });
  return (
    <Panel
      title="What's different about the failures"
      window={label}
      read={query}
      rows={4}
      empty={(data) => {
        const why = nothingToCompare(data, label);
        return why === null ? null : <p className={css.none}>{why}</p>;
      }}
    >
      {(data) => (
        <>
          <p className={css.sample}>
            {comparisonText(data, compared, label)} <AppLink href={failures()}>View failures</AppLink>
          </p>
          {data.attributes.length === 0 ? (
            <p className={css.none}>No distinguishing attributes found.</p>
          ) : (
            <DataTable
              className={css.diff}
              columns={columnsOf(failures)}
              rows={data.attributes}
              rowKey={({ field, value }) => `${field} ${value}`}
            />
          )}
          <p className={panel.foot}>
            Values seen in 5+ failures with a gap of 20+ points. Correlation, not cause. {releaseText(data)}
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
      const text = <b className="mono">{printable(value)}</b>;
      return (
        <>
          <span className="t2">{printable(field)}</span>{" "}
          {filter ? <AppLink href={hrefOf({ ...filter })}>{text}</AppLink> : text}
        </>
      );
    },
  },
  { header: "Failed", className: "num", cell: (one) => <b>{percent(one.failed_share)}</b> },
  { header: "Succeeded", className: "num", cellClass: "t2", cell: (one) => percent(one.passed_share) },
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
