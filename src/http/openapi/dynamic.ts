/**
 * What the OpenAPI document says of dynamic endpoints: one operation per method that stands for all of them, since what each
 * takes and answers is its script's business (specification 4.3 and 7.3). Nothing here is executed.
 */
import type { FastifySchema } from 'fastify'
import Type from 'typebox'
import { ENDPOINT_PREFIX, type EndpointMethod } from '../../schema/endpoint-shapes.ts'
import { tooManyFailures } from '../problems.ts'
import { errorAnswer, header, methodNotAllowed, one, requestIdAnswer, requestIdHeader } from './answers.ts'

/** The document knows no `*`. */
export const dynamicTransform = ({ schema }: { readonly schema: FastifySchema }) => ({
  schema,
  url: `${ENDPOINT_PREFIX}{route}`,
})

const summaries: { readonly [M in EndpointMethod]: string } = {
  GET: 'Asks an endpoint of the operator for something',
  POST: 'Sends something to an endpoint of the operator',
  PUT: 'Replaces something by an endpoint of the operator',
  PATCH: 'Changes something by an endpoint of the operator',
  DELETE: 'Deletes something by an endpoint of the operator',
}

/** Bodies of GET are ignored. */
const bodies: { readonly [M in EndpointMethod]: boolean } = {
  GET: false,
  POST: true,
  PUT: true,
  PATCH: true,
  DELETE: true,
}

export function dynamicOperation(method: EndpointMethod): FastifySchema {
  return {
    operationId: `${method.toLowerCase()}DynamicEndpoint`,
    tags: ['Dynamic endpoints'],
    summary: summaries[method],
    description,
    security: [{ bearer: [] }, {}],
    params: Type.Object({
      route: Type.String({ description: 'The path of the endpoint; it may have several segments' }),
    }),
    headers: Type.Object({ ...requestIdHeader }),
    ...(bodies[method] && { body: anyBody }),
    response: { ...scriptAnswers, ...refusals, ...(bodies[method] && bodyRefusals) },
  } as FastifySchema
}

const description = `
Runs the script behind the route and answers what the script says. A route answers to one method, or to several where the
operator has defined it so. Texts of a path match in any case. Parameters of the query are handed to the script; one that is
given several times as an array.

Errors are JSON objects with \`error\`; those of a script that failed also tell the \`executionId\` under which the operator
finds the run.
`.trim()

const anyBody = {
  content: {
    'application/json': { schema: {} },
    'application/x-www-form-urlencoded': { schema: { type: 'object' } },
    'text/plain': { schema: { type: 'string' } },
  },
}

const executionIdHeader = {
  'X-Execution-Id': header('Identifies the call; if its script ran, the operator finds the run by it'),
}

const cacheHeader = { 'Cache-Control': header('no-store, unless the script says otherwise') }

const scriptAnswer = (text: string) => ({
  description: text,
  headers: { ...cacheHeader, ...executionIdHeader, ...requestIdAnswer },
  content: { 'application/json': { schema: {} } },
})

const scriptAnswers = {
  200: scriptAnswer(
    'What the script answers. Also `{"duplicate": true}` for a delivery that was dealt with already.',
  ),
  201: scriptAnswer('The script has created something'),
  204: {
    description: 'The script has done it, and there is nothing to tell',
    type: 'null',
    headers: { ...executionIdHeader, ...requestIdAnswer },
  },
  302: {
    description: 'The script sends the caller elsewhere',
    type: 'null',
    headers: { Location: header('Where to'), ...executionIdHeader, ...requestIdAnswer },
  },
}

const retryHeader = { 'Retry-After': header('Seconds to wait before the next attempt') }

const refusals = {
  400: errorAnswer(
    'The request cannot be understood, or the script does not accept its input',
    'Error',
    one({ error: 'The request is malformed: the body is not valid UTF-8' }),
    executionIdHeader,
  ),
  401: errorAnswer(
    'There is no valid token, or the delivery is not signed by whom it should be',
    'Error',
    one({ error: 'Authentication required' }),
    { 'WWW-Authenticate': header('Names what is expected') },
  ),
  403: errorAnswer(
    'The token carries none of the roles that may call the endpoint',
    'Error',
    one({ error: 'The token carries none of the roles that may call this endpoint' }),
    executionIdHeader,
  ),
  404: errorAnswer(
    'There is no such endpoint, it is not active, or the script finds nothing',
    'Error',
    one({ error: 'There is no such address here; /docs lists those that exist' }),
    executionIdHeader,
  ),
  405: methodNotAllowed,
  409: errorAnswer(
    'The same delivery is being dealt with at the moment',
    'Error',
    one({ error: 'This delivery is being dealt with at the moment' }),
    retryHeader,
  ),
  429: errorAnswer(
    'Too many requests from the same address were without a valid token or signature',
    'Error',
    one({ error: tooManyFailures(2).message }),
    retryHeader,
  ),
  500: errorAnswer(
    'The script failed, or exceeded one of its limits',
    'Error',
    one({ error: 'The script failed', executionId: '0b7f4a52-8f0e-4c61-9d0c-3a5d0f6d9a11' }),
    executionIdHeader,
  ),
  503: errorAnswer(
    'There is no room for another run at the moment, or tokens cannot be checked',
    'Error',
    one({
      error: 'The run did not begin within 10000 ms. Retry after 1 second.',
    }),
    retryHeader,
  ),
}

const bodyRefusals = {
  413: errorAnswer(
    'The body is too long: longer than 1 MiB by default',
    'Error',
    one({ error: 'The request body is longer than 1048576 bytes' }),
  ),
  415: errorAnswer(
    'The body is compressed, or in another charset than UTF-8',
    'Error',
    one({ error: "Expected a body without a content coding, found 'gzip'" }),
  ),
}
