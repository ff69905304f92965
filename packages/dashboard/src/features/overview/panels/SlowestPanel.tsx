import type { SlowestNames } from "@svc/client";
import { fieldTerm } from "@svc/client/task-query";
import type { UseQueryResult } from "@tanstack/react-query";
import { paths } from "../../../address/paths.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { Panel } from "../../../ui/panels/Panel.tsx";
import panel from "../../../ui/panels/panel.module.css";
import { ScrollBox } from "../../../ui/panels/ScrollBox.tsx";
import { duration, nameText } from "../../../ui/time/format.ts";
import css from "../overview.module.css";
import { relativeChange } from "./facts.ts";

interface SlowestPanelProps {
  slug: string;
  query: UseQueryResult<SlowestNames>;
  windowLabel: string;
}

/** The task names that run longest, and how that changed. */
export function SlowestPanel({ slug, query, windowLabel }: SlowestPanelProps) {
  return (
    <Panel
      className={css.cell}
      title="Slowest names"
      window={`p95 run, ${windowLabel}`}
      read={query}
      rows={8}
      empty={({ items }) =>
        items.length === 0 ? <p className={css.quiet}>No run was measured in this time.</p> : null
      }
    >
      {({ items }) => (
        <ScrollBox label="Slowest names">
          <table className={`${panel.tbl} ${panel.dense} ${css.tbl}`}>
            <thead>
              <tr>
                <th>Task</th>
                <th className="num">p95</th>
                <th className="num">Change</th>
              </tr>
            </thead>
            <tbody>
              {items.map(({ name, run, previous }) => {
                const change = relativeChange(run.p95, previous?.p95 ?? null, "worse");
                return (
                  <tr key={name}>
                    <td className={css.name}>
                      <AppLink className={css.plain} href={paths.tasks(slug, { q: fieldTerm("name", name) })}>
                        {nameText(name)}
                      </AppLink>
                    </td>
                    <td className="num">{duration(run.p95)}</td>
                    <td className={`num ${change?.isWorse ? css.worseText : "t2"}`}>{change?.text ?? "new"}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </ScrollBox>
      )}
    </Panel>
  );
}
