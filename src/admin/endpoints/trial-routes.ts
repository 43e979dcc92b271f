/** For authors of scripts: what is wrong with a script, and a trial of what it does with a request. */
import Type from 'typebox'
import { runReport } from '../../automation/runs/run-states.ts'
import { SampleRequest } from '../../schema/sample-request.ts'
import type { ResourceRoutes } from '../admin-deps.ts'
import { EndpointDraft, endpointId, findings, ScriptFinding } from './endpoint-shapes.ts'
import { RunReport } from './run-shapes.ts'

const tag = 'Endpoints'
const strict = { additionalProperties: false } as const

export const trialRoutes: ResourceRoutes = (add, { operations }) => {
  add({
    method: 'POST',
    path: '/endpoints/:id/test',
    operationId: 'testEndpoint',
    tag,
    summary: 'Try the draft with a request',
    description:
      'A `definition` runs in place of the draft, and is not saved. It is a dry run: nothing that the script writes stays, and no message is sent; the answer tells what was held back. Tokens, signatures and repeated deliveries are not looked at. The trial is recorded with the type `Test`.',
    params: endpointId,
    body: Type.Object(
      {
        request: SampleRequest,
        definition: Type.Optional(EndpointDraft),
      },
      strict,
    ),
    answer: { description: 'How the run went', shape: RunReport },
    refusals: {
      404: 'There is no such endpoint',
      409: 'The script has problems, which `details` tells',
      503: 'Too many runs are under way',
    },
    handle: async ({ params: { id }, body, user, request }) =>
      runReport(await operations.trial(id, body.request, { user, requestId: request.id }, body.definition)),
  })
  add({
    method: 'POST',
    path: '/endpoints/check',
    operationId: 'checkScript',
    tag,
    summary: 'What is wrong with a script',
    description: 'Nothing runs and nothing is saved.',
    body: Type.Object(
      { script: Type.String({ maxLength: 2 ** 20, description: 'The text of the script' }) },
      strict,
    ),
    answer: {
      description: 'What was found',
      shape: Type.Object({
        problems: Type.Array(ScriptFinding, { description: 'With any it cannot be published' }),
        warnings: Type.Array(ScriptFinding, {
          description: 'What is allowed, and hardly what was meant. Looked for when there are no problems',
        }),
      }),
    },
    handle: async ({ body }) => {
      const problems = findings(await operations.problemsOf(body))
      return { problems, warnings: problems.length === 0 ? findings(await operations.warningsOf(body)) : [] }
    },
  })
}
