import { UnknownChainKey } from "../../features/audit/index.ts";
import { UnknownMaster } from "../../features/setup/index.ts";
import { type LoadedSettings, SettingsError } from "../../platform/settings.ts";

/** A secret that does not fit the database is a fault of the settings, like one that is too short; null for other errors. */
export function secretFault(
  { sources }: Pick<LoadedSettings<unknown>, "sources">,
  error: unknown,
): SettingsError | null {
  const faultOf = (name: string, previous: string) => {
    const message = `is not the one that the database belongs to; set that one, or name it in ${previous}`;
    return new SettingsError([{ name, source: sources.get(name) ?? "default", message }]);
  };
  if (error instanceof UnknownMaster) return faultOf("SVC_SECRET", "SVC_PREVIOUS_SECRETS");
  if (error instanceof UnknownChainKey) return faultOf("SVC_AUDIT_CHAIN_SECRET", "SVC_AUDIT_CHAIN_PREVIOUS_SECRETS");
  return null;
}
