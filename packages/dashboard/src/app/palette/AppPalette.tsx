import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useLocation, useParams, useSearch } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";
import { paths } from "../../address/paths.ts";
import { projectsQuery } from "../../features/projects/index.ts";
import { useMe } from "../../features/sessions/index.ts";
import { splitTask, taskKey, taskQuery } from "../../features/task-data/index.ts";
import { copiesOf } from "../../features/tasks/index.ts";
import { connection, useIsPaused } from "../../live/live.ts";
import { type Entry, mayBeTaskId } from "../../palette/entries.ts";
import { Palette } from "../../palette/Palette.tsx";
import { type OverlayProps, openKeys, openNewProject } from "../../shell/overlay.ts";
import { adminPages, samePageIn } from "../../shell/pages.ts";
import { recent } from "../../shell/rail/recent.ts";
import { useProjectPages } from "../../shell/shell-parts.ts";
import { contrastSetting, densities, setDensity, themeSetting, toggleRail } from "../../ui/appearance.ts";
import { useGo } from "../../ui/buttons/AppLink.tsx";
import { copyText } from "../../ui/buttons/CopyButton.tsx";
import { idTail, nameText, printable } from "../../ui/time/format.ts";
import { chooseZone } from "../../ui/time/instants.ts";
import { taskByIdQuery } from "./task-by-id.ts";
import { useActEntries } from "./use-act-entries.ts";
import { useFoundEntries } from "./use-found-entries.ts";

/** The palette with the entries of the features and the shell. */
export function AppPalette(props: OverlayProps) {
  return <Palette {...props} useEntries={useEntries} />;
}

function useEntries(slug: string | null, typed: string, settled: string, isPasted: boolean) {
  const goTo = useGo();
  const pathname = useLocation({ select: (location) => location.pathname });
  const projects = useQuery(projectsQuery);
  const { tasks: lately } = useSyncExternalStore(recent.subscribe, recent.get);
  const isPaused = useIsPaused();
  const found = useQuery({
    ...taskByIdQuery(slug ?? "", settled),
    enabled: slug !== null && mayBeTaskId(settled, isPasted),
  });
  const go = (href: string) => () => goTo(href);
  const projectPages = useProjectPages(slug ?? "");
  const { is_admin: isAdmin } = useMe();

  const exact = (settled === typed ? (found.data ?? []) : []).map(
    (task): Entry => ({
      id: `task ${slug} ${task.engine} ${task.task_id}`,
      group: "Task with this id",
      label: nameText(task.name),
      detail: `${printable(task.task_id)}, ${task.engine}, ${task.state}`,
      icon: "tasks",
      run: go(paths.task(slug ?? "", task.engine, taskKey(task))),
    }),
  );
  const recentTasks = lately.map(
    (task): Entry => ({
      id: `task ${task.slug} ${task.engine} ${task.taskId}`,
      group: "Tasks",
      label: nameText(task.name),
      detail: `${idTail(task.taskId)}, ${task.slug === slug ? task.engine : `${task.slug}, ${task.engine}`}`,
      also: `${task.taskId} recent`,
      icon: "tasks",
      run: go(paths.task(task.slug, task.engine, task.taskId)),
    }),
  );
  const pages = (slug === null ? [] : projectPages).map(
    (page): Entry => ({
      id: `page ${page.id}`,
      group: "Pages",
      label: page.label,
      icon: page.icon,
      keys: `g ${page.key}`,
      run: go(page.href(slug ?? "")),
    }),
  );
  const others = (projects.data ?? [])
    .filter((project) => project.slug !== slug)
    .map(
      (project): Entry => ({
        id: `project ${project.id}`,
        group: "Projects",
        label: printable(project.name),
        detail: printable(project.environment),
        also: project.slug,
        icon: "open",
        run: go(samePageIn(project.slug, pathname)),
      }),
    );
  const isExact = new Set(exact.map(({ id }) => id));
  const { entries: named, isLoading, isPartial } = useFoundEntries(slug, typed, go);
  const entries = [
    ...exact,
    ...useActEntries(slug),
    ...useTaskEntries(slug),
    ...recentTasks.filter(({ id }) => !isExact.has(id)),
    ...(slug === null || typed === "" ? [] : [findEntry(slug, typed, go)]),
    ...named,
    ...pages,
    ...(slug === null ? [] : [membersEntry(slug, go), ...scheduleEntries(slug, go)]),
    homeEntry(go),
    ...ownEntries(go),
    ...(isAdmin ? adminEntries(go) : []),
    ...others,
    ...(isAdmin ? [newProjectEntry] : []),
    ...actions(go, { isPaused, hasProject: slug !== null }),
  ];
  return { entries, note: isLoading ? "Loading more results…" : isPartial ? "Some results couldn't be loaded." : "" };
}

/** Texts to copy from the open task, on its page or in the drawer. */
function useTaskEntries(slug: string | null): Entry[] {
  const client = useQueryClient();
  const params = useParams({ strict: false });
  const { task: named } = useSearch({ strict: false }) as { task?: string };
  const [engine, taskId] = params.taskId === undefined ? splitTask(named) : [params.engine, params.taskId];
  if (slug === null || !engine || !taskId) return [];
  const task = client.getQueryData(taskQuery(slug, engine, taskId).queryKey) ?? undefined;
  const entry = (label: string, text: () => string, keys?: string): Entry => ({
    id: `this task ${label}`,
    group: "This task",
    label,
    detail: idTail(taskId),
    icon: "copy",
    also: "clipboard curl json",
    ...(keys === undefined ? {} : { keys }),
    run: () => void copyText(text()),
  });
  return [
    entry("Copy id", () => taskId, "y"),
    ...copiesOf(slug, engine, taskId, task).map(({ label, text }) => entry(label, text)),
  ];
}

type Go = (href: string) => () => void;

const homeEntry = (go: Go): Entry => ({
  id: "page home",
  group: "Pages",
  label: "All projects",
  also: "home start",
  icon: "home",
  run: go(paths.home()),
});

const ownPages = [
  { id: "profile", label: "Profile", also: "account name time zone me", icon: "user", href: paths.profile() },
  {
    id: "security",
    label: "Security",
    also: "account password second factor mfa recovery codes sessions trusted devices me",
    icon: "lock",
    href: paths.security(),
  },
  { id: "api keys", label: "API keys", also: "account tokens scopes scripts me", icon: "key", href: paths.apiKeys() },
  { id: "activity", label: "Activity", also: "audit feed events record", icon: "audit", href: paths.activity() },
];

const ownEntries = (go: Go): Entry[] =>
  ownPages.map(({ href, ...page }) => ({ ...page, id: `page ${page.id}`, group: "Pages", run: go(href) }));

const membersEntry = (slug: string, go: Go): Entry => ({
  id: "page members",
  group: "Pages",
  label: "Members",
  also: "invite invitations roles people settings",
  icon: "users",
  run: go(paths.members(slug)),
});

const scheduleEntries = (slug: string, go: Go): Entry[] => [
  {
    id: "page misfires",
    group: "Pages",
    label: "Misfires",
    also: "schedules missed late",
    icon: "schedules",
    run: go(paths.misfires(slug)),
  },
  {
    id: "page forecast",
    group: "Pages",
    label: "Forecast of schedules",
    also: "next runs collisions upcoming",
    icon: "schedules",
    run: go(paths.forecast(slug)),
  },
  {
    id: "page new schedule",
    group: "Pages",
    label: "New schedule",
    also: "create cron interval",
    icon: "plus",
    run: go(paths.newSchedule(slug)),
  },
];

const adminEntries = (go: Go): Entry[] =>
  adminPages.map(({ id, label, icon, href, also }) => ({
    id: `page admin ${id}`,
    group: "Pages",
    label,
    detail: "instance",
    also,
    icon,
    run: go(href),
  }));

const newProjectEntry: Entry = {
  id: "action create project",
  group: "Actions",
  label: "Create project",
  also: "new",
  icon: "plus",
  run: openNewProject,
};

/** Searches for the text in the project's tasks. */
function findEntry(slug: string, typed: string, go: Go): Entry {
  return {
    id: "find",
    group: "Tasks",
    label: `Find “${printable(typed)}” in the task list`,
    icon: "search",
    run: go(paths.tasks(slug, { search: typed })),
  };
}

function actions(go: Go, { isPaused, hasProject }: { isPaused: boolean; hasProject: boolean }): Entry[] {
  const action = (label: string, icon: string, run: () => void, more: Partial<Entry> = {}): Entry => ({
    id: `action ${label}`,
    group: "Actions",
    label,
    icon,
    run,
    ...more,
  });
  return [
    action("Dark theme", "theme", () => themeSetting.set("dark"), { also: "appearance look" }),
    action("Light theme", "theme", () => themeSetting.set("light"), { also: "appearance look" }),
    action("System theme", "theme", () => themeSetting.set("system"), { also: "appearance look dark light" }),
    action("Increase contrast", "theme", () => contrastSetting.set("more"), { also: "appearance look" }),
    ...densities.map((density) =>
      action(`Density: ${density}`, "density", () => setDensity(density), { also: "rows height appearance" }),
    ),
    action("Show times in UTC", "schedules", () => chooseZone("utc"), { also: "zone" }),
    action("Show times in this browser's zone", "schedules", () => chooseZone("mine"), { also: "mine local" }),
    ...(hasProject
      ? [
          action("Show times in the project's zone", "schedules", () => chooseZone("project")),
          action("Collapse or expand the sidebar", "rail", toggleRail, { keys: "[" }),
        ]
      : []),
    action(
      isPaused ? "Resume updates" : "Pause updates",
      isPaused ? "play" : "pause",
      () => connection.setPaused(!isPaused),
      { keys: "L", also: "live stop everything" },
    ),
    action("Keyboard shortcuts", "keys", openKeys, { keys: "?", also: "keys help" }),
    action("Appearance", "settings", go(paths.appearance()), { also: "theme density zone shortcuts settings" }),
  ];
}
