import type { ProjectRole } from "@svc/client";
import { useId } from "react";
import controls from "../../ui/controls.module.css";
import css from "./members.module.css";
import { roles } from "./roles.ts";

/** A choice of role, each with a description. */
export function RoleField({ value, onChange }: { value: ProjectRole; onChange: (role: ProjectRole) => void }) {
  const name = useId();
  return (
    <fieldset className={css.roles}>
      <legend>Role</legend>
      {roles.map(({ role, means }) => (
        <label key={role}>
          <span className={controls.tick}>
            <input type="radio" name={name} checked={role === value} onChange={() => onChange(role)} />
          </span>
          <span>
            <b>{role}</b> <span className="t2">{means}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
