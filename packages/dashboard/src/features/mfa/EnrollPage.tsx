import type { Me } from "@svc/client";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { safeReturn } from "../../address/paths.ts";
import { api } from "../../api/api.ts";
import { noticeSignedOut, queryClient } from "../../api/query-client.ts";
import { serverTimeAt } from "../../live/server-clock.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import { useGo } from "../../ui/buttons/AppLink.tsx";
import { Button, ButtonLink } from "../../ui/buttons/Button.tsx";
import { CopyButton } from "../../ui/buttons/CopyButton.tsx";
import { ActForm } from "../../ui/forms/ActForm.tsx";
import { takeFocus } from "../../ui/layers/take-focus.ts";
import { ErrorPanel, Skeleton } from "../../ui/panels/Feedback.tsx";
import { Stamp } from "../../ui/time/Stamp.tsx";
import { useNow } from "../../ui/time/ticker.ts";
import {
  EntryFrame,
  EntryNote,
  entryAside,
  entryForm,
  entrySubmit,
  isEnrollmentOverdue,
  SignOutLink,
  useMe,
} from "../sessions/index.ts";
import { CodeField } from "./CodeField.tsx";
import { codeFailure } from "./failures.ts";
import css from "./mfa.module.css";
import { QrCode } from "./QrCode.tsx";
import { enrollmentQuery, mfaStatusQuery } from "./queries.ts";
import { RecoveryCodes } from "./RecoveryCodes.tsx";

const steps = ["Scan", "Confirm", "Save codes"] as const;

/** Sets up an authenticator app in three steps. After the policy's deadline, no other page is accessible. */
export function EnrollPage() {
  const { next } = useSearch({ from: "/login/enroll" });
  const go = useGo();
  const me = useMe();
  const status = useQuery(mfaStatusQuery);
  // The deadline is fixed and may pass while the page is open; the estimate of the server's clock may move by a second.
  const [isOverdue, setOverdue] = useState(false);
  const now = useNow();
  if (!isOverdue && isEnrollmentOverdue(me, serverTimeAt(now))) setOverdue(true);
  const [step, setStep] = useState(0);
  const [codes, setCodes] = useState<readonly string[]>([]);
  const isReplacing = status.data?.enrolled === true && step < 2;
  const after = safeReturn(next);
  const leave = () => {
    queryClient.clear();
    go(after, { replace: true });
  };
  return (
    <EntryFrame
      title={isReplacing ? "Replace your authenticator app" : "Set up a second factor"}
      foot={
        <span>
          {me.email} <SignOutLink next={after} />
        </span>
      }
    >
      {step === 2 ? null : <Deadline me={me} isOverdue={isOverdue} />}
      <ol className={css.steps} aria-label="Steps">
        {steps.map((name, at) => (
          <li key={name} aria-current={at === step ? "step" : undefined} data-done={at < step ? "" : undefined}>
            {name}
            {at < step ? <span className="vh"> (done)</span> : null}
          </li>
        ))}
      </ol>
      {step === 0 ? <Scan isReplacing={isReplacing} onNext={() => setStep(1)} /> : null}
      {step === 1 ? (
        <Confirm
          onBack={() => setStep(0)}
          onConfirmed={(fresh) => {
            setCodes(fresh);
            setStep(2);
          }}
        />
      ) : null}
      {step === 2 ? (
        <>
          <p ref={takeFocus} className={css.said} tabIndex={-1}>
            Your app is set up. If you lose it, you can sign in with one of these codes; each works once. They won't be
            shown again.
          </p>
          <RecoveryCodes codes={codes} email={me.email} onDone={leave} buttonClass={entrySubmit} />
        </>
      ) : isOverdue ? null : (
        <div className={entryAside}>
          <ButtonLink variant="link" href={after}>
            Not now
          </ButtonLink>
        </div>
      )}
    </EntryFrame>
  );
}

function Deadline({ me, isOverdue }: { me: Me; isOverdue: boolean }) {
  if (!me.mfa_enrollment_required || !me.mfa_enrollment_deadline) return null;
  const day = <Stamp at={me.mfa_enrollment_deadline} to="minute" />;
  return (
    <EntryNote icon="lock">
      {isOverdue ? (
        <>This server requires a second factor. The deadline passed on {day}. Set one up to continue.</>
      ) : (
        <>This server requires a second factor from {day}.</>
      )}
    </EntryNote>
  );
}

function Scan({ isReplacing, onNext }: { isReplacing: boolean; onNext: () => void }) {
  const begun = useQuery(enrollmentQuery);
  if (begun.data === undefined) {
    return begun.isError ? (
      <ErrorPanel
        title="Couldn't start the setup"
        error={begun.error}
        onRetry={() => void begun.refetch().then(({ error }) => noticeSignedOut(error))}
      />
    ) : (
      <Skeleton rows={6} label="Loading the QR code" />
    );
  }
  const { secret_base32: secret, provisioning_url: url } = begun.data;
  return (
    <>
      <p ref={takeFocus} className={css.said} tabIndex={-1}>
        Scan this code with an authenticator app, such as your phone's password app.
      </p>
      {isReplacing ? (
        <p className="t2">
          Your current app and recovery codes work until you confirm the new app. Trusted browsers will need a code
          again.
        </p>
      ) : null}
      <QrCode text={url} label="QR code for the authenticator app" />
      <div>
        <p className="t2">Or type this key into the app:</p>
        <p className={css.secret}>
          <code>{secret.match(/.{1,4}/g)?.join(" ")}</code>
          <CopyButton text={secret} name="Copy the key" />
        </p>
      </div>
      <Button variant="main" className={entrySubmit} onClick={onNext}>
        Next: enter a code
      </Button>
    </>
  );
}

interface ConfirmProps {
  onBack: () => void;
  onConfirmed: (codes: readonly string[]) => void;
}

function Confirm({ onBack, onConfirmed }: ConfirmProps) {
  // Keeps the enrollment in the cache, so that going back shows the same code.
  useQuery({ ...enrollmentQuery, enabled: false });
  const [code, setCode] = useState("");
  const complete = useMutation({
    mutationFn: () => api.completeMfaEnrollment({ code: code.trim() }),
    onSuccess: ({ recovery_codes }) => onConfirmed(recovery_codes),
    onError: noticeSignedOut,
    gcTime: 0,
  });
  return (
    <ActForm error={complete.error} className={entryForm} onSubmit={() => complete.mutate()}>
      <CodeField
        value={code}
        onChange={setCode}
        hint="Shown in the app under svc. Changes every 30 seconds."
        error={complete.isError ? codeFailure(complete.error) : null}
      />
      <ActButton error={complete.error} isBusy={complete.isPending} className={entrySubmit}>
        {complete.isPending ? "Confirming…" : "Confirm"}
      </ActButton>
      <div className={entryAside}>
        <Button variant="link" onClick={onBack}>
          Back to the QR code
        </Button>
      </div>
    </ActForm>
  );
}
