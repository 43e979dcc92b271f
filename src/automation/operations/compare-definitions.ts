/**
 * Compares two definitions of an endpoint: the scripts line by line, as a unified diff, and every other member that differs, with
 * its value before and after.
 */
import { isDeepStrictEqual } from 'node:util'
import { createTwoFilesPatch, FILE_HEADERS_ONLY, formatPatch } from 'diff'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'

export type Side = { readonly title: string; readonly definition: EndpointDefinition }

export type Comparison = {
  /** A unified diff; empty when the scripts are equal. */
  readonly script: string
  readonly changes: readonly { readonly path: string; readonly before: unknown; readonly after: unknown }[]
}

export const compareDefinitions = (from: Side, to: Side): Comparison => ({
  script: scriptDiff(scriptOf(from), scriptOf(to)),
  changes: (Object.keys({ ...to.definition, ...from.definition }) as (keyof EndpointDefinition)[])
    .filter((member) => member !== 'script')
    .map((member) => ({
      path: `/${member}`,
      before: from.definition[member] ?? null,
      after: to.definition[member] ?? null,
    }))
    .filter(({ before, after }) => !isDeepStrictEqual(before, after)),
})

type Text = { readonly title: string; readonly script: string }

const scriptOf = ({ title, definition: { script } }: Side): Text => ({ title, script })

/** The work grows with the square of the lines that differ. */
const MOST_CHANGED_LINES = 800

/** A unified diff; empty when the scripts are equal. */
export function scriptDiff(from: Text, to: Text): string {
  if (from.script === to.script) return ''
  const options = {
    context: 3,
    maxEditLength: MOST_CHANGED_LINES,
    headerOptions: FILE_HEADERS_ONLY,
  }
  return (
    createTwoFilesPatch(from.title, to.title, from.script, to.script, undefined, undefined, options) ??
    replacement(from, to)
  )
}

/** The diff of scripts that have little in common: removes all lines of one and adds all lines of the other. */
function replacement(from: Text, to: Text): string {
  const before = linesOf(from.script)
  const after = linesOf(to.script)
  const hunk = {
    oldStart: 1,
    oldLines: before.count,
    newStart: 1,
    newLines: after.count,
    lines: [...before.lines.map((line) => mark('-', line)), ...after.lines.map((line) => mark('+', line))],
  }
  const patch = {
    ...{ oldFileName: from.title, newFileName: to.title, oldHeader: undefined, newHeader: undefined },
    hunks: [hunk],
  }
  return formatPatch(patch, FILE_HEADERS_ONLY)
}

const UNENDED = '\\ No newline at end of file'

function linesOf(text: string): { readonly lines: readonly string[]; readonly count: number } {
  const lines = text.split('\n')
  const last = lines.pop()
  const count = lines.length + (last === '' ? 0 : 1)
  return { lines: last === '' ? lines : [...lines, last as string, UNENDED], count }
}

const mark = (sign: '-' | '+', line: string): string => (line === UNENDED ? line : sign + line)
