import { describe, expect, test } from "vitest";
import { checkRedispatch } from "./settings.ts";

describe("the settings of commands", () => {
  const faultsOf = (interval: number, windowSeconds: number, timeout: number): string[] => {
    const names: string[] = [];
    const values = {
      SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS: interval,
      SVC_AGENT_LONGPOLL_REDISPATCH_SECONDS: windowSeconds,
      SVC_COMMAND_TIMEOUT_SECONDS: timeout,
    };
    checkRedispatch(values, (name) => void names.push(name));
    return names;
  };

  test("leave time for a second send within the window and before the timeout", () => {
    expect(faultsOf(10, 60, 60)).toEqual([]);
    expect(faultsOf(10, 11, 10)).toEqual([]);
    expect(faultsOf(10, 10, 60)).toEqual(["SVC_AGENT_LONGPOLL_REDISPATCH_MIN_INTERVAL_SECONDS"]);
    expect(faultsOf(10, 60, 9)).toEqual(["SVC_COMMAND_TIMEOUT_SECONDS"]);
  });
});
