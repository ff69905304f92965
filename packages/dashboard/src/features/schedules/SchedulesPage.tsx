import { plural, type Schedule } from "@svc/client";
import { useInfiniteQuery, useQueries, useQuery } from "@tanstack/react-query";
import { useParams, useSearch } from "@tanstack/react-router";
import { matchesWords, useListFilter } from "../../address/list-filter.ts";
import { paths } from "../../address/paths.ts";
import { type PageLoader, readPageAhead } from "../../api/read-ahead.ts";
import { usePollMs, useTimedMs } from "../../live/live.ts";
import { AppLink, useGo } from "../../ui/buttons/AppLink.tsx";
import { Button, ButtonLink } from "../../ui/buttons/Button.tsx";
import { Segments } from "../../ui/buttons/Segments.tsx";
import { FilterBox } from "../../ui/forms/FilterBox.tsx";
import { Empty, NoteLine } from "../../ui/panels/Lines.tsx";
import panel from "../../ui/panels/panel.module.css";
import { QueryBoundary, StaleLine } from "../../ui/panels/QueryBoundary.tsx";
import { useSteadyOrder } from "../../ui/tables/steady-order.ts";
import { WindowTable } from "../../ui/tables/WindowTable.tsx";
import { count, nameText, printable } from "../../ui/time/format.ts";
import { usePage } from "../../ui/title.ts";
import { ActionButton } from "../actions/index.ts";
import { useMayNot } from "../projects/index.ts";
import { enableSchedule } from "./acts/schedule-actions.tsx";
import { StripLegend } from "./fires/StripLegend.tsx";
import type { StripFire } from "./fires/strip-cells.ts";
import { LazyForecastStrip } from "./forecast/LazyForecastStrip.tsx";
import { missedBySchedule } from "./misfires/missed-slots.ts";
import { misfiresQuery, runsQuery, schedulePages } from "./queries.ts";
import { type ShownSchedule, scheduleColumns } from "./schedule-columns.tsx";
import { byUrgency, isOwn, isShown, type Shown, shownChoices, shownLabels, stateOf } from "./schedule-state.ts";
import { readSchedulesSearch } from "./schedules-search.ts";

export const loader: PageLoader<{ slug: string }> = ({ params: { slug } }) => readPageAhead(schedulePages(slug));

/** At most this many stopped schedules have a line above the list. */
const mostLines = 3;

export function SchedulesPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/schedules" });
  const { show } = useSearch({
    from: "/signed-in/p/$slug/schedules",
    select: readSchedulesSearch,
    structuralSharing: true,
  });
  usePage([[slug, paths.project(slug)], ["Schedules"]]);
  const go = useGo();
  const mayNot = useMayNot(slug, "admin");
  const [filter, setFilter] = useListFilter();
  const pollMs = usePollMs();
  const read = useInfiniteQuery({ ...schedulePages(slug), refetchInterval: pollMs });
  const pages = read.data?.pages ?? [];
  const all = pages.flatMap(({ items }) => items);
  const threshold = pages[0]?.circuit_breaker_threshold ?? 0;

  const figuresMs = useTimedMs(30_000);
  // One request for each page of the list: as many ids as it accepts.
  const runs = useQueries({
    queries: pages.map(({ items }) => ({
      ...runsQuery(
        slug,
        items.filter(isOwn).map(({ id }) => id),
      ),
      refetchInterval: figuresMs,
    })),
  });
  const misfires = useQuery({ ...misfiresQuery(slug), enabled: all.length > 0, refetchInterval: figuresMs });
  const firesOf = new Map<string, readonly StripFire[]>(
    runs.flatMap(({ data }) => (data?.items ?? []).map(({ schedule_id, fires }) => [schedule_id, fires] as const)),
  );
  const missedOf = missedBySchedule(misfires.data ?? []);

  const matching = all.filter(
    (schedule) =>
      isShown(schedule, threshold, show) &&
      matchesWords(filter, [
        schedule.name,
        schedule.engine,
        schedule.expression,
        schedule.description,
        schedule.task_name,
      ]),
  );
  const { rows, hold } = useSteadyOrder(
    byUrgency(matching, threshold).map(
      (schedule): ShownSchedule => ({
        key: schedule.id,
        schedule,
        state: stateOf(schedule, threshold),
        fires: firesOf.get(schedule.id),
        missedSlots: missedOf.get(schedule.id) ?? [],
      }),
    ),
  );
  const choose = (next: Shown | "all") =>
    go(paths.schedules(slug, { filter, ...(next !== "all" && { show: next }) }), { replace: true });
  const create = (
    <Button variant="main" icon="plus" disabledReason={mayNot} onClick={() => go(paths.newSchedule(slug))}>
      New schedule
    </Button>
  );

  return (
    <>
      <div className={panel.head}>
        <h1>Schedules</h1>
        {all.length > 0 ? (
          <div className={panel.scroll}>
            <Segments<Shown | "all">
              legend="Show"
              value={show ?? "all"}
              options={[
                { value: "all", label: `All ${count(all.length)}` },
                ...shownChoices.map((one) => ({ value: one, label: tabLabel(one, all, threshold) })),
              ]}
              onChange={choose}
            />
          </div>
        ) : null}
        <span className="grow" />
        {all.length > 0 ? (
          <>
            <FilterBox label="Filter schedules" value={filter} onChange={setFilter} />
            <ButtonLink href={paths.forecast(slug)}>Forecast</ButtonLink>
            <ButtonLink href={paths.misfires(slug)}>Misfires</ButtonLink>
            {create}
          </>
        ) : null}
      </div>
      <QueryBoundary name="Schedules" read={read}>
        {all.length === 0 ? (
          <Empty title="No schedules yet">
            <p>
              A schedule starts a task at set times. Create one here; schedules of your engines appear when an agent
              reports them.
            </p>
            {create}
          </Empty>
        ) : (
          <>
            <LazyForecastStrip slug={slug} />
            <StoppedLines slug={slug} schedules={all} threshold={threshold} firesOf={firesOf} />
            {runs.map((one, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the requests of the pages, in order
              <StaleLine key={at} name="The last fires" read={one} />
            ))}
            {rows.length === 0 ? (
              <Empty
                title="No schedules match"
                chips={<Button onClick={() => go(paths.schedules(slug), { replace: true })}>Clear filters</Button>}
              >
                <p>No schedule has this text in its name, engine, expression or task, or is in this state.</p>
              </Empty>
            ) : (
              <WindowTable
                label="Schedules"
                size="wide"
                on={hold}
                rows={rows}
                rowKey={({ key }) => key}
                isOpenEnded={read.hasNextPage}
                rowPx={45}
                rowProps={({ state }) => ({
                  className: state === "tripped" || state === "quarantined" ? panel.alarm : undefined,
                })}
                columns={scheduleColumns(slug, threshold)}
              >
                {read.hasNextPage ? (
                  <p className={panel.foot}>
                    The first {count(all.length)} schedules by name are loaded.{" "}
                    <Button
                      variant="link"
                      isPending={read.isFetchingNextPage}
                      onClick={() => void read.fetchNextPage()}
                    >
                      Load more
                    </Button>
                  </p>
                ) : null}
                <StripLegend />
              </WindowTable>
            )}
          </>
        )}
      </QueryBoundary>
    </>
  );
}

function tabLabel(shown: Shown, all: readonly Schedule[], threshold: number): string {
  return `${shownLabels[shown]} ${count(all.filter((one) => isShown(one, threshold, shown)).length)}`;
}

interface StoppedLinesProps {
  slug: string;
  schedules: readonly Schedule[];
  threshold: number;
  /** Without those that are not loaded. */
  firesOf: ReadonlyMap<string, readonly StripFire[]>;
}

/** `: PaymentError`, from the newest fire; empty if it has no error. */
function lastError(fires: readonly StripFire[]): string {
  const [newest] = [...fires].sort((a, b) => b.fired_at.localeCompare(a.fired_at));
  return newest?.error_code ? `: ${printable(newest.error_code)}` : "";
}

/** What stopped schedules, and the way to start them again. */
function StoppedLines({ slug, schedules, threshold, firesOf }: StoppedLinesProps) {
  const tripped = schedules.filter((one) => stateOf(one, threshold) === "tripped");
  const more = tripped.length - mostLines;
  return (
    <>
      {tripped.slice(0, mostLines).map((schedule) => (
        <NoteLine
          key={schedule.id}
          glyph="failure"
          action={
            <ActionButton slug={slug} action={enableSchedule} subject={schedule}>
              Fix and enable
            </ActionButton>
          }
        >
          <AppLink href={paths.schedule(slug, schedule.id)}>{nameText(schedule.name)}</AppLink> was stopped after{" "}
          {plural(schedule.consecutive_failures ?? 0, "failed fire")} in a row
          {lastError(firesOf.get(schedule.id) ?? [])}. It doesn't fire again until it is enabled.
        </NoteLine>
      ))}
      {more > 0 ? (
        <NoteLine glyph="failure">{plural(more, "more schedule was", "more schedules were")} stopped.</NoteLine>
      ) : null}
    </>
  );
}
