import type { ReactNode } from "react";
import { Empty } from "./Lines.tsx";
import panel from "./panel.module.css";

interface NotForRoleProps {
  title: string;
  /** Where to go instead. */
  chips?: ReactNode;
  children: ReactNode;
}

/** A page that the caller's role never sees, for who came by its address. */
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
