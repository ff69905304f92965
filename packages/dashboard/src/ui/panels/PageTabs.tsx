import { AppLink } from "../buttons/AppLink.tsx";
import css from "./page-tabs.module.css";

interface PageTabsProps {
  /** What the pages have in common: `Settings`. */
  label: string;
  pages: readonly { label: string; href: string }[];
  /** Address of the page on screen. */
  current: string;
}

/** From one page to the others that belong to the same thing. */
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
