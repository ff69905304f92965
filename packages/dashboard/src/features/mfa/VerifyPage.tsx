import { plural } from "@svc/client";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { safeReturn } from "../../address/paths.ts";
import { queryClient } from "../../api/query-client.ts";
import { useGo } from "../../ui/buttons/AppLink.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import { Check } from "../../ui/buttons/Checkbox.tsx";
import { takeFocus } from "../../ui/layers/take-focus.ts";
import { EntryFrame, EntryNote, entryForm, entryKeep, entrySubmit, SignOutLink, useMe } from "../sessions/index.ts";
import { VerifyForm } from "./VerifyForm.tsx";

/** The second step of a sign-in. */
export function VerifyPage() {
  const { next } = useSearch({ from: "/login/mfa" });
  const go = useGo();
  const { email } = useMe();
  const [remembersDevice, setRemembers] = useState(false);
  const [codesLeft, setCodesLeft] = useState<number | null>(null);
  const proceed = () => {
    queryClient.clear();
    go(safeReturn(next), { replace: true });
  };
  if (codesLeft !== null) return <CodesLeft left={codesLeft} onContinue={proceed} />;
  return (
    <EntryFrame
      title="Confirm it's you"
      foot={
        <span>
          Signing in as <b>{email}</b> <SignOutLink />
        </span>
      }
    >
      <VerifyForm
        className={entryForm}
        buttonClass={entrySubmit}
        remembersDevice={remembersDevice}
        onVerified={({ used_recovery_code, remaining_recovery_codes }) => {
          if (used_recovery_code) setCodesLeft(remaining_recovery_codes);
          else proceed();
        }}
      >
        <Check
          className={entryKeep}
          checked={remembersDevice}
          onChange={(event) => setRemembers(event.currentTarget.checked)}
        >
          Trust this browser: don't ask for a code next time
        </Check>
      </VerifyForm>
    </EntryFrame>
  );
}

function CodesLeft({ left, onContinue }: { left: number; onContinue: () => void }) {
  return (
    <EntryFrame title="Signed in with a recovery code">
      <EntryNote icon="keys">
        {left === 0
          ? "That was your last recovery code. Create new ones under Security."
          : `${plural(left, "recovery code")} left. Create new ones or replace your authenticator app under Security.`}
      </EntryNote>
      <Button variant="main" className={entrySubmit} ref={takeFocus} onClick={onContinue}>
        Continue
      </Button>
    </EntryFrame>
  );
}
