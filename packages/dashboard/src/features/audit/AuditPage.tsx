import type { AuditFilters } from "@svc/client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState } from "react";
import { paths, type SearchOf } from "../../address/paths.ts";
import { boundsNow, rangeParams } from "../../address/range-bounds.ts";
import { useTimeRange } from "../../address/time-range.ts";
import { type PageLoader, readPageAhead } from "../../api/read-ahead.ts";
import { useGo } from "../../ui/buttons/AppLink.tsx";
import { Button, ButtonLink } from "../../ui/buttons/Button.tsx";
import { Select } from "../../ui/forms/Select.tsx";
import { Empty } from "../../ui/panels/Lines.tsx";
import { NotForRole } from "../../ui/panels/NotForRole.tsx";
import panel from "../../ui/panels/panel.module.css";
import { idTail, nameText, printable } from "../../ui/time/format.ts";
import { usePage } from "../../ui/title.ts";
import { mayAudit, readAs, useMayAudit, useMe } from "../sessions/index.ts";
import css from "./audit.module.css";
import { type AuditSearch, readAuditSearch } from "./audit-search.ts";
import { ChainPanel } from "./exports/ChainPanel.tsx";
import { placeOf } from "./follow-activity.ts";
import { actionTree, actorText, outcomeNames } from "./labels.ts";
import { auditQuery, useNames } from "./queries.ts";
import { ActionTree } from "./records/ActionTree.tsx";
import { ActionBox, CheckFailed, ExactToggle, NewRows } from "./records/ListTools.tsx";
import { RecordList, rowsIn } from "./records/RecordList.tsx";
import { useArrived, useShowNew } from "./use-arrived.ts";

const ExportDialog = lazy(() => import("./exports/ExportDialog.tsx").then((part) => ({ default: part.ExportDialog })));

type Given<Search> = { [Key in keyof Search]?: Search[Key] | undefined };

const filtersOf = ({ action, outcome, user, target, since, until }: Given<AuditSearch>): AuditFilters => ({
  ...(action && { action_prefix: action }),
  ...(outcome && { outcome }),
  ...(user && { user_id: user }),
  ...(target && { target_id: target }),
  ...(since && { since }),
  ...(until && { until }),
});

export const loader: PageLoader<{ slug: string }> = ({ params: { slug }, location: { search } }) =>
  readAs(
    (me) => mayAudit(me, slug),
    () => {
      const { since, until } = rangeParams(boundsNow(search, "all"));
      return readPageAhead(auditQuery(slug, filtersOf({ ...readAuditSearch(search), since, until })));
    },
  );

export function AuditPage() {
  const { slug = "" } = useParams({ strict: false });
  usePage([[slug, paths.project(slug)], ["Audit"]]);
  if (useMayAudit(slug)) return <Trail key={slug} slug={slug} />;
  return (
    <NotForRole title="Audit" chips={<ButtonLink href={paths.activity()}>View your activity</ButtonLink>}>
      Only auditors and admins can see a project's audit log. Ask a project admin for access.
    </NotForRole>
  );
}

function Trail({ slug }: { slug: string }) {
  const me = useMe();
  const goTo = useGo();
  const search = readAuditSearch(useSearch({ strict: false }));
  const { action = "", outcome = "", user = "", target = "" } = search;
  const range = useTimeRange("all");
  const { since, until } = rangeParams(range);
  const filters = useMemo(
    () => filtersOf({ action, outcome, user, target, since, until }),
    [action, outcome, user, target, since, until],
  );
  const query = auditQuery(slug, filters);
  const read = useInfiniteQuery(query);
  const rows = rowsIn(read);
  const names = useNames([slug]);
  const [isExact, setExact] = useState(false);
  const [isExporting, setExporting] = useState(false);
  const seen = useSeenActions(rows);
  const isFiltered = Object.keys(filters).length > 0;

  // The feed can't filter by outcome, user or target, and a range with an end gets no new entries.
  const follows = read.data !== undefined && !read.isPlaceholderData && !outcome && !user && !target && !until;
  const from = !follows ? null : rows[0] ? placeOf(rows[0]) : since ? null : "";
  const arrived = useArrived({ project: slug, ...(action && { action }) }, from);
  const showNew = useShowNew(query.queryKey, read.refetch);

  const hrefOf = (next: SearchOf<"/p/$slug/audit">) => paths.audit(slug, { ...search, ...next });
  const go = (next: SearchOf<"/p/$slug/audit">) => goTo(hrefOf(next));
  const people = [
    ...new Map([
      ...names,
      [me.id, "you"],
      ...(user && !names.has(user) && user !== me.id ? [[user, `user ${idTail(user)}`] as const] : []),
    ]),
  ];
  const filterTexts = [
    action && `an action starting with ${printable(action)}`,
    outcome && `the outcome ${outcomeText(outcome)}`,
    user && `the user ${actorText({ user_id: user }, { me, names })}`,
    target && `the target ${printable(target)}`,
    (since || until) && `a time in this range: ${range.label}`,
  ].filter(Boolean);

  return (
    <>
      <div className={panel.head}>
        <h1>Audit</h1>
        <span className="t3 grow">Newest first, {range.label}</span>
        <NewRows arrived={arrived} onShow={showNew} />
        <Button variant="tool" icon="download" title="Export matching entries" onClick={() => setExporting(true)}>
          Export
          <span className="vh">audit entries</span>
        </Button>
      </div>
      <CheckFailed arrived={arrived} />
      <div className={css.box}>
        <ChainPanel />
      </div>
      <div className={css.tools}>
        <ActionBox action={action} onChange={(next) => go({ action: next })} />
        <Select
          className="sm"
          label="Action class"
          value={action}
          options={[
            ["", "All actions"],
            ...(action && !actionTree([]).some(({ prefix }) => prefix === action) ? [action] : []),
            ...actionTree(seen).map(({ prefix, name }) => [prefix, name] as const),
          ]}
          onChange={(next) => go({ action: next })}
        />
        <Select
          label="Outcome"
          value={outcome}
          options={[
            ["", "Any outcome"],
            ...Object.entries(outcomeNames),
            ...(outcome && !Object.hasOwn(outcomeNames, outcome) ? [outcome] : []),
          ]}
          onChange={(next) => go({ outcome: next })}
        />
        <Select
          label="User"
          value={user}
          options={[["", "Anyone"], ...people.map(([id, name]) => [id, nameText(name)] as const)]}
          onChange={(next) => go({ user: next })}
        />
        {target ? <Drop label={`target ${idTail(target)}`} onDrop={() => go({ target: "" })} /> : null}
        <span className="grow" />
        <ExactToggle isExact={isExact} onChange={setExact} />
      </div>
      <div className={css.split}>
        <ActionTree seen={seen} action={action} hrefOf={(next) => hrefOf({ action: next ?? "" })} />
        <div className={css.rows}>
          <RecordList
            label="Audit entries"
            read={read}
            names={names}
            showsProject={false}
            isExact={isExact}
            hasUserFilter
            onOnly={go}
            empty={
              isFiltered ? (
                <Empty
                  title="No entries match"
                  chips={
                    <>
                      {action ? <Drop label={`action ${action}`} onDrop={() => go({ action: "" })} /> : null}
                      {outcome ? (
                        <Drop label={`outcome ${outcomeText(outcome)}`} onDrop={() => go({ outcome: "" })} />
                      ) : null}
                      {user ? <Drop label="user" onDrop={() => go({ user: "" })} /> : null}
                      {target ? <Drop label="target" onDrop={() => go({ target: "" })} /> : null}
                      {since || until ? <Drop label={range.label} onDrop={() => go({ since: "", until: "" })} /> : null}
                      <Button
                        onClick={() => go({ action: "", outcome: "", user: "", target: "", since: "", until: "" })}
                      >
                        Clear all filters
                      </Button>
                    </>
                  }
                >
                  <p>No audit entry in this project has {filterTexts.join(" and ")}.</p>
                </Empty>
              ) : (
                <Empty title="Nothing recorded yet">
                  <p>Commands, exports, and changes to the project, its members and agents are recorded here.</p>
                </Empty>
              )
            }
          />
        </div>
      </div>
      {isExporting ? (
        <Suspense fallback={null}>
          <ExportDialog
            slug={slug}
            filters={filters}
            filterText={filterTexts.length === 0 ? null : filterTexts.join(", and ")}
            onClose={() => setExporting(false)}
          />
        </Suspense>
      ) : null}
    </>
  );
}

const outcomeText = (outcome: string): string => outcomeNames[outcome] ?? printable(outcome);

function Drop({ label, onDrop }: { label: string; onDrop: () => void }) {
  return (
    <Button onClick={onDrop} icon="x">
      {printable(label)}
    </Button>
  );
}

/** The actions of all entries shown so far, with any filters. */
function useSeenActions(rows: readonly { action: string }[]): ReadonlySet<string> {
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set());
  const added = rows.map(({ action }) => action).filter((action) => !seen.has(action));
  if (added.length > 0) setSeen(new Set([...seen, ...added]));
  return seen;
}
