import { paths } from "../../paths.ts";
import { AppLink } from "../../ui/AppLink.tsx";
import css from "./settings.module.css";

const tabs = [
  { id: "general", label: "General", href: paths.general },
  { id: "members", label: "Members", href: paths.members },
] as const;

/** The pages of a project's settings. */
export function SettingsTabs({ slug, current }: { slug: string; current: (typeof tabs)[number]["id"] }) {
  return (
    <nav className={css.tabs} aria-label="Settings">
      {tabs.map(({ id, label, href }) => (
        <AppLink key={id} href={href(slug)} aria-current={id === current ? "page" : undefined}>
          {label}
        </AppLink>
      ))}
    </nav>
  );
}
