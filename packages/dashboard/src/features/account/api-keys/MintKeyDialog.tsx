import { isProblem, type MintedKey } from "@svc/client";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { faultsByField } from "../../../api/field-faults.ts";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import controls from "../../../ui/controls.module.css";
import { ActForm } from "../../../ui/forms/ActForm.tsx";
import { Field } from "../../../ui/forms/Field.tsx";
import { OnceDialog } from "../../../ui/forms/OnceDialog.tsx";
import { ChoiceField } from "../../../ui/forms/Select.tsx";
import { Snippet } from "../../../ui/forms/Snippet.tsx";
import { DialogFoot } from "../../../ui/layers/DialogFoot.tsx";
import { Dialog } from "../../../ui/layers/Layers.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { QueryBoundary } from "../../../ui/panels/QueryBoundary.tsx";
import { Refusal } from "../../../ui/panels/Refusal.tsx";
import { printable } from "../../../ui/time/format.ts";
import { minuteText, useZone } from "../../../ui/time/instants.ts";
import { useNow } from "../../../ui/time/ticker.ts";
import { projectsQuery } from "../../projects/index.ts";
import { useMe } from "../../sessions/index.ts";
import { AddressesField, addressesReason } from "./AddressesField.tsx";
import { readRanges } from "./cidrs.ts";
import { apiKeysQuery, scopesQuery } from "./queries.ts";
import { ScopesField } from "./ScopesField.tsx";
import { makesProjects, scopesToMint } from "./scopes.ts";

const maxDays = 3650;
const dayMs = 86_400_000;

/** Everything of a new key, then its token, shown once. */
export function MintKeyDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const me = useMe();
  const catalogue = useQuery(scopesQuery);
  const projects = useQuery(projectsQuery);
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [projectId, setProjectId] = useState("");
  const [days, setDays] = useState("90");
  const [addresses, setAddresses] = useState("");

  const mint = useMutation({
    mutationFn: () =>
      api.createApiKey({
        name: name.trim(),
        scopes: scopesToMint(chosen),
        project_id: projectId || null,
        expires_in_days: days === "" ? null : Number(days),
        allowed_cidrs: readRanges(addresses).ranges.map(({ text }) => text),
      }),
    onSuccess: ({ token: _, ...key }) => {
      client.setQueryData(apiKeysQuery.queryKey, (old) => old && [key, ...old]);
      void client.invalidateQueries({ queryKey: apiKeysQuery.queryKey });
    },
    gcTime: 0,
  });
  const faults = faultsByField(mint.error);
  const isElsewhere = mint.isError && Object.keys(faults).length === 0;

  if (mint.data) return <MintedKeyDialog minted={mint.data} onClose={onClose} />;
  const choices = (projects.data ?? []).map(({ id, name: label }) => [id, printable(label)] as const);
  return (
    <Dialog title="Mint an API key" isSide onClose={onClose}>
      <QueryBoundary name="The scopes" read={catalogue} rows={10} isPart>
        {(scopes) => (
          <ActForm error={mint.error} className={controls.rows} onSubmit={() => mint.mutate()}>
            <Field
              label="Name"
              required
              maxLength={200}
              autoFocus
              autoComplete="off"
              value={name}
              onChange={(event) => setName(event.currentTarget.value)}
              hint="For people: one key per script and place, for instance nightly report."
              error={faults.name}
            />
            <ScopesField
              catalogue={scopes}
              chosen={chosen}
              onChange={setChosen}
              isAdmin={me.is_admin}
              error={faults.scopes}
            />
            <ChoiceField
              label="Bound to"
              value={projectId}
              options={[["", "no project: it reaches every project of yours"], ...choices]}
              onChange={setProjectId}
              error={faults.project_id}
              hint={projectId === "" ? null : <BindingWarning isAdmin={me.is_admin} makes={makesProjects(chosen)} />}
            />
            <Field
              label="Works for, in days"
              type="number"
              min={1}
              max={maxDays}
              step={1}
              value={days}
              onChange={(event) => setDays(event.currentTarget.value)}
              hint={<ExpiryHint days={days} />}
              error={faults.expires_in_days}
            />
            <AddressesField text={addresses} onChange={setAddresses} error={faults.allowed_cidrs} />
            {isElsewhere ? <Refusal>No key was minted. {refusalOf(mint.error)}</Refusal> : null}
            <DialogFoot leave="Cancel" onLeave={onClose}>
              <ActButton
                error={mint.error}
                isBusy={mint.isPending}
                reason={chosen.size === 0 ? "Tick what it may do first" : addressesReason(addresses)}
              >
                Mint key
              </ActButton>
            </DialogFoot>
          </ActForm>
        )}
      </QueryBoundary>
    </Dialog>
  );
}

/** Part 2 of the specification: a binding is not a complete boundary, and the form says so. */
function BindingWarning({ isAdmin, makes }: { isAdmin: boolean; makes: boolean }) {
  return (
    <>
      Other projects are refused, and lists are narrowed to this one. This is not a wall around everything:{" "}
      {isAdmin && makes ? (
        <b>with these scopes the key can still create new projects, because you may.</b>
      ) : (
        "a bound key of an administrator of the instance that holds projects:write can still create projects."
      )}
    </>
  );
}

function ExpiryHint({ days }: { days: string }) {
  const { zone, label } = useZone();
  const now = useNow();
  const count = Number(days);
  if (days === "") return <>Without a number it works until it is revoked.</>;
  if (!Number.isInteger(count) || count < 1 || count > maxDays) return <>1 to {maxDays}, or nothing for no end.</>;
  return (
    <>
      Until {minuteText(now + count * dayMs, zone).slice(0, 16)} {label}. Empty it for a key without an end.
    </>
  );
}

function MintedKeyDialog({ minted, onClose }: { minted: MintedKey; onClose: () => void }) {
  const path = minted.project_slug === null ? "projects" : `projects/${minted.project_slug}/tasks?limit=20`;
  return (
    <OnceDialog
      title={`${printable(minted.name)} is minted`}
      first="Store the token first; it cannot be shown again"
      done="I have stored the token"
      onClose={onClose}
    >
      <p className="t2">The token is shown this once. The server keeps only a digest of it.</p>
      <Snippet name="token" text={minted.token} />
      <Snippet
        name="shell: use it"
        text={`curl -H "Authorization: Bearer $SVC_API_KEY" '${location.origin}/api/v1/${path}'`}
      />
    </OnceDialog>
  );
}

function refusalOf(error: unknown): string {
  if (isProblem(error, "not_found")) return "The project is not among yours any more.";
  if (isProblem(error, "forbidden")) return "One of the scopes needs an administrator of the instance.";
  return causeOf(error);
}
