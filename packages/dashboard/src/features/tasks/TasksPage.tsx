import type { TaskState } from "@svc/client";
import { useQuery } from "@tanstack/react-query";
import { useLocation, useNavigate, useParams, useRouter, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from "react";
import { paths } from "../../paths.ts";
import { stringifySearch } from "../../search-text.ts";
import { useKeepRange, useTimeRange } from "../../time-range.ts";
import { AppLink } from "../../ui/AppLink.tsx";
import { copyText } from "../../ui/CopyButton.tsx";
import controls from "../../ui/controls.module.css";
import { Bones, Failed, FailedLine, NoteLine } from "../../ui/Feedback.tsx";
import { count } from "../../ui/format.ts";
import { Icon } from "../../ui/Icon.tsx";
import { useKeys } from "../../ui/keys.ts";
import { usePage } from "../../ui/title.ts";
import { projectQuery, statsQuery } from "../projects/queries.ts";
import { queuesQuery } from "../queues/queries.ts";
import { workersQuery } from "../workers/queries.ts";
import { DrawerSlot } from "./DrawerSlot.tsx";
import { FilterBar } from "./FilterBar.tsx";
import type { Known } from "./filter-text.ts";
import { ListEnd, NothingMatches } from "./ListEnd.tsx";
import css from "./list.module.css";
import { taskTotalQuery } from "./queries.ts";
import { SelectionBar } from "./SelectionBar.tsx";
import { StateRail } from "./StateRail.tsx";
import { TaskGrid } from "./TaskGrid.tsx";
import type { RowActions } from "./TaskRow.tsx";
import { TimeStrip } from "./TimeStrip.tsx";
import type { ListRow } from "./task-pages.ts";
import {
  activeFilters,
  droppedParams,
  filtersOf,
  readTasksSearch,
  type TasksSearch,
  withoutFilters,
} from "./tasks-search.ts";
import { useTaskList } from "./use-task-list.ts";

const Onboarding = lazy(() => import("../projects/Onboarding.tsx").then((module) => ({ default: module.Onboarding })));

const views: readonly { label: string; search: TasksSearch }[] = [
  { label: "All", search: {} },
  { label: "Failed", search: { state: "failure" } },
  { label: "Running", search: { state: "started" } },
  { label: "Waiting over 5 min", search: { state: "pending", until: "-5m" } },
  { label: "Retried", search: { state: "retry" } },
];

export function TasksPage() {
  const { slug } = useParams({ from: "/signed-in/p/$slug/tasks" });
  return <ProjectTasks key={slug} slug={slug} />;
}

function ProjectTasks({ slug }: { slug: string }) {
  usePage([{ label: slug, href: paths.project(slug) }, { label: "Tasks" }]);
  const stats = useQuery(statsQuery(slug));
  const search = useSearch({ from: "/signed-in/p/$slug/tasks" });
  // A project without any task shows the way to the first one; once there, the list stays for good.
  const [hasTasks, setHasTasks] = useState(false);
  const total = stats.data?.tasks_total;
  if (!hasTasks && total !== undefined && total > 0) setHasTasks(true);
  const isEmpty = !hasTasks && total === 0 && activeFilters(search).length === 0;
  if (isEmpty) {
    return (
      <Suspense fallback={<Bones label="Loading the page" />}>
        <Onboarding slug={slug} onReady={() => setHasTasks(true)} />
      </Suspense>
    );
  }
  return <TaskListView slug={slug} search={search} />;
}

function TaskListView({ slug, search }: { slug: string; search: TasksSearch }) {
  const navigate = useNavigate({ from: "/p/$slug/tasks" });
  const router = useRouter();
  const keepRange = useKeepRange();
  useTimeRange("all");
  const rawSearch = useLocation({ select: (location) => location.searchStr });
  const [follows, setFollows] = useState(false);
  const [isTop, setTop] = useState(true);
  const [currentId, setCurrentId] = useState<string | null>(null);
  const [ticked, setTicked] = useState<ReadonlySet<string>>(new Set());

  const active = activeFilters(search);
  const filterText = JSON.stringify(active.map((key) => [key, search[key]]));
  // biome-ignore lint/correctness/useExhaustiveDependencies: ages are counted back from when the filter was set
  const filters = useMemo(() => filtersOf(search, Date.now()), [filterText]);
  const list = useTaskList(slug, filters, follows && isTop && ticked.size === 0);
  const { rows, query } = list;
  const total = useQuery({ ...taskTotalQuery(slug, filters), enabled: query.isSuccess });
  const stats = useQuery(statsQuery(slug));
  const project = useQuery(projectQuery(slug));
  const [isFiltering, setFiltering] = useState(false);
  const known = useKnown(slug, rows, isFiltering);
  const dropped = useMemo(() => droppedParams(Object.fromEntries(new URLSearchParams(rawSearch))), [rawSearch]);

  const patch = useCallback(
    (change: Partial<Record<keyof TasksSearch, string | undefined>>, replace = false) =>
      void navigate({ search: (old) => readTasksSearch({ ...old, ...change }), replace }),
    [navigate],
  );

  // A task that an address or the way back opened is the current one. Of those opened here the address may lag behind.
  const [engine, taskId] = splitTask(search.task);
  const openId = rows.find((row) => row.engine === engine && row.task_id === taskId)?.id;
  const opened = useRef<string[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each task that comes into the drawer
  useEffect(() => {
    const at = opened.current.indexOf(search.task ?? "");
    opened.current.splice(0, at + 1);
    if (at < 0 && openId) setCurrentId(openId);
  }, [openId]);
  const currentIndex = rows.findIndex((row) => row.id === currentId);
  const current = rows[currentIndex];
  const named = engine && taskId ? { engine, task_id: taskId } : current;
  const open = (row: ListRow, replace = false) => {
    const task = `${row.engine}/${row.task_id}`;
    if (task !== search.task) opened.current.push(task);
    patch({ task }, replace);
  };
  const close = () => patch({ task: undefined, tab: undefined });
  const move = (step: number) => {
    const next = rows[Math.min(rows.length - 1, Math.max(0, currentIndex < 0 ? 0 : currentIndex + step))];
    if (!next) return;
    setCurrentId(next.id);
    if (search.task) open(next, true);
  };
  const lastTicked = useRef<string | null>(null);
  const tick = (row: ListRow, isRange: boolean) => {
    const next = new Set(ticked);
    const from = rows.findIndex((one) => one.id === lastTicked.current);
    const to = rows.findIndex((one) => one.id === row.id);
    if (isRange && from >= 0)
      for (const one of rows.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(one.id);
    else if (!next.delete(row.id)) next.add(row.id);
    lastTicked.current = row.id;
    setTicked(next);
  };

  useKeys({
    j: () => move(1),
    k: () => move(-1),
    J: () => {
      if (current) tick(current, false);
      move(1);
    },
    x: () => current && tick(current, false),
    n: () => list.freshCount > 0 && list.showFresh(),
    o: () => named && router.history.push(keepRange(paths.task(slug, named.engine, named.task_id))),
    y: () => named && void copyText(named.task_id),
    f: () => current?.queue && patch({ queue: current.queue }),
    u: () => search.task && close(),
    Enter: (event) => {
      // On a link or button the key is theirs.
      if (current && !(event.target as Element).closest("a, button, input, summary")) open(current);
    },
    Escape: () => (search.task ? close() : setTicked(new Set())),
  });

  // Rows are drawn again only when they change, so what they call must stay the same object.
  const latest = useRef({ open, tick, patch });
  latest.current = { open, tick, patch };
  const actions = useMemo<RowActions>(
    () => ({
      onOpen: (row) => {
        setCurrentId(row.id);
        latest.current.open(row);
      },
      onTick: (row, isRange) => latest.current.tick(row, isRange),
      onFilter: (filter) => latest.current.patch(filter),
      onCurrent: (row) => setCurrentId(row.id),
    }),
    [],
  );

  const isCounted = active.every((key) => key === "state");
  return (
    <div className={css.list}>
      <div>
        {dropped.length > 0 ? (
          <NoteLine>Not understood and left out of the address: {dropped.join(", ")}.</NoteLine>
        ) : null}
        {list.failure ? (
          <FailedLine title="The list could not be read again" error={list.failure} onRetry={list.retry} />
        ) : null}
      </div>
      <div className={css.bar}>
        <h1>Tasks</h1>
        <nav className={`${css.tabs} grow`} aria-label="Views">
          {views.map((view) => {
            const isHere =
              stringifySearch({ ...view.search }) ===
              stringifySearch({ ...readTasksSearch({ ...search }), task: undefined, tab: undefined });
            return (
              <AppLink
                key={view.label}
                href={paths.tasks(slug) + stringifySearch({ ...view.search })}
                aria-current={isHere ? "true" : undefined}
              >
                {view.label}
              </AppLink>
            );
          })}
        </nav>
        <span className={css.tools}>
          <button
            type="button"
            className={controls.tool}
            aria-pressed={follows}
            title="Let new tasks slide in while the list is at its top"
            onClick={() => setFollows(!follows)}
          >
            <Icon name="follow" />
            <span className="lg">{follows && !isTop ? "Follow, when at the top" : "Follow"}</span>
            <span className="vh">new tasks</span>
          </button>
        </span>
      </div>
      <div className={css.cluster}>
        <StateRail
          state={search.state}
          counts={isCounted ? (stats.data?.tasks_by_state ?? null) : null}
          onChange={(state: TaskState | undefined) => patch({ state })}
        />
        <TimeStrip slug={slug} since={search.since ?? null} />
      </div>
      <div>
        <div className={css.bar}>
          <FilterBar search={search} known={known} onNear={() => setFiltering(true)} onPatch={patch} />
          <span className="lg nowrap t2" role="status">
            {total.data === null || total.data === undefined ? (
              `${count(rows.length)}${query.hasNextPage ? "+" : ""} shown`
            ) : (
              <>
                <b className="t1">{count(Math.max(total.data, rows.length))}</b>{" "}
                {active.length > 0 ? "tasks match" : "tasks"}
              </>
            )}
          </span>
        </div>
      </div>
      <div className={css.rows}>
        {query.isPending ? (
          <Bones rows={14} label="Loading tasks" />
        ) : query.isLoadingError ? (
          <Failed title="The task list could not be read" error={query.error} onRetry={() => void query.refetch()} />
        ) : rows.length === 0 ? (
          <NothingMatches slug={slug} search={search} onPatch={patch} list={list} />
        ) : (
          <TaskGrid
            slug={slug}
            list={list}
            total={total.data ?? null}
            currentId={currentId}
            ticked={ticked}
            onTickAll={(isTicked) => setTicked(new Set(isTicked ? rows.map((row) => row.id) : []))}
            onMove={move}
            actions={actions}
            onScrolledToTop={setTop}
            end={<ListEnd list={list} onNarrow={() => void navigate({ search: withoutFilters(search) })} />}
          />
        )}
        {engine && taskId ? (
          <DrawerSlot
            slug={slug}
            engine={engine}
            taskId={taskId}
            tab={search.tab}
            onTab={(tab) => patch({ tab }, true)}
            onClose={close}
            onMove={move}
          />
        ) : null}
      </div>
      {ticked.size > 0 ? (
        <SelectionBar
          slug={slug}
          rows={rows.filter((row) => ticked.has(row.id))}
          onClear={() => setTicked(new Set())}
          isArchived={project.data?.is_active === false}
        />
      ) : null}
    </div>
  );
}

function splitTask(text: string | undefined): [string | null, string | null] {
  if (!text) return [null, null];
  const at = text.indexOf("/");
  return [text.slice(0, at), text.slice(at + 1)];
}

/** What the filter bar completes from: the queue and worker lists, and the names among the loaded rows. */
function useKnown(slug: string, rows: readonly ListRow[], enabled: boolean): Known {
  const queues = useQuery({ ...queuesQuery(slug), staleTime: 60_000, enabled });
  const workers = useQuery({ ...workersQuery(slug), staleTime: 60_000, enabled });
  return useMemo(
    () => ({
      queues: queues.data?.items ?? [],
      workers: workers.data?.items ?? [],
      names: [...new Set(rows.slice(0, 1_000).map((row) => row.name))].sort(),
    }),
    [queues.data, workers.data, rows],
  );
}
