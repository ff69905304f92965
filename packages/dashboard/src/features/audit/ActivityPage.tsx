import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { paths } from "../../address/paths.ts";
import { type PageLoader, readPageAhead } from "../../api/read-ahead.ts";
import { useGo } from "../../ui/buttons/AppLink.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import { Select } from "../../ui/forms/Select.tsx";
import { Empty } from "../../ui/panels/Lines.tsx";
import panel from "../../ui/panels/panel.module.css";
import { printable } from "../../ui/time/format.ts";
import { usePage } from "../../ui/title.ts";
import { projectsQuery } from "../projects/index.ts";
import { useMe } from "../sessions/index.ts";
import css from "./audit.module.css";
import { type ActivitySearch, readActivitySearch } from "./audit-search.ts";
import { placeOf } from "./follow-activity.ts";
import { auditedSlugs, reachText } from "./labels.ts";
import { activityQuery, useNames } from "./queries.ts";
import { ActionBox, CheckFailed, ExactToggle, NewRows } from "./records/ListTools.tsx";
import { RecordList, rowsIn } from "./records/RecordList.tsx";
import { useArrived, useShowNew } from "./use-arrived.ts";

export const loader: PageLoader = ({ location }) => readPageAhead(activityQuery(readActivitySearch(location.search)));

/** Audit entries of all projects that the user may audit, and the user's own. */
export function ActivityPage() {
  usePage([["Projects", paths.home()], ["Activity"]]);
  const me = useMe();
  const goTo = useGo();
  const search = readActivitySearch(useSearch({ strict: false }));
  const { action = "", project = "" } = search;
  const query = activityQuery(search);
  const read = useInfiniteQuery(query);
  const rows = rowsIn(read);
  const names = useNames(project === "" ? auditedSlugs(me) : auditedSlugs(me).filter((slug) => slug === project));
  const projects = useQuery({ ...projectsQuery, enabled: me.is_admin });
  const [isExact, setExact] = useState(false);
  const isRead = read.data !== undefined && !read.isPlaceholderData;
  const arrived = useArrived(search, isRead ? (rows[0] ? placeOf(rows[0]) : "") : null);
  const showNew = useShowNew(query.queryKey, read.refetch);
  const go = (next: ActivitySearch) => goTo(paths.activity({ ...search, ...next }));
  const slugs = me.is_admin ? (projects.data ?? []).map(({ slug }) => slug) : auditedSlugs(me);
  const filterTexts = [
    action && `has an action starting with ${printable(action)}`,
    project && `is in project ${printable(project)}`,
  ].filter(Boolean);
  const choices = [...new Set([...slugs, ...(project === "" ? [] : [project])])].sort();

  return (
    <>
      <div className={panel.head}>
        <h1>Activity</h1>
        <span className="t2 grow">{reachText(me)}</span>
        <NewRows arrived={arrived} onShow={showNew} />
      </div>
      <CheckFailed arrived={arrived} />
      <div className={css.tools}>
        <ActionBox action={action} onChange={(next) => go({ action: next })} />
        {choices.length === 0 ? null : (
          <Select
            label="Project"
            value={project}
            options={[["", "All projects"], ...choices.map((slug) => [slug, printable(slug)] as const)]}
            onChange={(next) => go({ project: next })}
          />
        )}
        <span className="grow" />
        <ExactToggle isExact={isExact} onChange={setExact} />
      </div>
      <RecordList
        label="Activity"
        read={read}
        names={names}
        showsProject
        isExact={isExact}
        hasUserFilter={false}
        onOnly={({ action: only = "" }) => go({ action: only })}
        empty={
          action === "" && project === "" ? (
            <Empty title="Nothing recorded yet">
              <p>Changes that you make outside of projects, such as to your password or API keys, are recorded here.</p>
            </Empty>
          ) : (
            <Empty
              title="No entries match"
              chips={<Button onClick={() => go({ action: "", project: "" })}>Clear all filters</Button>}
            >
              <p>No entry that you can see {filterTexts.join(" and ")}.</p>
            </Empty>
          )
        }
      />
    </>
  );
}
