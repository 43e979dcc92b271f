/** What a change of the audit trail did to each member, as lines to read. */

export type MemberChange = {
  readonly member: string
  /** Undefined where the member was not there. */
  readonly before: readonly string[] | undefined
  readonly after: readonly string[] | undefined
}

/** Members that differ, in the order in which they first occur. Values that are no objects are one member without a name. */
export function memberChanges(before: unknown, after: unknown): readonly MemberChange[] {
  if (!isObject(before) && !isObject(after)) {
    const change = { member: '', before: linesOf(before), after: linesOf(after) }
    return change.before === undefined && change.after === undefined ? [] : [change]
  }
  const left = isObject(before) ? before : {}
  const right = isObject(after) ? after : {}
  return [...new Set([...Object.keys(left), ...Object.keys(right)])].flatMap((member) => {
    const change = {
      member,
      before: member in left ? (linesOf(left[member]) ?? []) : undefined,
      after: member in right ? (linesOf(right[member]) ?? []) : undefined,
    }
    return JSON.stringify(change.before) === JSON.stringify(change.after) ? [] : [change]
  })
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function linesOf(value: unknown): readonly string[] | undefined {
  if (value === null || value === undefined) return undefined
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2)
  return text.split('\n')
}

export type DiffLine = {
  readonly kind: 'same' | 'removed' | 'added'
  readonly text: string
  /** From 0. */
  readonly place: number
}

/** The common lines at both ends stay, and what is between them is replaced: enough for members of a few lines. */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffLine[] {
  let start = 0
  while (start < before.length && start < after.length && before[start] === after[start]) start++
  let end = 0
  while (
    end < before.length - start &&
    end < after.length - start &&
    before.at(-1 - end) === after.at(-1 - end)
  )
    end++
  const lines = (kind: DiffLine['kind'], texts: readonly string[]) => texts.map((text) => ({ kind, text }))
  return [
    ...lines('same', before.slice(0, start)),
    ...lines('removed', before.slice(start, before.length - end)),
    ...lines('added', after.slice(start, after.length - end)),
    ...lines('same', before.slice(before.length - end)),
  ].map((line, place) => ({ ...line, place }))
}
