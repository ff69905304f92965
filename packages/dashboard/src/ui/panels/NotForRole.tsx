import type { ReactNode } from "react";
import { Empty } from "./Lines.tsx";
import panel from "./panel.module.css";

interface NotForRoleProps {
  title: string;
  /** Where to go instead. */
  chips?: ReactNode;
  children: ReactNode;
}

/** Shown on a page that the user's role may not see. */
export function NotForRole({ title, chips, children }: NotForRoleProps) {
  return (
    <>
      <div className={panel.head}>
        <h1>{title}</h1>
      </div>
      <Empty title="Not for your role" chips={chips}>
        <p>{children}</p>
      </Empty>
    </>
  );
}
