/** A text as a cell of CSV (RFC 4180), with the rule of the service: what a spreadsheet would take for a formula is a text. */
export function csvCell(text: string): string {
  const harmless = /^[=+\-@]/.test(text) ? `'${text}` : text
  return /^$|[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
