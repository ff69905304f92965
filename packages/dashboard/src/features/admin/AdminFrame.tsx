import { useLocation } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { paths } from "../../address/paths.ts";
import { adminPages } from "../../shell/pages.ts";
import { NotForRole } from "../../ui/panels/NotForRole.tsx";
import { PageTabs } from "../../ui/panels/PageTabs.tsx";
import panel from "../../ui/panels/panel.module.css";
import { usePage } from "../../ui/title.ts";
import { useMe } from "../sessions/index.ts";

interface AdminFrameProps {
  title: string;
  /** Rendered for instance administrators only, so that other users send no requests that would be refused. */
  children: () => ReactNode;
}

/** The header of an instance page, with tabs for the others. */
export function AdminFrame({ title, children }: AdminFrameProps) {
  usePage([["Projects", paths.home()], [title]]);
  const { is_admin: isAdmin } = useMe();
  const pathname = useLocation({ select: (location) => location.pathname });
  if (!isAdmin) return <NotForRole title={title}>This page is for instance administrators.</NotForRole>;
  return (
    <>
      <div className={panel.head}>
        <h1>{title}</h1>
      </div>
      <PageTabs label="Instance" pages={adminPages} current={pathname} />
      {children()}
    </>
  );
}
