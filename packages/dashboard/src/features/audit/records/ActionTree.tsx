import { useState } from "react";
import { AppLink } from "../../../ui/buttons/AppLink.tsx";
import { Icon } from "../../../ui/Icon.tsx";
import { printable } from "../../../ui/time/format.ts";
import css from "../audit.module.css";
import { type ActionClass, actionTree } from "../labels.ts";

interface ActionTreeProps {
  /** The actions of the loaded rows. */
  seen: Iterable<string>;
  /** The current filter. */
  action: string;
  hrefOf: (action: string | undefined) => string;
}

/** The action classes of the loaded rows with their actions, as links that filter. */
export function ActionTree({ seen, action, hrefOf }: ActionTreeProps) {
  return (
    <nav className={`${css.tree} lg`} aria-label="Actions">
      <ul>
        <li>
          <AppLink href={hrefOf(undefined)} aria-current={action === "" ? "true" : undefined}>
            All actions
          </AppLink>
        </li>
        {actionTree(seen).map((one) => (
          <Branch key={one.prefix} one={one} action={action} hrefOf={hrefOf} />
        ))}
      </ul>
    </nav>
  );
}

function Branch({ one, action, hrefOf }: { one: ActionClass } & Omit<ActionTreeProps, "seen">) {
  const { prefix, name, actions } = one;
  const [wantsOpen, setOpen] = useState<boolean | null>(null);
  const isOpen = actions.length > 0 && (wantsOpen ?? action.startsWith(prefix));
  return (
    <li>
      <span className={css.branch}>
        {actions.length === 0 ? (
          <span className={css.noFold} />
        ) : (
          <button
            type="button"
            className={css.fold}
            aria-expanded={isOpen}
            aria-label={`Actions of ${printable(name)}`}
            onClick={() => setOpen(!isOpen)}
          >
            <Icon name={isOpen ? "caret" : "right"} />
          </button>
        )}
        <AppLink href={hrefOf(prefix)} aria-current={action === prefix ? "true" : undefined}>
          {printable(name)}
        </AppLink>
      </span>
      {isOpen ? (
        <ul>
          {actions.map((each) => (
            <li key={each}>
              <AppLink href={hrefOf(each)} aria-current={action === each ? "true" : undefined}>
                {printable(each.slice(prefix.length))}
              </AppLink>
            </li>
          ))}
        </ul>
      ) : null}
    </li>
  );
}
