import { AppLink } from "../buttons/AppLink.tsx";
import css from "./page-tabs.module.css";

interface PageTabsProps {
  /** The common name of the pages, such as `Settings`. */
  label: string;
  pages: readonly { label: string; href: string }[];
  /** The current page's path. */
  current: string;
}

/** Tabs between related pages. */
export function PageTabs({ label, pages, current }: PageTabsProps) {
  return (
    <nav className={css.tabs} aria-label={label}>
      {pages.map((page) => (
        <AppLink key={page.href} href={page.href} aria-current={page.href === current ? "page" : undefined}>
          {page.label}
        </AppLink>
      ))}
    </nav>
  );
}
