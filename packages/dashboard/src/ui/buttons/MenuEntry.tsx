import type { ReactNode } from "react";
import { Icon } from "../Icon.tsx";
import { menuItem, menuReason } from "../layers/Layers.tsx";

interface MenuEntryProps {
  icon: string;
  onAct: () => void;
  /** Why it cannot be done; it then says so and does nothing. */
  reason?: string | null;
  children: ReactNode;
}

/** What can be done with the row that a menu belongs to. */
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
