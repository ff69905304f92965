import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { errorsByField } from "../../../api/field-errors.ts";
import { noticeSignedOut } from "../../../api/query-client.ts";
import { Field } from "../../../ui/forms/Field.tsx";
import { FormDialog } from "../../../ui/forms/FormDialog.tsx";
import { CodeField, codeFailure, mfaStatusQuery, trustedDevicesQuery, wrongPassword } from "../../mfa/index.ts";
import { meQuery } from "../../sessions/index.ts";

export function DisableFactorDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [password, setPassword] = useState("");
  const [code, setCode] = useState("");
  return (
    <FormDialog
      title="Disable second factor"
      act="Disable second factor"
      isDanger
      send={() => api.disableMfa({ password, code: code.trim() })}
      onDone={() => {
        for (const { queryKey } of [mfaStatusQuery, trustedDevicesQuery, meQuery]) {
          void client.invalidateQueries({ queryKey });
        }
      }}
      onError={noticeSignedOut}
      errorsOf={(error) =>
        errorsByField(error).password === undefined ? { code: codeFailure(error) } : { password: wrongPassword }
      }
      onClose={onClose}
    >
      {(errors) => (
        <>
          <p>
            Signing in will need only your password. Recovery codes and trusted devices are removed too. If this server
            requires a second factor, you'll have to set up a new one.
          </p>
          <Field
            label="Password"
            name="password"
            type="password"
            autoComplete="current-password"
            required
            maxLength={256}
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={errors.password}
          />
          <CodeField
            isFirst={false}
            value={code}
            onChange={setCode}
            hint="From the authenticator app. Recovery codes don't work here."
            error={errors.code ?? null}
          />
        </>
      )}
    </FormDialog>
  );
}
