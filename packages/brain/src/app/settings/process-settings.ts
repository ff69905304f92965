import type { Static, TObject } from "typebox";
import { processSettings } from "../../platform/settings/platform-settings.ts";
import { type LoadedSettings, loadSettings, type SettingsCheck } from "../../platform/settings.ts";
import { knownSettingNames } from "./known-names.ts";
import type { SettingsSources } from "./settings.ts";

export { createLog } from "../../platform/log.ts";

/**
 * Reads the settings of a process that is not the brain, from the same sources: those of `fragment`, the environment and the log. Creates
 * nothing.
 *
 * @throws SettingsError with every error
 */
export const loadProcessSettings = <const Fragment extends TObject>(
  fragment: Fragment,
  checks: readonly SettingsCheck[],
  sources: Pick<SettingsSources, "env" | "cwd"> = {},
): LoadedSettings<Static<typeof processSettings> & Static<Fragment>> =>
  loadSettings({
    ...sources,
    fragments: [processSettings, fragment],
    alsoKnown: knownSettingNames,
    checks,
    mint: false,
  }) as unknown as LoadedSettings<Static<typeof processSettings> & Static<Fragment>>;
