import type { ReactNode } from "react";
import { Empty } from "./Feedback.tsx";
import panel from "./panel.module.css";

/** A page that the caller's role never sees, for who came by its address. */
export function NotForRole({ title, children }: { title: string; children: ReactNode }) {
  return (
    <>
      <div className={panel.head}>
        <h1>{title}</h1>
      </div>
      <Empty title="This page is not for your role">
        <p>{children}</p>
      </Empty>
    </>
  );
}
