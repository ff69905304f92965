import { useSyncExternalStore } from "react";
import { AppLink } from "../../ui/buttons/AppLink.tsx";
import { Segments } from "../../ui/buttons/Segments.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { hasCommandKey } from "../../ui/layers/keys.ts";
import { printable } from "../../ui/time/format.ts";
import { chooseZone, useZone } from "../../ui/time/instants.ts";
import { crumbs } from "../../ui/title.ts";
import { openPalette } from "../overlay.ts";
import { TimeRangeControl } from "./TimeRangeControl.tsx";
import css from "./top.module.css";
import { topItems } from "./top-items.ts";
import { zoneOptions } from "./zones.ts";

export function TopBar({ slug }: { slug?: string }) {
  const { choice } = useZone();
  return (
    <header className={css.top}>
      <Crumbs />
      <button
        type="button"
        className={css.jump}
        aria-haspopup="dialog"
        title={`Find or go to (${hasCommandKey ? "⌘" : "Ctrl"} K)`}
        onClick={openPalette}
      >
        <Icon name="search" />
        <span className="grow">Find or go to</span>
        <kbd>{hasCommandKey ? "⌘ K" : "Ctrl K"}</kbd>
      </button>
      {slug === undefined ? null : <TimeRangeControl />}
      <Segments
        className={`${css.zone} lg`}
        legend="Time zone"
        value={choice}
        options={slug === undefined ? zoneOptions.slice(0, 2) : zoneOptions}
        onChange={chooseZone}
      />
      {topItems.map(({ id, Item }) => (
        <Item key={id} hasProject={slug !== undefined} />
      ))}
    </header>
  );
}

function Crumbs() {
  const trail = useSyncExternalStore(crumbs.subscribe, crumbs.get);
  return (
    <nav className={css.crumbs} aria-label="Breadcrumb">
      <ol>
        {trail.map(([label, href], at) => (
          <li key={href ?? label}>
            {href && at < trail.length - 1 ? (
              <AppLink href={href}>{printable(label)}</AppLink>
            ) : (
              <span aria-current="page">{printable(label)}</span>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}
