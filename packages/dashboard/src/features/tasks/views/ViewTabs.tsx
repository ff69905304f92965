import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { paths } from "../../../address/paths.ts";
import { useIsPhone } from "../../../ui/appearance.ts";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { Button } from "../../../ui/buttons/Button.tsx";
import { Icon } from "../../../ui/Icon.tsx";
import { useKeys } from "../../../ui/layers/keys.ts";
import { Menu, menuItem } from "../../../ui/layers/Layers.tsx";
import { Opening } from "../../../ui/layers/Opening.tsx";
import { printable } from "../../../ui/time/format.ts";
import { roleIn, useMe } from "../../sessions/index.ts";
import { activeFilters, savedViewsQuery, type TasksSearch } from "../../task-data/index.ts";
import css from "../list.module.css";
import { useReplaceView } from "./view-changes.ts";
import { type ListView, ownView, presets, searchFor, showsView, viewFilters } from "./views.ts";

const NameViewDialog = lazy(() => import("./ViewDialogs.tsx").then((part) => ({ default: part.NameViewDialog })));
const DeleteViewDialog = lazy(() => import("./ViewDialogs.tsx").then((part) => ({ default: part.DeleteViewDialog })));

interface Act {
  label: string;
  act: () => void;
  icon?: string;
}

type OpenDialog = "save as" | "rename" | "delete" | null;

interface ViewTabsProps {
  slug: string;
  search: TasksSearch;
  onGo: (search: TasksSearch) => void;
}

/** The preset views and the user's own, with actions on the current filters. */
export function ViewTabs({ slug, search, onGo }: ViewTabsProps) {
  const { data } = useQuery(savedViewsQuery(slug));
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const mayChange = roleIn(useMe(), slug) !== "auditor";
  const own = (data?.items ?? []).map(ownView);
  const views = [...presets, ...own];
  const current = own.find((view) => view.id === search.view);
  const isChanged = current !== undefined && !showsView(search, current);
  const isNamed = views.some((view) => showsView(search, view));
  const isPhone = useIsPhone();
  const replace = useReplaceView(slug, () => setDialog("save as"));
  const isCurrent = (view: ListView) =>
    view.id === null ? current === undefined && showsView(search, view) : view.id === current?.id;

  const isUnnamed = current === undefined && !isNamed && activeFilters(search).length > 0;
  const saving: Act[] = [];
  if (mayChange && current && isChanged) {
    saving.push({ label: "Save", act: () => replace.mutate({ view: current, filters: viewFilters(search) }) });
  }
  if (mayChange && (isChanged || isUnnamed)) {
    saving.push({ label: current ? "Save as" : "Save view", act: () => setDialog("save as") });
  }
  if (current && isChanged) saving.push({ label: "Reset", act: () => onGo(searchFor(current, search)) });
  const managing: Act[] =
    current && mayChange
      ? [
          { label: "Rename", act: () => setDialog("rename") },
          { label: "Delete", act: () => setDialog("delete"), icon: "trash" },
        ]
      : [];
  const inMenu = isPhone ? [...saving, ...managing] : managing;

  useKeys(Object.fromEntries(views.slice(0, 9).map((view, at) => [`${at + 1}`, () => onGo(searchFor(view, search))])));

  // With many views the current tab may be scrolled out of sight. An observer waits for the layout that the first rows
  // need anyway, instead of forcing another one.
  const nav = useRef<HTMLElement>(null);
  const shown = views.find(isCurrent)?.name;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once per current view
  useEffect(() => {
    const tab = nav.current?.querySelector("[aria-current]");
    if (!tab) return;
    const observer = new IntersectionObserver((seen) => {
      observer.disconnect();
      if (seen.some((entry) => entry.intersectionRatio < 1))
        tab.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
    observer.observe(tab);
    return () => observer.disconnect();
  }, [shown]);

  return (
    <>
      <nav ref={nav} className={css.tabs} aria-label="Views">
        {views.map((view) => (
          <AppLink
            key={view.id ?? view.name}
            href={paths.tasks(slug, searchFor(view, search))}
            aria-current={isCurrent(view) ? "true" : undefined}
          >
            {printable(view.name)}
            {isCurrent(view) && isChanged ? <span className="t2">{"\u00a0"}· changed</span> : null}
          </AppLink>
        ))}
      </nav>
      <span className={isPhone ? css.viewActs : `${css.viewActs} grow`}>
        {isPhone
          ? null
          : saving.map(({ label, act }) => (
              <Button variant="link" key={label} onClick={act}>
                {label}
              </Button>
            ))}
        {inMenu.length > 0 ? (
          <Menu
            label={current ? `View ${current.name}` : "View"}
            variant={isPhone ? "tool" : "icon"}
            buttonLabel={
              isPhone ? "Save or change the view" : `Rename or delete the view ${printable(current?.name ?? "")}`
            }
            button={<Icon name={isPhone ? "more" : "caret"} />}
          >
            {inMenu.map(({ label, act, icon }) => (
              <button key={label} type="button" data-entry="" className={menuItem} onClick={act}>
                {icon ? <Icon name={icon} /> : null}
                {label}
              </button>
            ))}
          </Menu>
        ) : null}
      </span>
      <Suspense fallback={<Opening onClose={() => setDialog(null)} />}>
        {dialog === "save as" ? (
          <NameViewDialog
            slug={slug}
            filters={viewFilters(search)}
            saveError={replace.error}
            onClose={() => {
              replace.reset();
              setDialog(null);
            }}
            onDone={(view) => onGo(searchFor(ownView(view), search))}
          />
        ) : null}
        {dialog === "rename" && current ? (
          <NameViewDialog
            slug={slug}
            view={current}
            filters={viewFilters(current.search)}
            onClose={() => setDialog(null)}
            onDone={() => setDialog(null)}
          />
        ) : null}
        {dialog === "delete" && current ? (
          <DeleteViewDialog
            slug={slug}
            view={current}
            onClose={() => setDialog(null)}
            onDone={() => {
              const { view: _, ...rest } = search;
              onGo(rest);
            }}
          />
        ) : null}
      </Suspense>
    </>
  );
}
