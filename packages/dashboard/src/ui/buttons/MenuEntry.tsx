import type { ReactNode } from "react";
import { Icon } from "../Icon.tsx";
import { menuItem, menuReason } from "../layers/Layers.tsx";

interface MenuEntryProps {
  icon: string;
  onAct: () => void;
  /** Why it is disabled; shown instead of acting. */
  reason?: string | null;
  children: ReactNode;
}

/** An action in a row's menu. */
export function MenuEntry({ icon, onAct, reason = null, children }: MenuEntryProps) {
  return (
    <button
      type="button"
      data-entry=""
      {...(reason === null ? {} : { "data-stay": "" })}
      className={menuItem}
      aria-disabled={reason !== null}
      onClick={() => reason === null && onAct()}
    >
      <Icon name={icon} />
      <span className="grow">
        {children}
        {reason === null ? null : <span className={menuReason}>{reason}</span>}
      </span>
    </button>
  );
}
