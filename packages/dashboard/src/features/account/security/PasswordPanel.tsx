import { isProblem, plural } from "@svc/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { errorsByField } from "../../../api/field-errors.ts";
import { noticeSignedOut } from "../../../api/query-client.ts";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import { Checkbox } from "../../../ui/buttons/Checkbox.tsx";
import { ActForm } from "../../../ui/forms/ActForm.tsx";
import { Field } from "../../../ui/forms/Field.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { InlineAlert } from "../../../ui/panels/InlineAlert.tsx";
import { Panel } from "../../../ui/panels/Panel.tsx";
import { trustedDevicesQuery, wrongPassword } from "../../mfa/index.ts";
import { meQuery, useMe } from "../../sessions/index.ts";
import css from "../account.module.css";
import { apiKeysQuery } from "../api-keys/queries.ts";
import { Done } from "../Done.tsx";
import { NewPassword } from "../password/NewPassword.tsx";
import { passwordPolicyQuery, securityHistoryPages, sessionsQuery } from "../queries.ts";

export function PasswordPanel() {
  const policy = useQuery(passwordPolicyQuery);
  const client = useQueryClient();
  const { email } = useMe();
  const [current, setCurrent] = useState("");
  const [fresh, setFresh] = useState("");
  const keys = useQuery(apiKeysQuery).data?.length ?? 0;
  const [revokesKeys, setRevokesKeys] = useState(false);
  const change = useMutation({
    mutationFn: () =>
      api.changePassword({
        current_password: current,
        new_password: fresh,
        ...(revokesKeys && keys > 0 && { revoke_api_keys: true }),
      }),
    onSuccess: () => {
      setCurrent("");
      setFresh("");
      setRevokesKeys(false);
      for (const { queryKey } of [sessionsQuery, trustedDevicesQuery, meQuery, apiKeysQuery, securityHistoryPages]) {
        void client.invalidateQueries({ queryKey });
      }
    },
    onError: noticeSignedOut,
    gcTime: 0,
  });
  const errors = errorsByField(change.error);
  const isElsewhere = change.isError && errors.current_password === undefined && errors.new_password === undefined;
  return (
    <Panel title="Password" read={policy} rows={6}>
      {(rules) => (
        <div className={css.text}>
          <p className="t2">Changing your password signs you out everywhere else and removes trusted devices.</p>
          <ActForm error={change.error} className={css.form} onSubmit={() => change.mutate()}>
            {/* Lets password managers know which account the password belongs to. */}
            <input
              className="vh"
              type="email"
              autoComplete="username"
              value={email}
              readOnly
              tabIndex={-1}
              aria-hidden
            />
            <Field
              label="Current password"
              name="current_password"
              type="password"
              autoComplete="current-password"
              required
              maxLength={256}
              value={current}
              onChange={(event) => setCurrent(event.currentTarget.value)}
              error={errors.current_password === undefined ? null : currentPasswordError(change.error)}
            />
            <NewPassword policy={rules} value={fresh} onChange={setFresh} error={errors.new_password} />
            {keys === 0 ? null : (
              <Checkbox
                checked={revokesKeys}
                onChange={setRevokesKeys}
                hint={`Scripts that use ${keys === 1 ? "it" : "them"} stop working. Do this if someone else may know your password.`}
              >
                Revoke my {plural(keys, "API key")} as well
              </Checkbox>
            )}
            {isElsewhere ? <InlineAlert>Not changed. {causeOf(change.error)}</InlineAlert> : null}
            <div className={css.acts}>
              <ActButton error={change.error} isBusy={change.isPending}>
                {change.isPending ? "Changing…" : "Change password"}
              </ActButton>
              <Done>{change.isSuccess ? "Password changed. All other sessions have ended." : null}</Done>
            </div>
          </ActForm>
        </div>
      )}
    </Panel>
  );
}

const currentPasswordError = (error: unknown): string =>
  isProblem(error, "validation_error") && error.details.reason === "invalid_password"
    ? wrongPassword
    : "Enter your current password.";
