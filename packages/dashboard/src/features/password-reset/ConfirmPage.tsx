import { isProblem } from "@svc/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { forgetEntryToken, useEntryToken } from "../../api/entry-token.ts";
import { errorsByField } from "../../api/field-errors.ts";
import { queryClient } from "../../api/query-client.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import { ButtonLink } from "../../ui/buttons/Button.tsx";
import { ActForm } from "../../ui/forms/ActForm.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { InlineAlert } from "../../ui/panels/InlineAlert.tsx";
import { NewPassword } from "../account/index.ts";
import { EntryFrame, EntryNote, entryAside, entryForm, entrySubmit } from "../sessions/index.ts";

/** The page of a reset link: choose a new password. */
export function ConfirmPage() {
  const token = useEntryToken("/reset/confirm");
  const [isDone, setDone] = useState(false);
  if (isDone) {
    return (
      <EntryFrame title="Password changed">
        <EntryNote icon="check">
          All sessions have ended, trusted devices were removed, and API keys were revoked. Your second factor is
          unchanged.
        </EntryNote>
        <ButtonLink variant="main" className={entrySubmit} href={paths.login()}>
          Sign in
        </ButtonLink>
      </EntryFrame>
    );
  }
  if (token === null) {
    return (
      <NoLink title="Open the link again">
        This page needs the link from the email and forgets it on reload. Open the link again, or request a new one.
      </NoLink>
    );
  }
  return (
    <ChoosePassword
      // Resets the form for another link.
      key={token}
      token={token}
      onDone={() => {
        forgetEntryToken();
        queryClient.clear();
        setDone(true);
      }}
    />
  );
}

function ChoosePassword({ token, onDone }: { token: string; onDone: () => void }) {
  const [password, setPassword] = useState("");
  const confirm = useMutation({
    mutationFn: () => api.confirmPasswordReset({ token, new_password: password }),
    onSuccess: onDone,
    gcTime: 0,
  });
  const errors = errorsByField(confirm.error);
  // A truncated link has a malformed token.
  if (isProblem(confirm.error, "not_found") || errors.token !== undefined) {
    return (
      <NoLink title="This link is not valid">
        It is incomplete, was already used, has expired, or your password has changed since. Request a new one.
      </NoLink>
    );
  }
  const error = errors.new_password;
  return (
    <EntryFrame title="Choose a new password">
      <ActForm error={confirm.error} className={entryForm} onSubmit={() => confirm.mutate()}>
        <NewPassword policy={null} value={password} onChange={setPassword} error={error} isFirst />
        {confirm.isError && error === undefined ? (
          <InlineAlert>Not changed. {causeOf(confirm.error)}</InlineAlert>
        ) : null}
        <ActButton error={confirm.error} isBusy={confirm.isPending} className={entrySubmit}>
          {confirm.isPending ? "Changing…" : "Change password"}
        </ActButton>
      </ActForm>
      <p className="t2">This signs you out on all devices and revokes your API keys.</p>
    </EntryFrame>
  );
}

function NoLink({ title, children }: { title: string; children: string }) {
  return (
    <EntryFrame title={title}>
      <EntryNote icon="lock">{children}</EntryNote>
      <ButtonLink variant="main" className={entrySubmit} href={paths.reset()}>
        Request a link
      </ButtonLink>
      <div className={entryAside}>
        <ButtonLink variant="link" href={paths.login()}>
          Back to sign-in
        </ButtonLink>
      </div>
    </EntryFrame>
  );
}
