/**
 * The dynamic endpoints in the OpenAPI document: one operation per method for all of them, because the script of each endpoint
 * decides what it takes and answers (specification 4.3 and 7.3). These schemas are documentation only.
 */
import type { FastifySchema } from 'fastify'
import Type from '../../kernel/type.ts'
import { ENDPOINT_PREFIX, type EndpointMethod } from '../../schema/endpoint-shapes.ts'
import { tooManyFailures } from '../problems.ts'
import {
  errorAnswer,
  errorAnswerOf,
  header,
  methodNotAllowed,
  one,
  requestIdAnswer,
  requestIdHeader,
} from './answers.ts'

/** OpenAPI has no `*` in paths. */
export const dynamicTransform = ({ schema }: { readonly schema: FastifySchema }) => ({
  schema,
  url: `${ENDPOINT_PREFIX}{route}`,
})

const summaries: { readonly [M in EndpointMethod]: string } = {
  GET: 'Calls an endpoint of the operator with GET',
  POST: 'Calls an endpoint of the operator with POST',
  PUT: 'Calls an endpoint of the operator with PUT',
  PATCH: 'Calls an endpoint of the operator with PATCH',
  DELETE: 'Calls an endpoint of the operator with DELETE',
}

/** Whether a method takes a body. A body of GET is ignored. */
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
Runs the script of the route and returns its response. A route supports one method, or several if the operator has defined
them; HEAD is answered like GET, without the body. Large answers of text are compressed for callers that accept it. Paths match in any letter case. The script gets the parameters of the query; a repeated one is an array.

Errors are JSON objects with \`error\`. When the script failed, the object also has the \`executionId\`, with which the
operator finds the run.
`.trim()

const anyBody = {
  content: {
    'application/json': { schema: {} },
    'application/x-www-form-urlencoded': { schema: { type: 'object' } },
    'text/plain': { schema: { type: 'string' } },
  },
}

const executionIdHeader = {
  'X-Execution-Id': header('Identifies the call. If its script ran, the operator finds the run with it'),
}

const cacheHeader = { 'Cache-Control': header('no-store, unless the script says otherwise') }

const scriptAnswer = (text: string) => ({
  description: text,
  headers: { ...cacheHeader, ...executionIdHeader, ...requestIdAnswer },
  content: { 'application/json': { schema: {} } },
})

const scriptAnswers = {
  200: scriptAnswer(
    'The response of the script, or `{"duplicate": true}` for a delivery that was processed before',
  ),
  201: scriptAnswer('The script has created something'),
  204: {
    description: 'The script succeeded and returns no body',
    type: 'null',
    headers: { ...executionIdHeader, ...requestIdAnswer },
  },
  302: {
    description: 'The script redirects the caller',
    type: 'null',
    headers: { Location: header('The address to go to'), ...executionIdHeader, ...requestIdAnswer },
  },
}

const retryHeader = { 'Retry-After': header('Seconds to wait before the next attempt') }

const refusals = {
  400: errorAnswer(
    'The request is malformed, or the script does not accept its input',
    'Error',
    one({ error: 'The request is malformed: the body is not valid UTF-8' }),
    executionIdHeader,
  ),
  401: errorAnswer(
    'The token, or the signature of a delivery, is missing or not valid',
    'Error',
    one({ error: 'Authentication required' }),
    { 'WWW-Authenticate': header('Names the expected credential') },
  ),
  403: errorAnswer(
    'The token carries none of the roles that may call the endpoint, or the address of the caller is not allowed',
    'Error',
    one({ error: 'The token carries none of the roles that may call this endpoint' }),
    executionIdHeader,
  ),
  404: errorAnswer(
    'The endpoint does not exist or is not active, or the script found nothing',
    'Error',
    one({ error: 'There is no such address here; /docs lists those that exist' }),
    executionIdHeader,
  ),
  405: methodNotAllowed,
  409: errorAnswer(
    'The script cancelled the call for the reason in `error`, or the same delivery is being processed at the moment',
    'Error',
    one({ error: 'This delivery is being processed at the moment' }),
    { ...retryHeader, ...executionIdHeader },
  ),
  429: errorAnswer(
    'Too many requests from the same address were without a valid token or signature, or the caller calls the endpoint more often than it allows',
    'Error',
    one({ error: tooManyFailures(2).message }),
    retryHeader,
  ),
  500: errorAnswerOf(
    'The script failed, or exceeded one of its limits',
    {
      type: 'object',
      required: ['error'],
      properties: {
        error: { type: 'string', description: 'What went wrong' },
        executionId: { type: 'string', description: 'With it the operator finds the run' },
      },
    },
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
    'The body is compressed, or its charset is not UTF-8',
    'Error',
    one({ error: "Expected a body without a content coding, found 'gzip'" }),
  ),
}
