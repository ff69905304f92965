import { isProblem } from "@svc/client";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { paths } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { forgetEntryToken, useEntryToken } from "../../api/entry-token.ts";
import { faultsByField } from "../../api/field-faults.ts";
import { queryClient } from "../../api/query-client.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import { ButtonLink } from "../../ui/buttons/Button.tsx";
import { ActForm } from "../../ui/forms/ActForm.tsx";
import { causeOf } from "../../ui/panels/Feedback.tsx";
import { InlineAlert } from "../../ui/panels/InlineAlert.tsx";
import { NewPassword } from "../account/index.ts";
import { EntryFrame, EntryNote, entryAside, entryForm, entrySubmit } from "../sessions/index.ts";

/** Where a mailed link leads: chooses a new password. */
export function ConfirmPage() {
  const token = useEntryToken("/reset/confirm");
  const [isDone, setDone] = useState(false);
  if (isDone) {
    return (
      <EntryFrame title="Your password is changed">
        <EntryNote icon="check">
          All sessions have ended and no device is trusted any more. A second factor stays as it was.
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
        This page needs the link of the mail, and forgets it when it is loaded anew. Open the link in the mail once
        more, or ask for another one.
      </NoLink>
    );
  }
  return (
    <ChoosePassword
      // Another link begins anew.
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
  const faults = faultsByField(confirm.error);
  // A link that was cut short on its way has a token that none can be.
  if (isProblem(confirm.error, "not_found") || faults.token !== undefined) {
    return (
      <NoLink title="This link does not work">
        It was used already, is older than 30 minutes or not complete, or your password was changed since. Ask for
        another one.
      </NoLink>
    );
  }
  const fault = faults.new_password;
  return (
    <EntryFrame title="Choose a new password">
      <ActForm error={confirm.error} className={entryForm} onSubmit={() => confirm.mutate()}>
        <NewPassword policy={null} value={password} onChange={setPassword} fault={fault} isFirst />
        {confirm.isError && fault === undefined ? (
          <InlineAlert>Not changed. {causeOf(confirm.error)}</InlineAlert>
        ) : null}
        <ActButton error={confirm.error} isBusy={confirm.isPending} className={entrySubmit}>
          {confirm.isPending ? "Changing" : "Change password"}
        </ActButton>
      </ActForm>
      <p className="t2">This ends all sessions of the account, here and elsewhere.</p>
    </EntryFrame>
  );
}

function NoLink({ title, children }: { title: string; children: string }) {
  return (
    <EntryFrame title={title}>
      <EntryNote icon="lock">{children}</EntryNote>
      <ButtonLink variant="main" className={entrySubmit} href={paths.reset()}>
        Ask for a link
      </ButtonLink>
      <div className={entryAside}>
        <ButtonLink variant="link" href={paths.login()}>
          Back to the sign-in
        </ButtonLink>
      </div>
    </EntryFrame>
  );
}
