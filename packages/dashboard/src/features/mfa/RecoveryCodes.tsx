import { useEffect, useState } from "react";
import { saveFile } from "../../save-file.ts";
import { ActButton } from "../../ui/buttons/ActButton.tsx";
import { Button } from "../../ui/buttons/Button.tsx";
import { Check } from "../../ui/buttons/Checkbox.tsx";
import { CopyButton } from "../../ui/buttons/CopyButton.tsx";
import controls from "../../ui/controls.module.css";
import css from "./mfa.module.css";

interface RecoveryCodesProps {
  codes: readonly string[];
  email: string;
  /** Called when the user confirms that the codes are saved, or withdraws that. */
  onStored?: (isStored: boolean) => void;
  onDone: () => void;
  buttonClass?: string | undefined;
}

/** Recovery codes, shown once, with three ways to save them. The user must confirm that they are saved before leaving. */
export function RecoveryCodes({ codes, email, onStored, onDone, buttonClass }: RecoveryCodesProps) {
  const [isStored, setStored] = useState(false);
  useEffect(() => {
    if (isStored) return;
    const asked = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener("beforeunload", asked);
    return () => removeEventListener("beforeunload", asked);
  }, [isStored]);
  const text = codes.join("\n");
  const file = `Recovery codes for ${email} at ${location.host}\nEach works once.\n\n${text}\n`;
  return (
    <div className={css.codesBox} data-print="">
      <p className={css.printed}>
        Recovery codes for <b>{email}</b> at <b>{location.host}</b>. Each works once.
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
        I've saved these codes
      </Check>
      <ActButton
        error={null}
        isBusy={false}
        reason={isStored ? null : "Save the codes first. They can't be shown again."}
        className={buttonClass}
        onAct={onDone}
      >
        Done
      </ActButton>
    </div>
  );
}
