/**
 * Parses bodies of the admin API as JSON; a request may have no body. Refuses numbers that no double holds and texts that are no
 * Unicode, because parsing or storing would change them.
 */
import type { FastifyInstance } from 'fastify'
import { adminBodyTooLarge, malformedBody } from './problems.ts'

export function jsonBodies(scope: FastifyInstance, mostBytes: number): void {
  // An error that is thrown here goes to the error handler of the server.
  scope.setErrorHandler((error: { readonly code?: string }) => {
    throw error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? adminBodyTooLarge(mostBytes) : error
  })
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      done(null, parsed(request.headers['content-type'] ?? '', body as Buffer))
    } catch (problem) {
      done(problem as Error)
    }
  })
}

const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i

function parsed(contentType: string, body: Buffer): unknown {
  if (body.length === 0) return undefined
  if (!JSON_TYPE.test(contentType)) throw malformedBody(`its type is ${contentType}`)
  const text = decoded(body)
  const value = parsedJson(text)
  const fault = faultIn(text, value)
  if (fault !== null) throw malformedBody(`${fault.what} at '${fault.path}'`)
  return value
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw malformedBody((cause as Error).message)
  }
}

function decoded(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch {
    throw malformedBody('it is not UTF-8')
  }
}

/** Too large a number needs an exponent or 309 digits, half of a surrogate pair an escape. Most bodies have neither, and are not walked through. */
const CAN_HAVE_FAULTS = /[0-9][eE]|[0-9]{309}|\\u[dD][89a-fA-F]/

type Fault = { readonly what: string; readonly path: string }

/** The first value that nothing can keep as it is, with its JSON pointer: a number such as `1e400`, or half of a surrogate pair. */
function faultIn(text: string, value: unknown): Fault | null {
  return CAN_HAVE_FAULTS.test(text) ? find(value) : null
}

type Place = { readonly value: unknown; readonly path: string }

/** Uses a list in place of the call stack, because bodies may be nested deeply. */
function find(root: unknown): Fault | null {
  const waiting: Place[] = [{ value: root, path: '' }]
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { value, path } = place
    if (typeof value === 'number' && !Number.isFinite(value))
      return { what: 'expected a number from -1.8e308 to 1.8e308, found a larger one', path }
    // The path ends with the name of a member.
    if (!path.isWellFormed() || (typeof value === 'string' && !value.isWellFormed()))
      return {
        what: 'expected well-formed Unicode, found half of a surrogate pair',
        path: path.toWellFormed(),
      }
    if (typeof value !== 'object' || value === null) continue
    const members = Object.entries(value)
    for (const [name, member] of members.reverse()) {
      waiting.push({ value: member, path: `${path}/${name}` })
    }
  }
  return null
}
