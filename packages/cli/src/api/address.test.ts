import { expect, test } from "vitest";
import { brainAddress } from "./address.ts";

test.each([
  ["https://svc.example.com", "https://svc.example.com"],
  ["https://svc.example.com/", "https://svc.example.com"],
  ["https://SVC.example.com:443/behind/a-proxy//", "https://svc.example.com/behind/a-proxy"],
  ["wss://svc.example.com/prefix", "https://svc.example.com/prefix"],
  ["ws://localhost:7700", "http://localhost:7700"],
  ["http://[::1]:7700", "http://[::1]:7700"],
  ["http://127.9.9.9", "http://127.9.9.9"],
])("requests for %s go to %s", (text, address) => {
  expect(brainAddress(text, { allowsPlainHttp: false })).toBe(address);
});

test.each([
  "http://10.0.0.7:7700",
  "ws://svc.example.com",
  "http://localhost.example.com",
  "http://127.0.0.1.example.com",
])("%s requires --plain-http", (text) => {
  expect(() => brainAddress(text, { allowsPlainHttp: false })).toThrow("--plain-http");
  expect(brainAddress(text, { allowsPlainHttp: true })).toMatch(/^http:/);
});

test.each(["", "svc", "file:///etc", "https://h/?key=1", "https://h/#x"])("%j is not an address", (text) => {
  expect(() => brainAddress(text, { allowsPlainHttp: true })).toThrow("must be a URL");
});
