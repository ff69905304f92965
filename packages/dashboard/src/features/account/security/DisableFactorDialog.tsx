import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { faultsByField } from "../../../api/field-faults.ts";
import { noticeSignedOut } from "../../../api/query-client.ts";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import controls from "../../../ui/controls.module.css";
import { ActForm } from "../../../ui/forms/ActForm.tsx";
import { Field } from "../../../ui/forms/Field.tsx";
import { DialogFoot } from "../../../ui/layers/DialogFoot.tsx";
import { Dialog } from "../../../ui/layers/Layers.tsx";
import { CodeField, codeFailure, mfaStatusQuery, trustedDevicesQuery } from "../../mfa/index.ts";
import { meQuery } from "../../sessions/index.ts";

export function DisableFactorDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  const disable = useMutation({
    mutationFn: () => api.disableMfa({ password, code: code.trim() }),
    onSuccess: () => {
      for (const { queryKey } of [mfaStatusQuery, trustedDevicesQuery, meQuery]) {
        void client.invalidateQueries({ queryKey });
      }
      onClose();
    },
    onError: noticeSignedOut,
    gcTime: 0,
  });
  const isPassword = faultsByField(disable.error).password !== undefined;
  return (
    <Dialog title="Disable the second factor" onClose={onClose}>
      <p>
        From then on your password alone lets somebody in. Recovery codes and trusted devices go as well. A server that
        asks for a second factor will ask for a new one.
      </p>
      <ActForm error={disable.error} className={controls.rows} onSubmit={() => disable.mutate()}>
        <Field
          label="Password"
          name="password"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          maxLength={256}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={isPassword ? "This is not your password. Too many wrong ones lock the account for a while." : null}
        />
        <CodeField
          isFirst={false}
          value={code}
          onChange={setCode}
          hint="Of the authenticator app; a recovery code does not do here."
          error={disable.isError && !isPassword ? codeFailure(disable.error) : null}
        />
        <DialogFoot leave="Keep it" onLeave={onClose}>
          <ActButton isDanger error={disable.error} isBusy={disable.isPending}>
            Disable it
          </ActButton>
        </DialogFoot>
      </ActForm>
    </Dialog>
  );
}
