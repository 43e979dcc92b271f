/** Texts that are longer are shown as recorded: reading and indenting them would stop the page. */
const MOST_CHARACTERS = 1_000_000

/** JSON with line breaks; any other text unchanged. */
export function readable(body: string): string {
  if (body.length > MOST_CHARACTERS || !/^\s*[[{]/.test(body)) return body
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
