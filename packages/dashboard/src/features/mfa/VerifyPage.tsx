import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { safeReturn } from "../../address/paths.ts";
import { queryClient } from "../../api/query-client.ts";
import { useGo } from "../../ui/buttons/AppLink.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import { Check } from "../../ui/buttons/Tick.tsx";
import { takeFocus } from "../../ui/layers/take-focus.ts";
import { count } from "../../ui/time/format.ts";
import { EntryFrame, EntryNote, entryForm, entryKeep, entrySubmit, SignOutLink, useMe } from "../sessions/index.ts";
import { VerifyForm } from "./VerifyForm.tsx";

/** The second step of a sign-in. */
export function VerifyPage() {
  const { next } = useSearch({ from: "/login/mfa" });
  const go = useGo();
  const { email } = useMe();
  const [remembersDevice, setRemembers] = useState(false);
  const [codesLeft, setCodesLeft] = useState<number | null>(null);
  const goOn = () => {
    queryClient.clear();
    go(safeReturn(next), { replace: true });
  };
  if (codesLeft !== null) return <CodesLeft left={codesLeft} onGoOn={goOn} />;
  return (
    <EntryFrame
      title="Confirm it is you"
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
          else goOn();
        }}
      >
        <Check
          className={entryKeep}
          checked={remembersDevice}
          onChange={(event) => setRemembers(event.currentTarget.checked)}
        >
          Remember this device: ask for no code at the next sign-ins here
        </Check>
      </VerifyForm>
    </EntryFrame>
  );
}

function CodesLeft({ left, onGoOn }: { left: number; onGoOn: () => void }) {
  return (
    <EntryFrame title="Signed in with a recovery code">
      <EntryNote icon="keys">
        {left === 0
          ? "That was the last one. Make new ones under Security before you need one again."
          : `${count(left)} recovery ${left === 1 ? "code is" : "codes are"} left. Under Security you can make new ones, or set up another app.`}
      </EntryNote>
      <Button variant="main" className={entrySubmit} ref={takeFocus} onClick={onGoOn}>
        Go on
      </Button>
    </EntryFrame>
  );
}
