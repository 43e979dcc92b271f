/** Finds the id of a delivery in its body. Takes a text, or a number that is written as a whole one. */
import { decodeForm, formPairs } from '../../kernel/addresses/form-encoding.ts'
import { unmarked } from '../../kernel/text.ts'
import type { ScriptRequest } from '../runs/run-states.ts'

/**
 * @param pointer a JSON pointer (RFC 6901); for a form, the slash and the name
 * @returns empty when there is no such id
 */
export function deliveryIdIn(
  rawBody: string | null,
  kind: ScriptRequest['bodyKind'],
  pointer: string,
): string {
  if (rawBody === null || kind === 'text') return ''
  const names = pointer.split('/').slice(1).map(unescaped)
  if (kind === 'form') return names.length === 1 ? formField(rawBody, names[0] as string) : ''
  const found = names.reduce<unknown>(memberOf, parsed(rawBody))
  if (typeof found === 'string') return found.trim()
  return typeof found === 'number' && Number.isSafeInteger(found) ? String(found) : ''
}

/** A repeated field is no id. */
function formField(rawBody: string, name: string): string {
  const values = formPairs(rawBody).flatMap(([given, value]) => (decodeForm(given) === name ? [value] : []))
  return values.length === 1 ? (decodeForm(values[0] as string)?.trim() ?? '') : ''
}

/** RFC 6901, section 4. */
const unescaped = (name: string): string => name.replaceAll('~1', '/').replaceAll('~0', '~')

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
  return (value as Readonly<Record<string, unknown>>)[name]
}

type Reviver = (name: string, value: unknown, context: { readonly source?: string }) => unknown

/** Ids of 64 bits differ in digits that a double does not hold, so large whole numbers stay as they are written. */
const keepsDigits: Reviver = (_name, value, { source = '' }) =>
  typeof value === 'number' && /^-?\d+$/.test(source) && !Number.isSafeInteger(value) ? source : value

/** Undefined for a body that is no JSON: the script would refuse it too. */
function parsed(rawBody: string): unknown {
  try {
    return JSON.parse(unmarked(rawBody), keepsDigits as Parameters<typeof JSON.parse>[1])
  } catch {
    return undefined
  }
}
