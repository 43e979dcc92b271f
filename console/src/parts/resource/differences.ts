/** How an object differs from what it was: the members whose values are not the same. */
export type Difference = { readonly member: string; readonly before: string; readonly after: string }

/** @param ignored members that change by themselves, such as the time of the last use */
export function differences(
  before: object,
  after: object,
  ignored: readonly string[] = [],
): readonly Difference[] {
  const old = before as Readonly<Record<string, unknown>>
  const current = after as Readonly<Record<string, unknown>>
  return [...new Set([...Object.keys(old), ...Object.keys(current)])]
    .filter((member) => !ignored.includes(member))
    .map((member) => ({ member, before: valueText(old[member]), after: valueText(current[member]) }))
    .filter((one) => one.before !== one.after)
}

/** A text as it is; anything else as JSON. */
const valueText = (value: unknown): string =>
  value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value)
