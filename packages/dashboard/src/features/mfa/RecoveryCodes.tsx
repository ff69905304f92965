import { useEffect, useState } from "react";
import { saveFile } from "../../save-file.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import { CopyButton } from "../../ui/buttons/CopyButton.tsx";
import { Check } from "../../ui/buttons/Tick.tsx";
import controls from "../../ui/controls.module.css";
import css from "./mfa.module.css";

interface RecoveryCodesProps {
  codes: readonly string[];
  email: string;
  /** Told once they are said to be stored, and when that is taken back. */
  onStored?: (isStored: boolean) => void;
  onDone: () => void;
  buttonClass?: string | undefined;
}

/** The codes as they are shown this once, with three ways to keep them; they are not left before somebody says that they are kept. */
export function RecoveryCodes({ codes, email, onStored, onDone, buttonClass }: RecoveryCodesProps) {
  const [isStored, setStored] = useState(false);
  useEffect(() => {
    if (isStored) return;
    const asked = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", asked);
    return () => removeEventListener("beforeunload", asked);
  }, [isStored]);
  const text = codes.join("\n");
  const file = `Recovery codes of ${email} at ${location.host}\nEach works once.\n\n${text}\n`;
  return (
    <div className={css.codesBox} data-print="">
      <p className={css.printed}>
        Recovery codes of <b>{email}</b> at <b>{location.host}</b>. Each works once.
      </p>
      <ol className={css.codes} aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ol>
      <div className={css.acts}>
        <CopyButton text={text} label="Copy" />
        <Button
          variant="tool"
          icon="download"
          onClick={() => saveFile(new Blob([file], { type: "text/plain" }), "svc-recovery-codes.txt")}
        >
          Download
        </Button>
        <Button variant="tool" icon="open" onClick={() => print()}>
          Print
        </Button>
      </div>
      <Check
        className={`${controls.check} ${css.stored}`}
        checked={isStored}
        onChange={(event) => {
          setStored(event.currentTarget.checked);
          onStored?.(event.currentTarget.checked);
        }}
      >
        I have stored these codes
      </Check>
      <ActButton
        error={null}
        isBusy={false}
        reason={isStored ? null : "Store the codes first; they cannot be shown again"}
        className={buttonClass}
        onAct={onDone}
      >
        Done
      </ActButton>
    </div>
  );
}
