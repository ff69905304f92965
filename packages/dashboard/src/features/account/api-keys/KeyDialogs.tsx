import type { ApiKey } from "@svc/client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { FormDialog } from "../../../ui/forms/FormDialog.tsx";
import { printable } from "../../../ui/time/format.ts";
import { Age } from "../../../ui/time/Stamp.tsx";
import { AddressesField, addressesReason } from "./AddressesField.tsx";
import { readRanges } from "./cidrs.ts";
import { apiKeysQuery } from "./queries.ts";

interface KeyDialogProps {
  apiKey: ApiKey;
  onClose: () => void;
}

/** Replaces the address ranges of a key. */
export function AddressesDialog({ apiKey, onClose }: KeyDialogProps) {
  const client = useQueryClient();
  const [text, setText] = useState((apiKey.allowed_cidrs ?? []).join("\n"));
  return (
    <FormDialog
      title={`Change addresses of ${printable(apiKey.name)}`}
      act="Change addresses"
      reason={addressesReason(text)}
      send={() => api.changeApiKey(apiKey.id, { allowed_cidrs: readRanges(text).ranges.map((range) => range.text) })}
      onDone={(changed) =>
        client.setQueryData(apiKeysQuery.queryKey, (old) => old?.map((one) => (one.id === changed.id ? changed : one)))
      }
      undone="Nothing was changed."
      onClose={onClose}
    >
      {(errors) => <AddressesField text={text} onChange={setText} error={errors.allowed_cidrs} />}
    </FormDialog>
  );
}

export function RevokeKeyDialog({ apiKey, onClose }: KeyDialogProps) {
  const client = useQueryClient();
  return (
    <FormDialog
      title={`Revoke API key ${printable(apiKey.name)}`}
      act="Revoke key"
      isDanger
      send={() => api.revokeApiKey(apiKey.id)}
      onDone={() => client.setQueryData(apiKeysQuery.queryKey, (old) => old?.filter((one) => one.id !== apiKey.id))}
      undone="The key was not revoked."
      onClose={onClose}
    >
      <p>
        Requests with <code>{apiKey.prefix}…</code> are refused immediately. This can't be undone. Scripts that use this
        key need a new one.
      </p>
      <p className="t2">
        Last used: <Age at={apiKey.last_used_at} suffix=" ago" />
        {apiKey.last_used_ip === null ? "" : `, from ${apiKey.last_used_ip}`}.
      </p>
    </FormDialog>
  );
}
