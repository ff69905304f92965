import type { ApiKey } from "@svc/client";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { faultsByField } from "../../../api/field-faults.ts";
import { ActButton } from "../../../ui/buttons/ActButton.tsx";
import controls from "../../../ui/controls.module.css";
import { ActForm } from "../../../ui/forms/ActForm.tsx";
import { DialogFoot } from "../../../ui/layers/DialogFoot.tsx";
import { Dialog } from "../../../ui/layers/Layers.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { Refusal } from "../../../ui/panels/Refusal.tsx";
import { printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { AddressesField, addressesReason } from "./AddressesField.tsx";
import { readRanges } from "./cidrs.ts";
import { apiKeysQuery } from "./queries.ts";

interface KeyDialogProps {
  apiKey: ApiKey;
  onClose: () => void;
}

/** Puts other ranges in place of those that a key has. */
export function AddressesDialog({ apiKey, onClose }: KeyDialogProps) {
  const client = useQueryClient();
  const [text, setText] = useState((apiKey.allowed_cidrs ?? []).join("\n"));
  const change = useMutation({
    mutationFn: () =>
      api.changeApiKey(apiKey.id, { allowed_cidrs: readRanges(text).ranges.map((range) => range.text) }),
    onSuccess: (changed) => {
      client.setQueryData(apiKeysQuery.queryKey, (old) => old?.map((one) => (one.id === changed.id ? changed : one)));
      onClose();
    },
  });
  const fault = faultsByField(change.error).allowed_cidrs;
  return (
    <Dialog title={`Addresses of ${printable(apiKey.name)}`} onClose={onClose}>
      <ActForm error={change.error} className={controls.rows} onSubmit={() => change.mutate()}>
        <AddressesField text={text} onChange={setText} error={fault} />
        {change.isError && fault === undefined ? <Refusal>Nothing was changed. {causeOf(change.error)}</Refusal> : null}
        <DialogFoot leave="Cancel" onLeave={onClose}>
          <ActButton error={change.error} isBusy={change.isPending} reason={addressesReason(text)}>
            Save addresses
          </ActButton>
        </DialogFoot>
      </ActForm>
    </Dialog>
  );
}

export function RevokeKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => api.revokeApiKey(apiKey.id),
    onSuccess: () => {
      client.setQueryData(apiKeysQuery.queryKey, (old) => old?.filter((one) => one.id !== apiKey.id));
      onClose();
    },
  });
  return (
    <Dialog title={`Revoke ${printable(apiKey.name)}`} onClose={onClose}>
      <p>
        The next request with <code>{apiKey.prefix}…</code> is refused, everywhere and for good. What uses it stops
        working; to go on it needs another key.
      </p>
      <p className="t2">
        Last used: <Age at={apiKey.last_used_at} suffix=" ago" />
        {apiKey.last_used_ip === null ? "" : `, from ${apiKey.last_used_ip}`}.
      </p>
      {revoke.isError ? <Refusal>Not revoked. {causeOf(revoke.error)}</Refusal> : null}
      <DialogFoot leave="Keep it" onLeave={onClose}>
        <ActButton isDanger error={revoke.error} isBusy={revoke.isPending} onAct={() => revoke.mutate()}>
          Revoke key
        </ActButton>
      </DialogFoot>
    </Dialog>
  );
}
