/**
 * Parses $select into the paths of the members that records shall have:
 *
 *     select = item { "," item }
 *     item   = "*" | path
 *
 * Accepts `recordLocator`, `lineItems.lineType`, `customDataFields['Cost centre']`, `*`. Binding looks up the names.
 */
import type { FieldPath } from '../ast.ts'
import { emptyValue } from '../problems.ts'
import { adviceForLabelInList } from './other-forms.ts'
import { parsePath } from './parse-path.ts'
import {
  advance,
  atEnd,
  atSymbol,
  openTokenReader,
  placeAt,
  type TokenReader,
  takeSymbol,
  unexpectedToken,
} from './token-reader.ts'

/** The name of the path that means the record as specified. No bare name is written like it. */
const EVERY_MEMBER = '*'

/** @throws QueryProblem QRY1xx where the text does not match the grammar */
export function parseSelect(input: string): readonly FieldPath[] {
  const reader = openTokenReader('$select', input)
  if (atEnd(reader)) throw emptyValue(placeAt(reader, 0), 'the names of fields, separated by commas')
  const paths: FieldPath[] = []
  do paths.push(parseItem(reader))
  while (takeSymbol(reader, ','))
  if (!atEnd(reader))
    throw unexpectedToken(reader, "',' or the end of the value", { hint: adviceAfter(paths, reader) })
  return paths
}

/** There are no operators here, so no word is reserved. */
const reserved: ReadonlySet<string> = new Set()

function adviceAfter(paths: readonly FieldPath[], { token, input }: TokenReader): string | undefined {
  if (token.kind !== 'word') return undefined
  const label = adviceForLabelInList(input.slice(paths.at(-1)?.span.start))
  return label && `names are separated by commas; ${label}`
}

function parseItem(reader: TokenReader): FieldPath {
  if (!atSymbol(reader, EVERY_MEMBER)) return parsePath(reader, reserved)
  const { span } = advance(reader)
  return { names: [{ name: EVERY_MEMBER, quoted: false, span }], span }
}
