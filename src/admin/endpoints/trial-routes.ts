/** For authors of scripts: checks a script, and runs a trial of it with a sample request. */

import { runReport } from '../../automation/runs/run-states.ts'
import Type from '../../kernel/type.ts'
import { ModuleDraft, ModuleName } from '../../schema/module-shapes.ts'
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
    role: 'author',
    tag,
    summary: 'Run a trial of the draft with a request',
    description:
      'With a `definition`, that runs instead of the draft and is not saved; with `modules`, those are imported instead of the published ones of their names. A trial is a dry run: nothing that the script writes stays, and no message is sent; the response lists what was held back. Tokens, signatures and repeated deliveries are not checked. The trial is recorded with the type `Test`.',
    params: endpointId,
    body: Type.Object(
      {
        request: SampleRequest,
        definition: Type.Optional(EndpointDraft),
        modules: Type.Optional(
          Type.Array(Type.Object({ name: ModuleName, script: ModuleDraft.properties.script }, strict), {
            maxItems: 100,
            description: 'Modules that are not saved',
          }),
        ),
      },
      strict,
    ),
    answer: { description: 'The report of the run', shape: RunReport },
    refusals: {
      404: 'There is no such endpoint',
      409: 'The script has problems, which `details` lists',
      503: 'Too many runs are in progress',
    },
    isBeyondStore: true,
    handle: async ({ params: { id }, body, user, request }) =>
      runReport(await operations.trial(id, body.request, { user, requestId: request.id }, body)),
  })
  add({
    method: 'POST',
    path: '/endpoints/check',
    operationId: 'checkScript',
    role: 'author',
    tag,
    summary: 'Check a script',
    description: 'Nothing runs and nothing is saved.',
    body: Type.Object(
      { script: Type.String({ maxLength: 2 ** 20, description: 'The text of the script' }) },
      strict,
    ),
    answer: {
      description: 'The findings',
      shape: Type.Object({
        problems: Type.Array(ScriptFinding, {
          description: 'Problems. A script with problems cannot be published',
        }),
        warnings: Type.Array(ScriptFinding, {
          description:
            'Code that is allowed but probably not meant. Warnings are looked for only when there are no problems',
        }),
      }),
    },
    handle: async ({ body }) => {
      const problems = findings(await operations.problemsOf(body))
      return { problems, warnings: problems.length === 0 ? findings(await operations.warningsOf(body)) : [] }
    },
  })
}
