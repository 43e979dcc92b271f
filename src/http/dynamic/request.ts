/**
 * A call of a dynamic endpoint as scripts see it (specification 4.3, design 8.4): the address and headers of the request
 * enter, plain data leaves. Names come from callers, so nothing is inherited beside them.
 */
import type { ScriptRequest } from '../../automation/runs/run-states.ts'
import { nullPrototypeObject } from '../../kernel/null-prototype-object.ts'
import { QueryProblem } from '../../kernel/problem.ts'
import { queryPart, readParameters } from '../lists/query-parameters.ts'
import { malformedRequest } from '../problems.ts'

type Address = Pick<ScriptRequest, 'path' | 'queryString' | 'query'>

/** @throws Problem SRV105 when it is not percent-encoded UTF-8 */
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

/** Errors of dynamic endpoints have one member, `error`: they are not those of the query languages. */
function parametersOf(address: string): ReturnType<typeof readParameters> {
  try {
    return readParameters(address)
  } catch (error) {
    throw error instanceof QueryProblem ? malformedRequest(`in its query, ${error.message}`) : error
  }
}

/** All of them, in lower case; node itself would drop the repetitions of some. */
export function scriptHeaders(raw: readonly string[]): Record<string, string> {
  const headers = nullPrototypeObject<string>()
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase()
    const value = raw[i + 1] as string
    const earlier = headers[name]
    headers[name] = earlier === undefined ? value : earlier + (name === 'cookie' ? '; ' : ', ') + value
  }
  return headers
}
