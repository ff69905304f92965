import { expect, test } from "vitest";
import { mergeFragments } from "../../platform/settings.ts";
import { brainSettingNames } from "./known-names.ts";
import { settingFragments } from "./settings.ts";

test("the names of the brain match those that its parts declare", () => {
  expect([...brainSettingNames].sort()).toEqual([...mergeFragments(settingFragments).keys()].sort());
});
