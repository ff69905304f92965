import { isProblem } from "@svc/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { errorsByField } from "../../api/field-errors.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import { ButtonLink } from "../../ui/buttons/Button.tsx";
import { ActForm } from "../../ui/forms/ActForm.tsx";
import { Field } from "../../ui/forms/Field.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { InlineAlert } from "../../ui/panels/InlineAlert.tsx";
import { NewPassword } from "../account/index.ts";
import { EntryNote, entryForm, entrySubmit } from "../sessions/index.ts";
import type { Invited } from "./invited.ts";

/** Accepts the invitation with a new account and signs in to it. */
export function Newcomer({ token, invitation, signedIn, onJoined, onChanged }: Invited) {
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [isMade, setMade] = useState(false);
  const accept = useMutation({
    mutationFn: async () => {
      const accepted = await api.acceptInvitation({ token, display_name: name.trim(), password });
      // The account exists from here on, whether or not the sign-in succeeds.
      setMade(true);
      await api.login({ email: invitation.email, password });
      return accepted;
    },
    onSuccess: ({ project_slug }) => onJoined(project_slug),
    onError: (error) => {
      if (isProblem(error, "conflict") && error.details.reason === "login_required") onChanged();
    },
    gcTime: 0,
  });
  if (isMade && accept.isError) {
    return (
      <>
        <EntryNote icon="check">Your account was created and you are a member. Sign in to continue.</EntryNote>
        <ButtonLink
          variant="main"
          className={entrySubmit}
          href={paths.login({ next: paths.project(invitation.project_slug) })}
        >
          Sign in
        </ButtonLink>
      </>
    );
  }
  const errors = errorsByField(accept.error);
  const isElsewhere = accept.isError && errors.display_name === undefined && errors.password === undefined;
  return (
    <ActForm error={accept.error} className={entryForm} onSubmit={() => accept.mutate()}>
      {signedIn === null ? null : (
        <p className="t2">
          You are signed in as <b>{signedIn}</b>. Accepting creates a new account and signs you in to it instead.
        </p>
      )}
      <Field label="Email" name="email" type="email" autoComplete="username" readOnly value={invitation.email} />
      <Field
        label="Your name"
        name="display_name"
        autoComplete="name"
        required
        maxLength={200}
        autoFocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
        error={errors.display_name === undefined ? null : `This ${errors.display_name}.`}
      />
      <NewPassword label="Password" policy={null} value={password} onChange={setPassword} error={errors.password} />
      {isElsewhere ? <InlineAlert>Not accepted. {causeOf(accept.error)}</InlineAlert> : null}
      <ActButton error={accept.error} isBusy={accept.isPending} className={entrySubmit}>
        {accept.isPending ? "Creating account…" : "Create account and join"}
      </ActButton>
    </ActForm>
  );
}
