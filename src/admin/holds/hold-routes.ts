/** What operators hold for the whole installation, who holds it and why; hold it, and resume it. */
import type { HeldSubject } from '../../directory/holds/held.ts'
import { heldSubjects } from '../../directory/holds/held.ts'
import { MOST_REASON } from '../../directory/holds/holds.ts'
import { ownQuiet } from '../../directory/holds/quiet.ts'
import Type from '../../kernel/type.ts'
import { holdEffects } from '../../observe/service-health.ts'
import { moment, nullable } from '../../schema/shapes.ts'
import type { AdminDeps, ResourceRoutes } from '../admin-deps.ts'
import type { AddRoute, AdminRoute } from '../admin-route.ts'
import { Holding } from './hold-shapes.ts'

const Hold = Type.Object({
  subject: Type.Enum([...heldSubjects], { description: '`outbound`: the installation is quiet' }),
  held: nullable(Holding),
  effect: Type.String({ description: 'What it means while it is held' }),
  resumedAt: nullable(moment('When it was last resumed')),
})

const HoldRequest = Type.Object(
  {
    reason: Type.String({
      minLength: 1,
      maxLength: MOST_REASON,
      description: 'Why, for whoever finds it held',
    }),
  },
  { additionalProperties: false },
)

type Row = {
  readonly subject: HeldSubject
  /** As it stands in the ids of operations. */
  readonly name: string
  readonly role: AdminRoute<never, never, never>['role']
  readonly hold: readonly [summary: string, description: string]
  readonly resume: readonly [summary: string, description: string]
}

const rows: readonly Row[] = [
  {
    subject: 'refreshes',
    name: 'Refreshes',
    role: 'admin',
    hold: [
      'Hold refreshes',
      'No refresh begins, by schedule or on request, so that the current snapshot stays. One that runs goes on. A rollback holds them, too.',
    ],
    resume: ['Resume refreshes', 'The next one publishes a new snapshot, as always.'],
  },
  {
    subject: 'schedules',
    name: 'Schedules',
    role: 'support or author',
    hold: [
      'Hold all schedules',
      'No run begins by the clock; runs that are under way go on, and a schedule can still be run on request.',
    ],
    resume: [
      'Resume all schedules',
      'Each makes up for what it missed as its `missedRuns` says. Schedules that are paused stay so.',
    ],
  },
  {
    subject: 'outbound',
    name: 'Outbound',
    role: 'admin',
    hold: [
      'Make the installation quiet',
      'No schedule and no scheduled refresh begins, HTTP requests and mail of scripts fail with DIR840, and webhooks wait, on all nodes. What was sent already is not called back.',
    ],
    resume: [
      'End the quiet of the installation',
      'Also of nodes that were started quiet or restored from a backup. Schedules make up for what they missed as their `missedRuns` says, and waiting webhooks are sent.',
    ],
  },
]

export const holdRoutes: ResourceRoutes = (add, deps) => {
  add({
    method: 'GET',
    path: '/holds',
    operationId: 'listHolds',
    role: 'viewer',
    tag: 'System',
    summary: 'List what operators can hold, and whether they do',
    description:
      'A node that was started quiet says so for itself; everything else is the same on all nodes of a store.',
    answer: {
      description: 'One item for each',
      shape: Type.Object({ items: Type.Array(Hold), next: Type.Null(), total: Type.Integer() }),
    },
    handle: async () => {
      const items = (await deps.store.holds.list()).map((state) => shown(state, deps))
      return { items, next: null, total: items.length }
    },
  })
  for (const row of rows) changingRoutes(add, deps, row)
}

function changingRoutes(add: AddRoute, deps: AdminDeps, { subject, name, role, ...texts }: Row): void {
  const { holds } = deps.store
  const answer = { description: 'As it is now', shape: Hold }
  add({
    method: 'POST',
    path: `/holds/${subject}/hold`,
    operationId: `hold${name}`,
    role,
    tag: 'System',
    summary: texts.hold[0],
    description: `${texts.hold[1]} What is held already stays as it is held.`,
    body: HoldRequest,
    answer,
    handle: async ({ by, body: { reason } }) =>
      shown(await holds.hold(subject, { at: new Date().toISOString(), by, reason }), deps),
  })
  add({
    method: 'POST',
    path: `/holds/${subject}/resume`,
    operationId: `resume${name}`,
    role,
    tag: 'System',
    summary: texts.resume[0],
    description: texts.resume[1],
    answer,
    handle: async ({ by }) => shown(await holds.resume(subject, by, new Date().toISOString()), deps),
  })
}

/** A node that is quiet for itself says so. */
function shown(
  { subject, held, resumedAt }: Awaited<ReturnType<AdminDeps['store']['holds']['find']>>,
  { config }: AdminDeps,
) {
  const own = subject === 'outbound' ? ownQuiet(config.startedQuiet ?? null, resumedAt) : null
  return { subject, held: held ?? own, effect: holdEffects[subject], resumedAt }
}
