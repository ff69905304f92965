import type { Me, ProfileChanges } from "@svc/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { errorsByField } from "../../api/field-errors.ts";
import { noticeSignedOut } from "../../api/query-client.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import { ActForm } from "../../ui/forms/ActForm.tsx";
import { Field } from "../../ui/forms/Field.tsx";
import { ZoneField } from "../../ui/forms/ZoneField.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { InlineAlert } from "../../ui/panels/InlineAlert.tsx";
import panel from "../../ui/panels/panel.module.css";
import { usePage } from "../../ui/title.ts";
import { meQuery, useMe } from "../sessions/index.ts";
import { AccountNav } from "./AccountNav.tsx";
import css from "./account.module.css";
import { Done } from "./Done.tsx";

const fields = [
  { name: "display_name", label: "Display name", hint: "Shown to other users.", autoComplete: "nickname" },
  { name: "first_name", label: "First name", autoComplete: "given-name" },
  { name: "last_name", label: "Last name", autoComplete: "family-name" },
] as const;
type Name = (typeof fields)[number]["name"];
type Typed = Record<Name | "timezone", string>;

const typedOf = (me: Me): Typed => ({
  display_name: me.display_name ?? "",
  first_name: me.first_name ?? "",
  last_name: me.last_name ?? "",
  timezone: me.timezone,
});

/** The fields that differ from the account. An empty name is sent as null. */
function changesOf(typed: Typed, me: Me): ProfileChanges {
  const before = typedOf(me);
  const changes: ProfileChanges = {};
  for (const { name } of fields) {
    if (typed[name].trim() !== before[name]) changes[name] = typed[name].trim() || null;
  }
  if (typed.timezone.trim() !== before.timezone) changes.timezone = typed.timezone.trim();
  return changes;
}

export function ProfilePage() {
  usePage([["Projects", paths.home()], ["Profile"]]);
  const client = useQueryClient();
  const me = useMe();
  const [typed, setTyped] = useState(() => typedOf(me));
  const changes = changesOf(typed, me);
  const isChanged = Object.keys(changes).length > 0;
  const save = useMutation({
    mutationFn: () => api.updateMe(changes),
    onSuccess: (user) => {
      const saved = { ...me, ...user };
      client.setQueryData(meQuery.queryKey, saved);
      setTyped(typedOf(saved));
    },
    onError: noticeSignedOut,
  });
  const errors = errorsByField(save.error);
  const change = (name: keyof Typed, value: string) => {
    setTyped({ ...typed, [name]: value });
    if (save.isSuccess) save.reset();
  };
  return (
    <>
      <div className={panel.head}>
        <h1>Profile</h1>
      </div>
      <AccountNav />
      <div className={panel.page}>
        <ActForm error={save.error} className={css.form} onSubmit={() => save.mutate()}>
          <Field
            label="Email"
            type="email"
            readOnly
            value={me.email}
            hint="Your email can't be changed. An administrator can create an account for another address."
          />
          {fields.map(({ name, label, autoComplete, ...more }) => (
            <Field
              key={name}
              {...more}
              label={label}
              autoComplete={autoComplete}
              maxLength={200}
              value={typed[name]}
              onChange={(event) => change(name, event.currentTarget.value)}
              error={errors[name] === undefined ? null : `This ${errors[name]}.`}
            />
          ))}
          <ZoneField
            value={typed.timezone}
            onChange={(zone) => change("timezone", zone)}
            hint="For example Europe/Berlin. Set the time zone for displayed times under Appearance."
            error={errors.timezone === undefined ? undefined : `This ${errors.timezone}.`}
          />
          {save.isError && Object.keys(errors).length === 0 ? (
            <InlineAlert>Not saved. {causeOf(save.error)}</InlineAlert>
          ) : null}
          <div className={css.acts}>
            <ActButton
              error={save.error}
              isBusy={save.isPending}
              reason={isChanged || save.isPending ? null : "No changes to save"}
            >
              {save.isPending ? "Saving…" : "Save changes"}
            </ActButton>
            <Done>{save.isSuccess ? "Saved." : null}</Done>
          </div>
        </ActForm>
      </div>
    </>
  );
}
