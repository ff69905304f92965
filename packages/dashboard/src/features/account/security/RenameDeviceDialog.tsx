import type { TrustedDevice } from "@svc/client";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api } from "../../../api/api.ts";
import { errorsByField } from "../../../api/field-errors.ts";
import { noticeSignedOut } from "../../../api/query-client.ts";
import { Field } from "../../../ui/forms/Field.tsx";
import { FormDialog } from "../../../ui/forms/FormDialog.tsx";
import { causeOf } from "../../../ui/panels/Feedback.tsx";
import { trustedDevicesQuery } from "../../mfa/index.ts";

export function RenameDeviceDialog({ device, onClose }: { device: TrustedDevice; onClose: () => void }) {
  const client = useQueryClient();
  const [label, setLabel] = useState(device.label);
  return (
    <FormDialog
      title="Rename device"
      act="Rename device"
      send={() => api.renameTrustedDevice(device.id, { label: label.trim() })}
      onDone={() => client.invalidateQueries({ queryKey: trustedDevicesQuery.queryKey })}
      onError={noticeSignedOut}
      errorsOf={(error) => {
        const { label: message } = errorsByField(error);
        return { label: message === undefined ? causeOf(error) : `This ${message}.` };
      }}
      onClose={onClose}
    >
      {(errors) => (
        <Field
          label="Name"
          required
          maxLength={200}
          value={label}
          onChange={(event) => setLabel(event.currentTarget.value)}
          error={errors.label}
        />
      )}
    </FormDialog>
  );
}
