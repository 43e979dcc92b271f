/** Bodies of the admin API: JSON and nothing else; an empty body is none. */
import type { FastifyInstance } from 'fastify'
import { pathOfInfinity } from './infinite-numbers.ts'
import { adminBodyTooLarge, malformedBody } from './problems.ts'

export function jsonBodies(scope: FastifyInstance, mostBytes: number): void {
  // Whatever is thrown here goes on to the handler of the server.
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
  const path = pathOfInfinity(text, value)
  if (path !== null) {
    throw malformedBody(`expected a number from -1.8e308 to 1.8e308 at '${path}', found a larger one`)
  }
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
