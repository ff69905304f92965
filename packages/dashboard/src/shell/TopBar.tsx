import { useSyncExternalStore } from "react";
import { AppLink } from "../ui/AppLink.tsx";
import { toggleTheme } from "../ui/appearance.ts";
import controls from "../ui/controls.module.css";
import { printable } from "../ui/format.ts";
import { Icon } from "../ui/Icon.tsx";
import { chooseZone, useZone, type ZoneChoice } from "../ui/instants.ts";
import { Segments } from "../ui/Segments.tsx";
import { crumbs } from "../ui/title.ts";
import { ConnectionChip } from "./ConnectionChip.tsx";
import css from "./shell.module.css";
import { TimeRangeControl } from "./TimeRangeControl.tsx";
import { UserMenu } from "./UserMenu.tsx";

const zoneOptions: readonly { value: ZoneChoice; label: string; title: string }[] = [
  { value: "utc", label: "UTC", title: "Times in UTC" },
  { value: "mine", label: "mine", title: "Times in this browser's zone" },
  { value: "project", label: "project", title: "Times in the project's zone" },
];

export function TopBar({ slug }: { slug?: string }) {
  const { choice } = useZone();
  return (
    <header className={css.top}>
      <Crumbs />
      {slug === undefined ? null : <TimeRangeControl />}
      <Segments
        className="lg"
        legend="Time zone"
        value={choice}
        options={slug === undefined ? zoneOptions.slice(0, 2) : zoneOptions}
        onChange={chooseZone}
      />
      <ConnectionChip />
      <button
        type="button"
        className={`${controls.ib} lg`}
        aria-label="Switch light or dark"
        title="Switch light or dark"
        onClick={toggleTheme}
      >
        <Icon name="theme" />
      </button>
      <UserMenu hasProject={slug !== undefined} />
    </header>
  );
}

function Crumbs() {
  const trail = useSyncExternalStore(crumbs.subscribe, crumbs.get);
  return (
    <nav className={css.crumbs} aria-label="Breadcrumb">
      <ol>
        {trail.map((crumb, at) => (
          <li key={crumb.href ?? crumb.label}>
            {crumb.href && at < trail.length - 1 ? (
              <AppLink href={crumb.href}>{printable(crumb.label)}</AppLink>
            ) : (
              <span aria-current="page">{printable(crumb.label)}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
