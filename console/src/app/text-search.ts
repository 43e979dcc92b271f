/** Every parameter of an address is a text, so that a link can be written by hand: `executionId=01912345`, `text=1.0`. */
export const textSearch = {
  parseSearch: (text: string): Record<string, string> => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search: Readonly<Record<string, unknown>>): string => {
    const entries = Object.entries(search).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    )
    return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`
  },
}
