import type { ScopeCatalogue } from "@svc/client";
import { Check } from "../../../ui/buttons/Checkbox.tsx";
import controls from "../../../ui/controls.module.css";
import { Glyph } from "../../../ui/Icon.tsx";
import css from "./api-keys.module.css";
import { groupScopes, isIncluded } from "./scopes.ts";

interface ScopesFieldProps {
  catalogue: ScopeCatalogue;
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
  isAdmin: boolean;
  error?: string | undefined;
}

/** The scopes of a key, grouped by resource. */
export function ScopesField({ catalogue, chosen, onChange, isAdmin, error }: ScopesFieldProps) {
  const toggle = (scope: string) => {
    const next = new Set(chosen);
    if (!next.delete(scope)) next.add(scope);
    onChange(next);
  };
  return (
    <fieldset className={css.scopes} aria-describedby={isAdmin ? undefined : "scopes-admin"}>
      <legend>Scopes, limited by your own access</legend>
      {error === undefined ? null : (
        <p className={controls.err} data-alert="" tabIndex={-1}>
          <Glyph name="failure" />
          {error}
        </p>
      )}
      {isAdmin ? null : (
        <p className={controls.hint} id="scopes-admin">
          Only instance administrators can grant unchecked scopes with a dashed border.
        </p>
      )}
      <dl>
        {groupScopes(catalogue.scopes).map(({ noun, title, text, scopes }) => (
          <div key={noun}>
            <dt>
              <b>{title}</b>
              <span className="t2">{text}</span>
            </dt>
            <dd>
              {scopes.map((scope) => (
                <ScopeTick
                  key={scope}
                  scope={scope}
                  isChosen={chosen.has(scope)}
                  isIncluded={isIncluded(scope, chosen)}
                  isRefused={!isAdmin && catalogue.admin_only.includes(scope)}
                  onToggle={() => toggle(scope)}
                />
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </fieldset>
  );
}

interface ScopeTickProps {
  scope: string;
  isChosen: boolean;
  /** Another selected scope includes it. */
  isIncluded: boolean;
  /** The user may not grant it. */
  isRefused: boolean;
  onToggle: () => void;
}

function ScopeTick({ scope, isChosen, isIncluded, isRefused, onToggle }: ScopeTickProps) {
  const isFixed = isIncluded || isRefused;
  const verb = scope.split(":")[1] ?? scope;
  const reason = isRefused
    ? "Only instance administrators can grant this"
    : isIncluded
      ? "Included in another selected scope"
      : undefined;
  return (
    <Check
      title={reason}
      checked={isChosen || isIncluded}
      aria-disabled={isFixed}
      aria-label={reason === undefined ? scope : `${scope}. ${reason}`}
      onChange={() => {
        if (!isFixed) onToggle();
      }}
    >
      {verb === "*" ? "all" : verb}
    </Check>
  );
}
