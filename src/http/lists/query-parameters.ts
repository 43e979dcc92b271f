/**
 * Splits the query part of an address into parameters in their order, repetitions included. Form encoding: `+` is a space.
 * The query languages decide which parameters they know; that of version 1 also decodes the values itself.
 */
import { undecodableParameter } from '../problems.ts'

type Parameter = readonly [name: string, value: string]

const none: readonly Parameter[] = []

/**
 * Names and values decoded.
 *
 * @throws QueryProblem at the first sequence that is not percent-encoded UTF-8, naming the parameter
 */
export const readParameters = (address: string): readonly Parameter[] =>
  splitQuery(address).map(decodeParameter)

/** Names are decoded, or left as they are when they cannot be decoded. Values are left as they were sent. */
export const readRawParameters = (address: string): readonly Parameter[] =>
  splitQuery(address).map(([rawName, rawValue]) => [decode(rawName) ?? rawName, rawValue])

/** The text after the question mark, as it was sent. */
export function queryPart(address: string): string {
  const start = address.indexOf('?')
  return start === -1 ? '' : address.slice(start + 1)
}

function splitQuery(address: string): readonly Parameter[] {
  const query = queryPart(address)
  if (query === '') return none
  return query
    .split('&')
    .filter((part) => part !== '')
    .map(splitParameter)
}

function splitParameter(part: string): Parameter {
  const equals = part.indexOf('=')
  return equals === -1 ? [part, ''] : [part.slice(0, equals), part.slice(equals + 1)]
}

function decodeParameter([rawName, rawValue]: Parameter): Parameter {
  const name = decode(rawName)
  if (name === undefined) throw undecodableParameter(rawName, rawName, columnOfFault(rawName))
  const value = decode(rawValue)
  if (value === undefined) throw undecodableParameter(documentedName(name), rawValue, columnOfFault(rawValue))
  return [name, value]
}

/** Undefined when the text is not valid percent-encoded UTF-8. */
function decode(raw: string): string | undefined {
  if (!/[%+]/.test(raw)) return raw
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

/** Offset of the first escape, or run of escapes, that makes the text undecodable. */
function columnOfFault(raw: string): number {
  for (const run of raw.matchAll(/(?:%[0-9a-f]{2})+|%/gi)) {
    if (decode(run[0]) === undefined) return run.index
  }
  return 0
}

const documentedNames: ReadonlyMap<string, string> = new Map(
  [
    '$filter',
    '$apply',
    '$orderby',
    '$select',
    '$page',
    '$pageSize',
    '$top',
    '$skip',
    '$count',
    '$format',
  ].map((name) => [name.slice(1).toLowerCase(), name]),
)

/** `FILTER` is documented as `$filter`; an unknown name stays as the caller wrote it. */
function documentedName(name: string): string {
  return documentedNames.get(name.replace(/^\$/, '').toLowerCase()) ?? name
}
