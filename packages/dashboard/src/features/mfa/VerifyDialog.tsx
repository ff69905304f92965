import { type ReactNode, useState } from "react";
import type { Verification } from "../../api/second-factor-gate.ts";
import { Button } from "../../ui/buttons/Button.tsx";
import controls from "../../ui/controls.module.css";
import { DialogFoot } from "../../ui/layers/DialogFoot.tsx";
import { Dialog } from "../../ui/layers/Layers.tsx";
import { PasswordProofForm } from "./PasswordProofForm.tsx";
import { VerifyForm } from "./VerifyForm.tsx";

/** Asks for the password or a code in a dialog; afterwards the refused request is repeated. */
export function VerifyDialog({ asked }: { asked: Verification }) {
  const { settle } = asked;
  const methods: unknown[] = Array.isArray(asked.methods) ? asked.methods : ["code"];
  const takesPassword = methods.includes("password");
  const [isPassword, setPassword] = useState(takesPassword);
  const actions = (confirm: ReactNode) => <DialogFoot onLeave={() => settle(false)}>{confirm}</DialogFoot>;
  const other =
    takesPassword && methods.includes("code") ? (
      <Button variant="link" onClick={() => setPassword(!isPassword)}>
        {isPassword ? "Use a code instead" : "Use your password instead"}
      </Button>
    ) : null;
  const passed = () => settle(true);
  return (
    <Dialog title="Confirm it's you" onClose={() => settle(false)}>
      <p className="t2">
        {isPassword ? "Enter your password to continue." : "Enter a code from your authenticator app to continue."} Your
        request continues automatically.
      </p>
      {isPassword ? (
        <PasswordProofForm onProved={passed} actions={actions}>
          {other}
        </PasswordProofForm>
      ) : (
        <VerifyForm className={controls.rows} onVerified={passed} actions={actions}>
          {other}
        </VerifyForm>
      )}
    </Dialog>
  );
}
