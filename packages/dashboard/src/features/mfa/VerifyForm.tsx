import type { MfaVerified } from "@svc/client";
import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api } from "../../api/api.ts";
import { noticeSignedOut } from "../../api/query-client.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import { ActForm } from "../../ui/forms/ActForm.tsx";
import { entryAside } from "../sessions/index.ts";
import { CodeField } from "./CodeField.tsx";
import { codeFailure } from "./failures.ts";

interface VerifyFormProps {
  className?: string | undefined;
  /** Rendered between the field and the button. */
  children?: ReactNode;
  /** Whether to trust this browser from now on. */
  remembersDevice?: boolean;
  onVerified: (verified: MfaVerified) => void;
  /** Places the submit button. */
  actions?: (confirm: ReactNode) => ReactNode;
  buttonClass?: string | undefined;
}

/** A field for a code of the app or, on request, a recovery code. */
export function VerifyForm(props: VerifyFormProps) {
  const [code, setCode] = useState("");
  const [isRecovery, setRecovery] = useState(false);
  const verify = useMutation({
    mutationFn: () =>
      api.verifyMfa({ code: code.trim(), ...(props.remembersDevice === true && { remember_device: true }) }),
    onSuccess: props.onVerified,
    onError: noticeSignedOut,
  });
  const confirm = (
    <ActButton error={verify.error} isBusy={verify.isPending} className={props.buttonClass}>
      {verify.isPending ? "Confirming…" : "Confirm"}
    </ActButton>
  );
  return (
    <ActForm error={verify.error} className={props.className} onSubmit={() => verify.mutate()}>
      <CodeField
        // Remounted for the other kind of code, to switch the keyboard and move the focus.
        key={String(isRecovery)}
        isRecovery={isRecovery}
        value={code}
        onChange={setCode}
        error={verify.isError ? codeFailure(verify.error) : null}
      />
      {props.children}
      {props.actions === undefined ? confirm : null}
      <div className={entryAside}>
        <Button
          variant="link"
          onClick={() => {
            setRecovery(!isRecovery);
            setCode("");
            verify.reset();
          }}
        >
          {isRecovery ? "Use your authenticator app" : "Use a recovery code instead"}
        </Button>
      </div>
      {props.actions?.(confirm)}
    </ActForm>
  );
}
