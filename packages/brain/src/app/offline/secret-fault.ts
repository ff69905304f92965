import { UnknownChainKey } from "../../features/audit/index.ts";
import { UnknownMaster } from "../../features/setup/index.ts";
import { type LoadedSettings, SettingsError } from "../../platform/settings.ts";

/** Reports a secret that does not match the database as a settings error, like one that is too short; null for other errors. */
export function secretFault(
  { sources }: Pick<LoadedSettings<unknown>, "sources">,
  error: unknown,
): SettingsError | null {
  const faultOf = (name: string, previous: string) => {
    const message = `does not match the database; set the secret it was created with, or add that one to ${previous}`;
    return new SettingsError([{ name, source: sources.get(name) ?? "default", message }]);
  };
  if (error instanceof UnknownMaster) return faultOf("SVC_SECRET", "SVC_PREVIOUS_SECRETS");
  if (error instanceof UnknownChainKey) return faultOf("SVC_AUDIT_CHAIN_SECRET", "SVC_AUDIT_CHAIN_PREVIOUS_SECRETS");
  return null;
}
