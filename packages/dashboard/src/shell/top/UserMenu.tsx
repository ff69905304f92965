import type { Me } from "@svc/client";
import { useMutation } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { queryClient } from "../../api/query-client.ts";
import { roleIn, useMe } from "../../features/sessions/index.ts";
import { connection } from "../../live/live.ts";
import { densities, setDensity, toggleTheme, useDensity } from "../../ui/appearance.ts";
import { AppLink, useGo } from "../../ui/buttons/AppLink.tsx";
import { Icon } from "../../ui/Icon.tsx";
import { Menu, menuItem, menuLabel, menuRule } from "../../ui/layers/Layers.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { chooseZone, useZone } from "../../ui/time/instants.ts";
import { openKeys } from "../overlay.ts";
import { adminPages } from "../pages.ts";
import { forgetRecent } from "../rail/recent.ts";
import css from "./top.module.css";
import type { TopItemProps } from "./top-item.ts";

export function UserMenu({ hasProject }: TopItemProps) {
  const me = useMe();
  const go = useGo();
  const density = useDensity();
  const { choice } = useZone();
  const { slug } = useParams({ strict: false });
  const role = slug === undefined ? null : roleIn(me, slug);
  const name = me.display_name || me.email;

  const signOut = useMutation({
    mutationFn: () => api.logout(),
    onSuccess: () => {
      connection.follow(null);
      forgetRecent();
      queryClient.clear();
      go(paths.login());
    },
  });

  return (
    <Menu
      label="User menu"
      place={css.under}
      buttonClass={css.user}
      buttonLabel={`${initials(me)}, user menu of ${name}`}
      button={<span aria-hidden="true">{initials(me)}</span>}
    >
      <p className={menuLabel}>
        <b className="t1">{name}</b>
        <br />
        {me.is_admin ? "instance administrator" : (role ?? me.email)}
      </p>
      <hr className={menuRule} />
      <AppLink data-entry="" className={menuItem} href={paths.home()}>
        <Icon name="home" />
        All projects
      </AppLink>
      <AppLink data-entry="" className={menuItem} href={paths.profile()}>
        <Icon name="user" />
        Profile
      </AppLink>
      <AppLink data-entry="" className={menuItem} href={paths.security()}>
        <Icon name="lock" />
        Security
      </AppLink>
      <AppLink data-entry="" className={menuItem} href={paths.apiKeys()}>
        <Icon name="key" />
        API keys
      </AppLink>
      <AppLink data-entry="" className={menuItem} href={paths.activity()}>
        <Icon name="audit" />
        Activity
      </AppLink>
      <button type="button" data-entry="" data-stay="" className={menuItem} onClick={toggleTheme}>
        <Icon name="theme" />
        Switch theme
      </button>
      <AppLink data-entry="" className={menuItem} href={paths.appearance()}>
        <Icon name="settings" />
        Appearance
      </AppLink>
      <button type="button" data-entry="" className={`${menuItem} lg`} onClick={openKeys}>
        <Icon name="keys" />
        <span className="grow">Keyboard shortcuts</span>
        <kbd>?</kbd>
      </button>
      {me.is_admin ? (
        <>
          <hr className={menuRule} />
          <p className={menuLabel}>Instance</p>
          {adminPages.map((page) => (
            <AppLink key={page.id} data-entry="" className={menuItem} href={page.href}>
              <Icon name={page.icon} />
              {page.label}
            </AppLink>
          ))}
        </>
      ) : null}
      <hr className={menuRule} />
      <p className={menuLabel}>Density</p>
      {densities.map((one) => (
        <Choice key={one} word={one} isChosen={one === density} onChoose={() => setDensity(one)} />
      ))}
      <p className={menuLabel}>Times in</p>
      <Choice word="UTC" isChosen={choice === "utc"} onChoose={() => chooseZone("utc")} />
      <Choice word="this browser's zone" isChosen={choice === "mine"} onChoose={() => chooseZone("mine")} />
      {hasProject ? (
        <Choice word="the project's zone" isChosen={choice === "project"} onChoose={() => chooseZone("project")} />
      ) : null}
      <hr className={menuRule} />
      <button
        type="button"
        data-entry=""
        data-stay=""
        className={menuItem}
        onClick={() => signOut.mutate()}
        aria-disabled={signOut.isPending}
      >
        <Icon name="open" />
        Sign out
      </button>
      {signOut.isError ? (
        <p className={menuLabel} role="alert">
          Couldn't sign out. {causeOf(signOut.error)}
        </p>
      ) : null}
    </Menu>
  );
}

function Choice({ word, isChosen, onChoose }: { word: string; isChosen: boolean; onChoose: () => void }) {
  return (
    <button type="button" data-entry="" data-stay="" className={menuItem} aria-pressed={isChosen} onClick={onChoose}>
      <span className="grow">{word}</span>
      {isChosen ? <Icon name="check" /> : null}
    </button>
  );
}

function initials(me: Me): string {
  const words = (me.display_name || me.email).split(/[\s.@_-]+/).filter(Boolean);
  return `${words[0]?.[0] ?? "?"}${words[1]?.[0] ?? ""}`.toUpperCase();
}
