/** Makes an older snapshot current, and holds refreshes so that none undoes it. */
import { MOST_REASON } from '../../directory/holds/holds.ts'
import { rollBackSnapshot } from '../../ingest/refresh/roll-back.ts'
import { Problem } from '../../kernel/problem.ts'
import Type from '../../kernel/type.ts'
import { nullable } from '../../schema/shapes.ts'
import type { ResourceRoutes } from '../admin-deps.ts'
import { Holding } from '../holds/hold-shapes.ts'
import { refreshRunning, snapshotUnusable } from '../problems.ts'
import { knownSnapshot } from './known-snapshot.ts'

const RolledBack = Type.Object({
  snapshot: Type.String({ description: 'The snapshot that is current now' }),
  before: nullable(Type.String({ description: 'The one that was current before' })),
  held: nullable(Holding),
})

export const rollbackRoute: ResourceRoutes = (add, deps) =>
  add({
    method: 'POST',
    path: '/snapshots/:id/rollback',
    operationId: 'rollBackSnapshot',
    role: 'admin',
    tag: 'Snapshots',
    summary: 'Make an older snapshot current, and hold refreshes',
    description:
      'Every file of it is verified first. Requests are answered from it within two seconds. Refreshes are held until somebody resumes them, so that the next one does not undo it. The body may be left out. For the snapshot that is current already nothing is changed, and `held` is null.',
    params: Type.Object({ id: Type.String({ description: 'Id of the snapshot' }) }),
    body: Type.Object(
      {
        reason: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: MOST_REASON,
            description: 'Why, for whoever finds refreshes held',
          }),
        ),
      },
      { additionalProperties: false },
    ),
    answer: { description: 'The snapshot is current', shape: RolledBack },
    refusals: {
      404: 'There is no such snapshot',
      409: 'A refresh is running, or the snapshot is damaged or of another format',
    },
    isBeyondStore: true,
    handle: async ({ params: { id }, body: { reason }, by }) => {
      const wanted = await knownSnapshot(id, deps)
      const done = await rollBackSnapshot(deps.config, { wanted, by, reason }).catch((cause: unknown) => {
        if (!(cause instanceof Problem)) throw cause
        if (cause.kind === 'locked') throw refreshRunning()
        throw cause.kind === 'storage-failure' ? snapshotUnusable(cause.message) : cause
      })
      return { snapshot: done.snapshot, before: done.before ?? null, held: done.held }
    },
  })
