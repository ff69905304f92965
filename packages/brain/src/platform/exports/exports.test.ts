import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { inflateRawSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { csvOf, jsonArrayOf } from "./csv.ts";
import { xlsxOf } from "./xlsx.ts";

type Row = Record<string, unknown>;

/** Pages as an export reads them; `isOver` means that reading has stopped. */
function pagesOf(...pages: Row[][]) {
  const state = { read: 0, isOver: false };
  async function* read() {
    try {
      for (const page of pages) {
        state.read += 1;
        yield page;
      }
    } finally {
      state.isOver = true;
    }
  }
  return { pages: read(), state };
}

/** Files of a ZIP by name, read through its central directory. */
function unzip(zip: Buffer): Map<string, string> {
  const files = new Map<string, string>();
  const end = zip.lastIndexOf(Buffer.from("PK\x05\x06", "latin1"));
  let at = zip.readUInt32LE(end + 16);
  for (let count = zip.readUInt16LE(end + 10); count > 0; count -= 1) {
    const [method, size, nameLength, extraLength, commentLength] = [
      zip.readUInt16LE(at + 10),
      zip.readUInt32LE(at + 20),
      zip.readUInt16LE(at + 28),
      zip.readUInt16LE(at + 30),
      zip.readUInt16LE(at + 32),
    ] as const;
    const local = zip.readUInt32LE(at + 42);
    const start = local + 30 + zip.readUInt16LE(local + 26) + zip.readUInt16LE(local + 28);
    const data = zip.subarray(start, start + size);
    const name = zip.toString("utf8", at + 46, at + 46 + nameLength);
    files.set(name, (method === 8 ? inflateRawSync(data) : data).toString("utf8"));
    at += 46 + nameLength + extraLength + commentLength;
  }
  return files;
}

describe("a CSV export", () => {
  test("is RFC 4180 with a header, CRLF, and quotes where they are needed", async () => {
    const { pages } = pagesOf([{ a: 'say "hi"', b: "x,y" }], [{ a: "two\nlines", b: null }]);
    expect(await text(Readable.from(csvOf(["a", "b"], pages)))).toBe('a,b\r\n"say ""hi""","x,y"\r\n"two\nlines",\r\n');
  });

  test("prints instants in ms, objects as JSON, and only the asked columns in their order", async () => {
    const { pages } = pagesOf([{ at: new Date(1), args: [1, { b: 2 }], n: 5, hidden: "x" }]);
    expect(await text(Readable.from(csvOf(["n", "at", "args"], pages)))).toBe(
      'n,at,args\r\n5,1970-01-01T00:00:00.001Z,"[1,{""b"":2}]"\r\n',
    );
  });
});

describe("a cell that a spreadsheet would run as a formula", () => {
  const written = async (value: unknown) => {
    const csv = await text(Readable.from(csvOf(["a"], pagesOf([{ a: value }]).pages)));
    const sheet = unzip(await buffer(xlsxOf("tasks", ["a"], pagesOf([{ a: value }]).pages))).get(
      "xl/worksheets/sheet1.xml",
    );
    return {
      csv: csv.slice("a\r\n".length, -"\r\n".length).replace(/^"([\s\S]*)"$/, "$1"),
      xlsx: /<\/row><row><c(?: t="inlineStr")?>(?:<is><t xml:space="preserve">|<v>)([\s\S]*?)<\/[tv]>/.exec(
        sheet ?? "",
      )?.[1],
    };
  };
  const signs = ["=", "+", "-", "@", "|", "%", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\uff5c", "\uff05", "\ufe66"];
  const invisible = [
    " ",
    "\u00a0",
    "\u3000",
    "\u2003",
    "\u200b",
    "\u2060",
    "\ufeff",
    "\u00ad",
    "\u3164",
    "\ufe0f",
    "\u2800",
  ];

  test.each([
    ...signs.map((sign) => `${sign}cmd`),
    ...["\tx", "\rx", "\nx", "\n=x", " \tx", "+1+1", "-1-cmd", "-", "+1 2", "=1"],
    ...invisible.map((space) => `${space}=cmd`),
    `${invisible.join("")}\uff1dcmd`,
  ])("%j gets an apostrophe", async (value) => {
    const { csv, xlsx } = await written(value);
    expect(csv).toBe(`'${value}`);
    expect(xlsx).toBe(`'${value}`);
  });

  test("so does a sign behind characters that only CSV can hold", async () => {
    expect((await written("\u000b\u0000=cmd")).csv).toBe("'\u000b\u0000=cmd");
  });

  test.each(["-12.5", "+1", "-1e5", "+1.5E-3", "-0", "a=b", "", " ", "x", "1-1", "[1]", "'=1", "\u2212x"])(
    "%j stays as it is",
    async (value) => {
      const { csv, xlsx } = await written(value);
      expect(csv).toBe(value);
      expect(xlsx ?? "").toBe(value);
    },
  );

  test("numbers stay numbers", async () => {
    expect(await written(-12.5)).toEqual({ csv: "-12.5", xlsx: "-12.5" });
    expect(await written(-1e300)).toEqual({ csv: "-1e+300", xlsx: "-1e+300" });
  });
});

describe("a JSON export", () => {
  test("is an array of objects with the asked members, also when nothing matches", async () => {
    const { pages } = pagesOf([{ a: 1, b: 2 }], [{ a: null }]);
    expect(JSON.parse(await text(Readable.from(jsonArrayOf(["a"], pages))))).toEqual([{ a: 1 }, { a: null }]);
    expect(await text(Readable.from(jsonArrayOf(["a"], pagesOf().pages)))).toBe("[]");
  });
});

describe("an XLSX export", () => {
  test("is a workbook with one sheet of inline text and numbers", async () => {
    const { pages } = pagesOf([{ a: "<&> =1+1", n: 5 }], [{ a: "\u0001", n: null }]);
    const files = unzip(await buffer(xlsxOf("tasks", ["a", "n"], pages)));
    expect([...files.keys()]).toEqual(expect.arrayContaining(["[Content_Types].xml", "xl/workbook.xml"]));
    expect(files.get("xl/workbook.xml")).toContain('name="tasks"');
    const cell = (value: string) => `<c t="inlineStr"><is><t xml:space="preserve">${value}</t></is></c>`;
    expect(files.get("xl/worksheets/sheet1.xml")).toContain(
      `<row>${cell("a")}${cell("n")}</row><row>${cell("&lt;&amp;&gt; =1+1")}<c><v>5</v></c></row><row>${cell("\ufffd")}<c/></row>`,
    );
  });

  test("breaks off when a page cannot be read", async () => {
    async function* failing(): AsyncGenerator<Row[]> {
      yield [{ a: 1 }];
      throw new Error("the database is offline");
    }
    await expect(buffer(xlsxOf("tasks", ["a"], failing()))).rejects.toThrow("the database is offline");
  });
});

describe.each(["csv", "json", "xlsx"] as const)("an abandoned %s export", (format) => {
  test("stops reading, long before its end", async () => {
    const rows = Array.from({ length: 500 }, () => ({ a: Math.random().toString(36).repeat(20) }));
    const { pages, state } = pagesOf(...Array.from({ length: 200 }, () => rows));
    const body =
      format === "xlsx"
        ? xlsxOf("tasks", ["a"], pages)
        : Readable.from(format === "csv" ? csvOf(["a"], pages) : jsonArrayOf(["a"], pages));
    const stopped = new Promise<void>((resolve) => body.once("close", () => resolve()));
    body.on("data", () => {
      if (state.read >= 2) body.destroy();
    });
    await stopped;
    await expect.poll(() => state.isOver).toBe(true);
    expect(state.read).toBeLessThan(150);
  });
});
