/**
 * Splits the query part of an address into parameters in their order, repetitions included. Form encoding: `+` is a space.
 * The query languages decide which parameters they know; that of version 1 also decodes the values itself.
 */
import { decodeForm, formPairs, undecodablePart } from '../../kernel/addresses/form-encoding.ts'
import { undecodableParameter } from '../problems.ts'

type Parameter = readonly [name: string, value: string]

/**
 * Names and values decoded.
 *
 * @throws QueryProblem at the first sequence that is not percent-encoded UTF-8, naming the parameter
 */
export const readParameters = (address: string): readonly Parameter[] =>
  formPairs(queryPart(address)).map(decodeParameter)

/** Names are decoded, or left as they are when they cannot be decoded. Values are left as they were sent. */
export const readRawParameters = (address: string): readonly Parameter[] =>
  formPairs(queryPart(address)).map(([rawName, rawValue]) => [decodeForm(rawName) ?? rawName, rawValue])

/** The text after the question mark, as it was sent. */
export function queryPart(address: string): string {
  const start = address.indexOf('?')
  return start === -1 ? '' : address.slice(start + 1)
}

function decodeParameter([rawName, rawValue]: Parameter): Parameter {
  const name = decodeForm(rawName)
  if (name === undefined) throw undecodableParameter(rawName, rawName, undecodablePart(rawName).at)
  const value = decodeForm(rawValue)
  if (value === undefined)
    throw undecodableParameter(documentedName(name), rawValue, undecodablePart(rawValue).at)
  return [name, value]
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
