import type { ReactNode } from "react";
import { paths } from "../../paths.ts";
import { adminPages } from "../../shell/pages.ts";
import { AppLink } from "../../ui/AppLink.tsx";
import { NotForRole } from "../../ui/NotForRole.tsx";
import panel from "../../ui/panel.module.css";
import { usePage } from "../../ui/title.ts";
import { useMe } from "../sessions/queries.ts";
import css from "./admin.module.css";

interface AdminFrameProps {
  title: string;
  /** Drawn for administrators of the instance only, so that nobody else asks for what they may not read. */
  children: () => ReactNode;
}

/** The head of a page about the instance, and the way to the others. */
export function AdminFrame({ title, children }: AdminFrameProps) {
  usePage([{ label: "Projects", href: paths.home() }, { label: title }]);
  const { is_admin: isAdmin } = useMe();
  if (!isAdmin) return <NotForRole title={title}>This page is for administrators of the instance.</NotForRole>;
  return (
    <>
      <div className={panel.head}>
        <h1>{title}</h1>
        <nav className={css.tabs} aria-label="Instance">
          {adminPages.map(({ id, label, href }) => (
            <AppLink key={id} href={href} aria-current={label === title ? "page" : undefined}>
              {label}
            </AppLink>
          ))}
        </nav>
      </div>
      {children()}
    </>
  );
}
