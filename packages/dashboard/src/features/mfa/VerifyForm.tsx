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
  /** Between the field and the button. */
  children?: ReactNode;
  /** Whether to trust this browser from now on. */
  remembersDevice?: boolean;
  onVerified: (verified: MfaVerified) => void;
  /** Where the button stands. */
  actions?: (confirm: ReactNode) => ReactNode;
  buttonClass?: string | undefined;
}

/** One field for a code of the app or, after a click, a recovery code; the server takes either. */
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
      {verify.isPending ? "Confirming" : "Confirm"}
    </ActButton>
  );
  return (
    <ActForm error={verify.error} className={props.className} onSubmit={() => verify.mutate()}>
      <CodeField
        // The field of the other kind has another keyboard, and the focus.
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
          {isRecovery ? "Use the code of the app" : "Use a recovery code instead"}
        </Button>
      </div>
      {props.actions?.(confirm)}
    </ActForm>
  );
}
