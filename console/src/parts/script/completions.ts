/** What can be written at a place of a script: keywords, functions, the script's own names, members of `Data`, modules. */
import { keywords } from '../../../../src/script/syntax/tokens.ts'
import { type ScannedScript, tokenIndexAt } from './scan-script.ts'
import type { FunctionSignature } from './signatures.ts'

export type Offer = {
  readonly label: string
  readonly kind: 'keyword' | 'function' | 'method' | 'variable' | 'variant' | 'property' | 'module'
  readonly detail?: string
  readonly signature?: FunctionSignature
  readonly about?: string
  /** Functions are written with parentheses. */
  readonly isCalled?: boolean
}

export type Offers = { readonly from: number; readonly offers: readonly Offer[] }

export type Offered = {
  readonly functions: ReadonlyMap<string, FunctionSignature>
  readonly dataMembers: readonly (readonly [path: string, about: string])[]
  readonly moduleNames: readonly string[]
}

const WORD = /[\p{L}_][\p{L}\p{Nd}_]*$/u
const DATA_PATH = /(?:^|[^.\p{L}\p{Nd}_])Data((?:\.[\p{L}\p{Nd}_]+)*)\.$/u
const IMPORT = /(?:^|\n)\s*import\s+["']([^"'\n]*)$/

/** Null in comments, texts and numbers. */
export function offersAt(script: ScannedScript, at: number, offered: Offered): Offers | null {
  const before = script.text.slice(Math.max(0, at - 300), at)
  const imported = IMPORT.exec(before)?.[1]
  if (imported !== undefined) {
    const offers = offered.moduleNames.map((label): Offer => ({ label, kind: 'module' }))
    return { from: at - imported.length, offers }
  }
  if (isInside(script, at)) return null
  const word = WORD.exec(before)?.[0] ?? ''
  const from = at - word.length
  const head = before.slice(0, before.length - word.length)
  const path = DATA_PATH.exec(head)?.[1]
  if (path !== undefined) return { from, offers: membersUnder(path.slice(1), script, offered) }
  if (/\.\s*$/.test(head)) return { from, offers: methods(offered) }
  return { from, offers: everything(script, offered, word) }
}

/** In a comment, a text or a number, or in something that is no token. */
function isInside({ tokens, comments }: ScannedScript, at: number): boolean {
  if (comments.some(({ span }) => span.start < at && at <= span.end)) return true
  const token = tokens[tokenIndexAt(tokens, at - 1)]
  if (token === undefined || token.span.start >= at) return false
  if (token.kind === 'number') return true
  return (token.kind === 'string' || token.kind === 'invalid') &&
    token.span.end >= at &&
    /^["']/.test(token.text)
    ? at < token.span.end || token.kind === 'invalid'
    : false
}

function membersUnder(path: string, { members }: ScannedScript, { dataMembers }: Offered): readonly Offer[] {
  const prefix = path === '' ? '' : `${path}.`
  const offers = new Map<string, Offer>()
  for (const [member, about] of dataMembers) {
    if (!member.startsWith(prefix)) continue
    const [label = '', ...below] = member.slice(prefix.length).split('.')
    const known = offers.get(label)
    if (known === undefined)
      offers.set(label, { label, kind: 'property', ...(below.length === 0 && { about }) })
  }
  if (path === '') {
    for (const label of members) if (!offers.has(label)) offers.set(label, { label, kind: 'property' })
  }
  return [...offers.values()]
}

/** `value.Name(...)` calls a function with the value as its first argument. */
const methods = ({ functions }: Offered): readonly Offer[] =>
  [...functions.values()]
    .filter(({ parameters, aliasOf }) => parameters.length > 0 && aliasOf === undefined)
    .map((signature) => ({ ...functionOffer(signature), kind: 'method' }))

function everything({ names }: ScannedScript, { functions }: Offered, word: string): readonly Offer[] {
  const own = names
    .filter(({ name }) => name !== word)
    .map(
      ({ name, kind, parameters }): Offer => ({
        label: name,
        kind,
        ...(parameters !== undefined && { detail: `(${parameters})`, isCalled: true }),
      }),
    )
  const known = new Set(own.map(({ label }) => label))
  return [
    ...own,
    ...(known.has('Data') ? [] : [{ label: 'Data', kind: 'variable' } as const]),
    ...[...functions.values()].filter(({ name }) => !known.has(name)).map(functionOffer),
    ...[...keywords].map((label): Offer => ({ label, kind: 'keyword' })),
  ]
}

const functionOffer = (signature: FunctionSignature): Offer => ({
  label: signature.name,
  kind: 'function',
  detail: signature.returns,
  signature,
  isCalled: true,
})
