/** Compares a trial with an expectation. Returns null, or a diff: lines with `-` were expected, lines with `+` came. */
import { isDeepStrictEqual } from 'node:util'
import { createPatch } from 'diff'
import type { RecordedRun } from '../runs/run-states.ts'
import type { Expectation } from './sample.ts'

export function differenceFrom(run: RecordedRun, expected: Expectation): string | null {
  const found = asExpected(run, expected)
  const wanted = { ...expected, ...(expected.headers && { headers: lowerCased(expected.headers) }) }
  if (isDeepStrictEqual(found, wanted)) return null
  const [, , , , ...lines] = createPatch('', textOf(wanted), textOf(found), '', '', { context: 3 }).split(
    '\n',
  )
  return lines.join('\n')
}

/** What to expect from now on: the parts that were expected before, or status, body and held writes where nothing was. */
export function expectationText(run: RecordedRun, before: Expectation | null): string {
  const fresh: Expectation = { status: 0, body: null, heldWrites: [] }
  return `${JSON.stringify(asExpected(run, before ?? fresh), null, 2)}\n`
}

/** Those parts of the trial that the expectation has. */
function asExpected({ response, execution, dryRunWrites }: RecordedRun, expected: Expectation): Expectation {
  return {
    ...(expected.status !== undefined && { status: response.status }),
    ...(expected.headers && { headers: headersOf(response.headers, expected.headers) }),
    ...('body' in expected && { body: bodyOf(response) }),
    ...(expected.log && { log: logOf(execution?.log ?? [], expected.log) }),
    ...(expected.heldWrites && { heldWrites: dryRunWrites.map(({ action }) => action) }),
  }
}

function headersOf(headers: Headers, expected: Headers): Headers {
  const names = Object.keys(lowerCased(expected)).filter((name) => Object.hasOwn(headers, name))
  return Object.fromEntries(names.map((name) => [name, headers[name] as string]))
}

type Headers = Readonly<Record<string, string>>

const lowerCased = (headers: Headers): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** JSON is compared as a value, so that the order of members does not matter. */
function bodyOf({ headers, body }: RecordedRun['response']): unknown {
  const isJson = /^application\/(?:[^/;]+\+)?json\b/.test(headers['content-type'] ?? '')
  return isJson && body !== null ? JSON.parse(body) : body
}

/** The expected texts if each occurs in a line of the log; otherwise the lines of the log. */
function logOf(log: readonly { readonly message: string }[], expected: readonly string[]): string[] {
  const messages = log.map(({ message }) => message)
  return expected.every((text) => messages.some((message) => message.includes(text)))
    ? [...expected]
    : messages
}

/** Members are sorted, so that the diff shows no differences of order. */
const textOf = (value: unknown): string => `${JSON.stringify(value, inOrder, 2)}\n`

const inOrder = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
