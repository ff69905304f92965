import { describe, expect, test } from "vitest";
import { brainEndpoints } from "./endpoint.ts";

describe("brain address", () => {
  test.each([
    ["http://localhost:7700", "ws://localhost:7700/ws/agent"],
    ["ws://127.0.0.1:7700/", "ws://127.0.0.1:7700/ws/agent"],
    ["http://[::1]:7700", "ws://[::1]:7700/ws/agent"],
    ["https://svc.example.org/base/", "wss://svc.example.org/base/ws/agent"],
  ])("%s gives the socket %s", (given, socket) => {
    expect(brainEndpoints(given, "ws", false).socket.href).toBe(socket);
  });

  test("gives the long-poll base over https", () => {
    expect(brainEndpoints("wss://svc.example.org", "longpoll", false).http.href).toBe("https://svc.example.org/api/v1");
  });

  test.each(["http://svc.example.org", "ws://10.0.0.1:7700", "http://localhost.example.org", "http://127.0.0.2"])(
    "refuses an unencrypted socket to %s, unless dev mode is on",
    (given) => {
      expect(() => brainEndpoints(given, "ws", false)).toThrow(/unencrypted/);
      expect(brainEndpoints(given, "ws", true).socket.protocol).toBe("ws:");
    },
  );

  test("refuses unencrypted long-poll even to this machine, unless dev mode is on", () => {
    expect(() => brainEndpoints("http://localhost:7700", "longpoll", false)).toThrow(/dev mode/);
    expect(brainEndpoints("http://localhost:7700", "longpoll", true).http.href).toBe("http://localhost:7700/api/v1");
  });

  test.each(["", "localhost:7700", "ftp://localhost", "not a url"])("refuses %j", (given) => {
    expect(() => brainEndpoints(given, "ws", true)).toThrow(/brainUrl/);
  });

  test("refuses credentials in the address, without repeating them", () => {
    expect(() => brainEndpoints("https://me:hunter2@svc.example.org", "ws", false)).toThrow(/^(?!.*hunter2)/);
  });
});
