import type { Issue } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { paths } from "../../address/paths.ts";
import { boundsNow, rangeParams } from "../../address/range-bounds.ts";
import { useTimeRange } from "../../address/time-range.ts";
import { type PageLoader, readAhead } from "../../api/read-ahead.ts";
import { useTimedMs } from "../../live/live.ts";
import { Button, ButtonLink } from "../../ui/buttons/Button.tsx";
import { CopyButton } from "../../ui/buttons/CopyButton.tsx";
import controls from "../../ui/controls.module.css";
import { type FactOf, Facts } from "../../ui/panels/Facts.tsx";
import { Empty } from "../../ui/panels/Lines.tsx";
import { PanelFrame } from "../../ui/panels/PanelFrame.tsx";
import panel from "../../ui/panels/panel.module.css";
import { QueryBoundary } from "../../ui/panels/QueryBoundary.tsx";
import { count, nameText, printable, printableLines } from "../../ui/time/format.ts";
import { Age } from "../../ui/time/Stamp.tsx";
import { usePage } from "../../ui/title.ts";
import { DifferencesPanel } from "../tasks/index.ts";
import { OutsideRange, SpreadPanel, TasksPanel, TracePanel, TrendPanel, useIssueTasks } from "./IssuePanels.tsx";
import { IssueTag } from "./IssueTag.tsx";
import { tagOf, titleOf } from "./issue-labels.ts";
import { issueQuery } from "./issue-queries.ts";
import css from "./issues.module.css";

const RetryIssue = lazy(() => import("./RetryIssue.tsx").then((part) => ({ default: part.RetryIssue })));
/** Props of a button whose code is still loading. */
const loading = { disabledReason: "Loading" };

const fingerprintPattern = /^[0-9a-f]{32}$/;

export const loader: PageLoader<{ slug: string; fingerprint: string }> = async ({ params, location }) => {
  const { slug, fingerprint } = params;
  if (!fingerprintPattern.test(fingerprint)) return;
  await readAhead(issueQuery(slug, fingerprint, rangeParams(boundsNow(location.search))));
};

/** One issue: its frequency, its first and last failure, a sample traceback, and its tasks. */
export function IssuePage() {
  const { slug, fingerprint } = useParams({ from: "/signed-in/p/$slug/issues/$fingerprint" });
  const range = useTimeRange();
  const isValid = fingerprintPattern.test(fingerprint);
  const read = useQuery({
    ...issueQuery(slug, fingerprint, rangeParams(range)),
    enabled: isValid,
    refetchInterval: useTimedMs(30_000),
  });
  const inRange = read.data ?? null;
  // An issue without failures in the range is fetched without a range.
  const whole = useQuery({ ...issueQuery(slug, fingerprint, {}), enabled: read.data === null });
  const either = {
    data: isValid ? (inRange ?? whole.data) : null,
    error: read.error ?? whole.error,
    refetch: (read.error ? read : whole).refetch,
  };
  const issue = either.data ?? null;
  const { type, message } = issue === null ? { type: "Issue", message: "" } : titleOf(issue);
  usePage([[slug, paths.project(slug)], ["Issues", paths.issues(slug)], [printable(type)]]);
  return (
    <>
      <div className={panel.head}>
        {issue === null ? null : <IssueTag status={issue.status} />}
        {issue !== null && tagOf(issue, range.sinceMs ?? 0) === "new" ? (
          <span className={`${controls.tag} ${css.new}`}>new</span>
        ) : null}
        <h1 className={css.heading}>
          {issue === null ? type : <span className={css.class}>{printable(type)}</span>} {printable(message)}
        </h1>
        {issue === null ? null : (
          <>
            <ButtonLink className="lg" href={paths.tasks(slug, { q: `fingerprint:${fingerprint}` })}>
              View tasks
            </ButtonLink>
            <Suspense fallback={<Button {...loading}>Retry</Button>}>
              <RetryIssue slug={slug} fingerprint={fingerprint} openInRange={issue.open_count} />
            </Suspense>
          </>
        )}
      </div>
      <QueryBoundary name="The issue" read={either}>
        {issue === null ? (
          <Empty title="Issue not found" chips={<ButtonLink href={paths.issues(slug)}>All issues</ButtonLink>}>
            <p>No task in this project has this failure. It may be in another project or past retention.</p>
          </Empty>
        ) : (
          <Parts slug={slug} issue={issue} isInRange={inRange !== null} />
        )}
      </QueryBoundary>
    </>
  );
}

interface PartsProps {
  slug: string;
  issue: Issue;
  isInRange: boolean;
}

function Parts({ slug, issue, isInRange }: PartsProps) {
  const { fingerprint } = issue;
  const range = useTimeRange();
  const { sample } = useIssueTasks({ slug, fingerprint });
  const window = isInRange ? range.label : "within retention";
  return (
    <>
      <Facts facts={factsOf(issue, window)} />
      <div className={panel.page}>
        <div className={panel.grid2}>
          <div className={panel.stack}>
            {isInRange ? (
              <TrendPanel slug={slug} fingerprint={fingerprint} issue={issue} range={range} />
            ) : (
              <section className={`${panel.panel} ${panel.foot}`}>
                <OutsideRange slug={slug} fingerprint={fingerprint} issue={issue} />
              </section>
            )}
            <TracePanel slug={slug} sample={sample} />
            <TasksPanel slug={slug} fingerprint={fingerprint} />
          </div>
          <div className={panel.stack}>
            <PanelFrame title="Details">
              <dl className={panel.kv}>
                <div>
                  <dt>Sample message</dt>
                  <dd className={`${css.message} mono`}>
                    {issue.sample_exception ? printableLines(issue.sample_exception) : "Not reported"}
                  </dd>
                </div>
                <div>
                  <dt>Task name</dt>
                  <dd>{nameText(issue.sample_task_name ?? "")}</dd>
                </div>
                <div>
                  <dt>Fingerprint</dt>
                  <dd>
                    <span className="mono">{fingerprint}</span>{" "}
                    <CopyButton text={fingerprint} name="Copy fingerprint" />
                  </dd>
                </div>
              </dl>
            </PanelFrame>
            <SpreadPanel slug={slug} fingerprint={fingerprint} range={range} />
            <DifferencesPanel slug={slug} compared={{ fingerprint }} failedAt={issue.last_seen} />
          </div>
        </div>
      </div>
    </>
  );
}

function factsOf(issue: Issue, window: string): FactOf[] {
  const more = issue.is_capped ? "+" : "";
  return [
    { label: `Tasks, ${window}`, value: `${count(issue.occurrences)}${more}` },
    { label: "Still failing", value: `${count(issue.open_count)}${more}`, isBad: issue.open_count > 0 },
    { label: "Recovered", value: count(issue.recovered_count) },
    { label: "First seen", value: <Age at={issue.first_seen} suffix=" ago" />, note: "within retention" },
    { label: `Last seen, ${window}`, value: <Age at={issue.last_seen} suffix=" ago" /> },
    { label: issue.engine_count === 1 ? "Engine" : "Engines", value: issue.engines.map(printable).join(", ") },
  ];
}
