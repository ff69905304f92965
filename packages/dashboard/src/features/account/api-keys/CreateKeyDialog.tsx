import { isProblem, type MintedKey } from "@svc/client";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { Field } from "../../../ui/forms/Field.tsx";
import { FormDialog } from "../../../ui/forms/FormDialog.tsx";
import { OnceDialog } from "../../../ui/forms/OnceDialog.tsx";
import { ChoiceField } from "../../../ui/forms/Select.tsx";
import { Snippet } from "../../../ui/forms/Snippet.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import { printable } from "../../../ui/time/format.ts";
import { minuteText, useZone } from "../../../ui/time/instants.ts";
import { useNow } from "../../../ui/time/ticker.ts";
import { projectsQuery } from "../../projects/index.ts";
import { useMe } from "../../sessions/index.ts";
import { AddressesField, addressesReason } from "./AddressesField.tsx";
import { readRanges } from "./cidrs.ts";
import { apiKeysQuery, scopesQuery } from "./queries.ts";
import { ScopesField } from "./ScopesField.tsx";
import { makesProjects, scopesToSend } from "./scopes.ts";

const maxDays = 3650;
const dayMs = 86_400_000;

/** The form for a new key, then its token, shown once. */
export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const me = useMe();
  const catalogue = useQuery(scopesQuery);
  const projects = useQuery(projectsQuery);
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [projectId, setProjectId] = useState("");
  const [days, setDays] = useState("90");
  const [addresses, setAddresses] = useState("");

  const send = () =>
    api.createApiKey({
      name: name.trim(),
      scopes: scopesToSend(chosen),
      project_id: projectId || null,
      expires_in_days: days === "" ? null : Number(days),
      allowed_cidrs: readRanges(addresses).ranges.map(({ text }) => text),
    });
  const choices = (projects.data ?? []).map(({ id, name: label }) => [id, printable(label)] as const);
  return (
    <FormDialog
      title="Create API key"
      isSide
      act="Create key"
      reason={chosen.size === 0 ? "Select at least one scope" : addressesReason(addresses)}
      send={send}
      onDone={({ token: _, ...key }) => {
        client.setQueryData(apiKeysQuery.queryKey, (old) => old && [key, ...old]);
        void client.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
      }}
      answered={(created) => <MintedKeyDialog created={created} onClose={onClose} />}
      undone="No key was created."
      errorText={refusalOf}
      onClose={onClose}
    >
      {(errors) => {
        const { scopes: scopesError } = errors;
        return (
          <>
            <Field
              label="Name"
              required
              maxLength={200}
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              hint="Use one key per script. Example: nightly report."
              error={errors.name}
            />
            <QueryBoundary name="The scopes" read={catalogue} rows={10} isPart>
              {(scopes) => (
                <ScopesField
                  catalogue={scopes}
                  chosen={chosen}
                  onChange={setChosen}
                  isAdmin={me.is_admin}
                  error={scopesError}
                />
              )}
            </QueryBoundary>
            <ChoiceField
              label="Restrict to project"
              value={projectId}
              options={[["", "All your projects"], ...choices]}
              onChange={setProjectId}
              error={errors.project_id}
              hint={projectId === "" ? null : <BindingWarning isAdmin={me.is_admin} makes={makesProjects(chosen)} />}
            />
            <Field
              label="Expires after (days)"
              type="number"
              min={1}
              max={maxDays}
              step={1}
              value={days}
              onChange={(event) => setDays(event.currentTarget.value)}
              hint={<ExpiryHint days={days} />}
              error={errors.expires_in_days}
            />
            <AddressesField text={addresses} onChange={setAddresses} error={errors.allowed_cidrs} />
          </>
        );
      }}
    </FormDialog>
  );
}

/** An administrator's key with projects:write can create projects although it is restricted to one. */
function BindingWarning({ isAdmin, makes }: { isAdmin: boolean; makes: boolean }) {
  return (
    <>
      The key can't read or change other projects.{" "}
      {isAdmin && makes ? (
        <b>With these scopes, it can still create projects.</b>
      ) : (
        "Exception: an instance administrator's key with projects:write can still create projects."
      )}
    </>
  );
}

function ExpiryHint({ days }: { days: string }) {
  const { zone, label } = useZone();
  const now = useNow();
  const count = Number(days);
  if (days === "") return <>Leave empty for no expiry.</>;
  if (!Number.isInteger(count) || count < 1 || count > maxDays)
    return <>Enter 1–{maxDays}, or leave empty for no expiry.</>;
  return (
    <>
      Expires {minuteText(now + count * dayMs, zone).slice(0, 16)} {label}. Leave empty for no expiry.
    </>
  );
}

function MintedKeyDialog({ created, onClose }: { created: MintedKey; onClose: () => void }) {
  const path = created.project_slug === null ? "projects" : `projects/${created.project_slug}/tasks?limit=20`;
  return (
    <OnceDialog
      title={`API key ${printable(created.name)} created`}
      first="Save the token first. It can't be shown again"
      done="I've saved the token"
      onClose={onClose}
    >
      <p className="t2">The token is shown only once. The server stores only a hash.</p>
      <Snippet name="token" text={created.token} />
      <Snippet
        name="shell"
        text={`export SVC_API_KEY=${created.token}\ncurl -H "Authorization: Bearer $SVC_API_KEY" '${location.origin}/api/v1/${path}'`}
      />
    </OnceDialog>
  );
}

function refusalOf(error: unknown): string {
  if (isProblem(error, "not_found")) return "You no longer have access to the project.";
  if (isProblem(error, "forbidden")) return "Some of these scopes can only be granted by an instance administrator.";
  return causeOf(error);
}
