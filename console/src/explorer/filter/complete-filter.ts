/**
 * What may stand at a place of a filter that is being written: reads the tokens before it as far as they make sense, and never
 * fails. The service alone decides whether the filter is right.
 */
import { readToken, type Token } from '../../../../src/query/odata/read-token.ts'
import { collectionNamed, type ListName } from '../fields/list-fields.ts'
import type { Place } from '../fields/paths.ts'
import { placeOfField } from './filter-fields.ts'
import { pathOf } from './filter-tree.ts'

export type Expected =
  /** A field, a function, `not` or a parenthesis. */
  | { readonly kind: 'condition'; readonly from: number; readonly collection: string | undefined }
  /** The name after `segments.` */
  | { readonly kind: 'element'; readonly from: number; readonly collection: string }
  /** A label; it begins at `customDataFields`. */
  | { readonly kind: 'label'; readonly from: number }
  | { readonly kind: 'collection'; readonly from: number }
  | { readonly kind: 'operator'; readonly from: number; readonly place: Place | undefined }
  | { readonly kind: 'value'; readonly from: number; readonly place: Place | undefined }
  /** `and`, `or` and a closing parenthesis. */
  | { readonly kind: 'connective'; readonly from: number }
  | { readonly kind: 'nothing' }

const comparisons = new Set(['eq', 'ne', 'gt', 'ge', 'lt', 'le'])
const matches = new Set(['contains', 'startswith', 'endswith'])
const quantifiers = new Set(['any', 'all'])

type State =
  | 'condition'
  | 'function'
  | 'matched field'
  | 'collection'
  | 'path'
  | 'step'
  | 'bracket'
  | 'value'
  | 'list'
  | 'items'
  | 'connective'

type Reading = {
  readonly list: ListName
  state: State
  /** The names of the path that was read last, and where it begins. */
  names: string[]
  pathStart: number
  /** Whether the path is the first operand of a text function. */
  isMatched: boolean
  /** A collection for each open parenthesis of `any` and `all`, undefined for each other one. */
  readonly open: (string | undefined)[]
}

/** @param position where the text is being written; what follows it does not matter */
export function expectedAt(text: string, position: number, list: ListName): Expected {
  const before = text.slice(0, position)
  const reading: Reading = { list, state: 'condition', names: [], pathStart: 0, isMatched: false, open: [] }
  for (let at = 0; ; ) {
    const token = readToken(before, at)
    if (token.kind === 'end') return expected(reading, position)
    const isBeingWritten = token.span.end === position && canGrow(token)
    if (isBeingWritten) return expected(reading, token.span.start, token)
    read(reading, token)
    at = token.span.end
  }
}

const canGrow = ({ kind }: Token): boolean => kind !== 'symbol' && kind !== 'text'

function expected(reading: Reading, from: number, partial?: Token): Expected {
  const { state, names, pathStart } = reading
  const place = placeOfField(pathOf(...names), { list: reading.list, collection: collectionOf(reading) })
  const isText = partial?.kind === 'unterminated-text'
  switch (state) {
    case 'condition':
    case 'matched field':
      return isText ? { kind: 'nothing' } : { kind: 'condition', from, collection: collectionOf(reading) }
    case 'collection':
      return { kind: 'collection', from }
    case 'step':
    case 'bracket':
      return steps(reading, state === 'step' ? from : pathStart)
    case 'path':
      return reading.isMatched ? { kind: 'nothing' } : { kind: 'operator', from, place }
    case 'value':
    case 'items':
      return { kind: 'value', from, place }
    case 'connective':
      return { kind: 'connective', from }
    case 'function':
    case 'list':
      return { kind: 'nothing' }
  }
}

function steps({ list, names, pathStart }: Reading, from: number): Expected {
  const [first = ''] = names
  if (first === 'customDataFields') return { kind: 'label', from: pathStart }
  const isCollection = names.length === 1 && collectionNamed(list, first) !== undefined
  return isCollection ? { kind: 'element', from, collection: first } : { kind: 'nothing' }
}

const collectionOf = ({ open }: Reading): string | undefined => open.findLast((name) => name !== undefined)

/** Moves on by one token. A token that does not fit is passed over. */
function read(reading: Reading, token: Token): void {
  const { text } = token
  const word = token.kind === 'word' ? token.lower : ''
  switch (reading.state) {
    case 'condition':
      readCondition(reading, token, word)
      return
    case 'function':
      if (text === '(') reading.state = reading.isMatched ? 'matched field' : 'collection'
      return
    case 'matched field':
      beginPath(reading, token)
      return
    case 'collection':
      reading.open.push(text)
      reading.state = 'connective'
      return
    case 'path':
      readAfterPath(reading, text, word)
      return
    case 'step':
    case 'bracket':
      if (token.kind === 'word' || token.kind === 'text') reading.names.push(text)
      if (token.kind === 'word' || text === ']') reading.state = 'path'
      return
    case 'value':
      reading.state = 'connective'
      return
    case 'list':
      if (text === '(') reading.state = 'items'
      return
    case 'items':
      if (text === ')') reading.state = 'connective'
      return
    case 'connective':
      readConnective(reading, text, word)
      return
  }
}

function readCondition(reading: Reading, token: Token, word: string): void {
  if (token.text === '(') reading.open.push(undefined)
  else if (matches.has(word) || quantifiers.has(word)) {
    reading.isMatched = matches.has(word)
    reading.state = 'function'
  } else if (word !== 'not') {
    reading.isMatched = false
    beginPath(reading, token)
  }
}

function beginPath(reading: Reading, token: Token): void {
  reading.pathStart = token.span.start
  reading.names = token.kind === 'word' ? [token.text] : []
  reading.state = token.text === '[' ? 'bracket' : 'path'
}

function readAfterPath(reading: Reading, text: string, word: string): void {
  if (text === '.') reading.state = 'step'
  else if (text === '[') reading.state = 'bracket'
  else if (reading.isMatched ? text === ',' : comparisons.has(word)) reading.state = 'value'
  else if (word === 'in' || word === 'nin') reading.state = 'list'
}

/** After a whole condition, or after the collection of `any` and `all`. */
function readConnective(reading: Reading, text: string, word: string): void {
  if (word === 'and' || word === 'or') reading.state = 'condition'
  else if (text === ',' && reading.open.at(-1) !== undefined) reading.state = 'condition'
  else if (text === ')') {
    if (reading.isMatched) reading.isMatched = false
    else reading.open.pop()
  }
}
