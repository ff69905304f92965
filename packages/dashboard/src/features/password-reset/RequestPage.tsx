import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import { ButtonLink } from "../../ui/buttons/Button.tsx";
import { ActForm } from "../../ui/forms/ActForm.tsx";
import { Field } from "../../ui/forms/Field.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { EntryFrame, EntryNote, entryAside, entryForm, entrySubmit } from "../sessions/index.ts";

/** Requests an email with a reset link. The answer does not reveal whether the account exists. */
export function RequestPage() {
  const [email, setEmail] = useState("");
  const request = useMutation({ mutationFn: () => api.requestPasswordReset({ email: email.trim() }) });
  const back = (
    <div className={entryAside}>
      <ButtonLink variant="link" href={paths.login()}>
        Back to sign-in
      </ButtonLink>
    </div>
  );
  if (request.isSuccess) {
    return (
      <EntryFrame title="Check your email">
        <EntryNote icon="check">
          If <b>{email.trim()}</b> has an account here, an email with a link is on its way. The link works once and
          expires in 30 minutes.
        </EntryNote>
        <p className="t2">
          Didn't get it? Check your spam folder. If this server can't send email, ask an administrator to reset your
          password.
        </p>
        {back}
      </EntryFrame>
    );
  }
  return (
    <EntryFrame title="Reset your password">
      <ActForm error={request.error} className={entryForm} onSubmit={() => request.mutate()}>
        <Field
          label="Email"
          name="email"
          type="email"
          autoComplete="username"
          required
          autoFocus
          maxLength={320}
          value={email}
          onChange={(event) => setEmail(event.currentTarget.value)}
          hint="We'll send you a link to choose a new password."
          error={request.isError ? causeOf(request.error) : null}
        />
        <ActButton error={request.error} isBusy={request.isPending} className={entrySubmit}>
          {request.isPending ? "Sending…" : "Send link"}
        </ActButton>
      </ActForm>
      {back}
    </EntryFrame>
  );
}
