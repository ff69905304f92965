import { PassThrough, Readable } from "node:stream";
import { ZipFile } from "yazl";
import { type Cell, safeCellText } from "./cells.ts";

/** Longest text a spreadsheet cell holds. */
const maxCellCharacters = 32_767;

/**
 * An XLSX workbook with one sheet of inline strings and numbers, written as the pages come: memory holds one page and the compressor's
 * window, whatever the number of rows. A text cell is no formula here, but becomes one when the workbook is saved as CSV, so it carries
 * the same apostrophe as there.
 */
export function xlsxOf(
  sheetName: string,
  columns: readonly string[],
  pages: AsyncIterable<readonly Record<string, Cell>[]>,
): Readable {
  const zip = new ZipFile();
  const output = new PassThrough();
  // The source of an entry may fail while it is read (a page that cannot be fetched): the download must then break off, not end early.
  const sheet = Readable.from(sheetXml(columns, pages));
  sheet.on("error", (error) => output.destroy(error));
  zip.on("error", (error: Error) => output.destroy(error));
  for (const [name, text] of Object.entries(fixedParts(sheetName))) zip.addBuffer(Buffer.from(text), name);
  zip.addReadStream(sheet, "xl/worksheets/sheet1.xml");
  zip.end();
  zip.outputStream.pipe(output);
  output.on("close", () => sheet.destroy());
  return output;
}

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const mainNamespace = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const packageRelations = "http://schemas.openxmlformats.org/package/2006/relationships";
const contentType = "application/vnd.openxmlformats-officedocument.spreadsheetml";

const fixedParts = (sheetName: string): Record<string, string> => ({
  "[Content_Types].xml":
    `${xmlHead}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
    '<Default Extension="xml" ContentType="application/xml"/>' +
    `<Override PartName="/xl/workbook.xml" ContentType="${contentType}.sheet.main+xml"/>` +
    `<Override PartName="/xl/worksheets/sheet1.xml" ContentType="${contentType}.worksheet+xml"/></Types>`,
  "_rels/.rels":
    `${xmlHead}<Relationships xmlns="${packageRelations}">` +
    `<Relationship Id="rId1" Type="${relations}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
  "xl/workbook.xml":
    `${xmlHead}<workbook xmlns="${mainNamespace}" xmlns:r="${relations}">` +
    `<sheets><sheet name="${escapeXml(sheetName)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  "xl/_rels/workbook.xml.rels":
    `${xmlHead}<Relationships xmlns="${packageRelations}">` +
    `<Relationship Id="rId1" Type="${relations}/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
});

async function* sheetXml(
  columns: readonly string[],
  pages: AsyncIterable<readonly Record<string, Cell>[]>,
): AsyncGenerator<string> {
  yield `${xmlHead}<worksheet xmlns="${mainNamespace}"><sheetData>${rowXml(columns)}`;
  for await (const rows of pages) yield rows.map((row) => rowXml(columns.map((column) => row[column]))).join("");
  yield "</sheetData></worksheet>";
}

function rowXml(cells: readonly Cell[]): string {
  return `<row>${cells.map(cellXml).join("")}</row>`;
}

function cellXml(value: Cell): string {
  if (typeof value === "number" && Number.isFinite(value)) return `<c><v>${value}</v></c>`;
  const text = safeCellText(value);
  if (text === "") return "<c/>";
  const cut = text.length > maxCellCharacters ? text.slice(0, maxCellCharacters).toWellFormed() : text;
  return `<c t="inlineStr"><is><t xml:space="preserve">${escapeXml(cut)}</t></is></c>`;
}

const escapes: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
// biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 cannot hold them in any form
const forbidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

function escapeXml(text: string): string {
  return text.replace(forbidden, "\ufffd").replace(/[&<>"]/g, (character) => escapes[character] as string);
}
