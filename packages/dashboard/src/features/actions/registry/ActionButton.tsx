import type { ReactNode } from "react";
import { Button } from "../../../ui/buttons/Button.tsx";
import { MenuEntry } from "../../../ui/buttons/MenuEntry.tsx";
import { useWhyNot } from "../requests/use-act.ts";
import { type Action, ask } from "./action.ts";

interface ActionProps<Subject> {
  slug: string;
  action: Action<Subject>;
  subject: Subject;
}

/** Disabled with the reason while the action is not possible. `children` replace the label of the action. */
export function ActionButton<Subject>({
  slug,
  action,
  subject,
  variant,
  children = action.label,
}: ActionProps<Subject> & { variant?: "main"; children?: ReactNode }) {
  const reason = useWhyNot(slug, action, subject);
  return (
    <Button variant={variant} disabledReason={reason} onClick={() => ask(action, subject)} icon={action.icon}>
      {children}
    </Button>
  );
}

/** The same in a menu. */
export function ActionEntry<Subject>({ slug, action, subject }: ActionProps<Subject>) {
  const reason = useWhyNot(slug, action, subject);
  return (
    <MenuEntry icon={action.icon ?? ""} reason={reason} onAct={() => ask(action, subject)}>
      {action.label}
    </MenuEntry>
  );
}
