/**
 * Turns the address and headers of a call into the plain data that scripts see (specification 4.3, design 8.4). Callers choose
 * the names, so the objects have no prototype.
 */
import type { ScriptRequest } from '../../automation/runs/run-states.ts'
import { nullPrototypeObject } from '../../kernel/null-prototype-object.ts'
import { QueryProblem } from '../../kernel/problem.ts'
import { queryPart, readParameters } from '../lists/query-parameters.ts'
import { malformedRequest } from '../problems.ts'

type Address = Pick<ScriptRequest, 'path' | 'queryString' | 'query'>

/** @throws Problem SRV105 when the address is not percent-encoded UTF-8 */
export function scriptAddress(address: string): Address {
  const query = queryPart(address)
  return {
    path: decodeURIComponent(address.split('?', 1)[0] as string),
    queryString: query === '' ? '' : `?${query}`,
    query: queryOf(address),
  }
}

function queryOf(address: string): Record<string, string | string[]> {
  const query = nullPrototypeObject<string | string[]>()
  for (const [name, value] of parametersOf(address)) {
    const earlier = query[name]
    if (earlier === undefined) query[name] = value
    else if (Array.isArray(earlier)) earlier.push(value)
    else query[name] = [earlier, value]
  }
  return query
}

/** An error of a dynamic endpoint has one member, `error`; a QueryError has more. */
function parametersOf(address: string): ReturnType<typeof readParameters> {
  try {
    return readParameters(address)
  } catch (error) {
    throw error instanceof QueryProblem ? malformedRequest(`in its query, ${error.message}`) : error
  }
}

/**
 * Names in lower case, repeated headers joined. Read from the raw headers, because node drops some repetitions.
 *
 * @throws Problem SRV105 for a value that is not UTF-8
 */
export function scriptHeaders(raw: readonly string[]): Record<string, string> {
  const headers = nullPrototypeObject<string>()
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase()
    const value = headerText(name, raw[i + 1] as string)
    const earlier = headers[name]
    headers[name] = earlier === undefined ? value : earlier + (name === 'cookie' ? '; ' : ', ') + value
  }
  return headers
}

/** Node hands out each byte of a value as the character with its number. */
function headerText(name: string, value: string): string {
  if (!BEYOND_ASCII.test(value)) return value
  try {
    return utf8.decode(Buffer.from(value, 'latin1'))
  } catch {
    throw malformedRequest(`the header ${name} is not UTF-8`)
  }
}

const BEYOND_ASCII = /[\x80-\xff]/
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
