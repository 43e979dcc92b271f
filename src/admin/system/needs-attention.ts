/** What an operator should look at, found in the stores when it is asked for: nothing here is remembered. */
import { createScheduleOperations } from '../../automation/schedules/schedule-operations.ts'
import { isUsable } from '../../directory/accounts/account.ts'
import { Problem } from '../../kernel/problem.ts'
import Type from '../../kernel/type.ts'
import { nullable } from '../../schema/shapes.ts'
import type { AdminDeps } from '../admin-deps.ts'

const kinds = [
  'refresh-refused',
  'refresh-failed',
  'endpoint-failing',
  'schedule-failing',
  'account-expires',
  'account-unused',
  'webhook-paused',
  'secret-expires',
  'secrets-sealed',
] as const

type Kind = (typeof kinds)[number]

/** The most subjects that one kind names. */
const MOST_NAMED = 20

export const Attention = Type.Object({
  kind: Type.Enum([...kinds]),
  total: Type.Integer({ description: 'How many there are' }),
  subjects: Type.Array(
    Type.Object({
      id: nullable(
        Type.String({
          description: 'Id of the account, endpoint or webhook; for a schedule, of its endpoint',
        }),
      ),
      name: Type.String(),
      message: Type.String({ description: 'What is the matter' }),
    }),
    { description: `The first ${MOST_NAMED} of them` },
  ),
})

type Subject = { readonly id: string | null; readonly name: string; readonly message: string }

const DAY_MS = 86_400_000
const EXPIRES_WITHIN_DAYS = 30
const UNUSED_DAYS = 90
/** A share of failed runs from which an endpoint counts as failing, and the fewest runs to tell. */
const FAILING_SHARE = 0.2
const FEWEST_RUNS = 5

type Found = Readonly<Partial<Record<Kind, readonly Subject[]>>>

export async function needsAttention(deps: AdminDeps, now: Date) {
  const found = await Promise.all([
    refreshes(deps),
    failingEndpoints(deps, now),
    failingSchedules(deps),
    accounts(deps, now),
    pausedWebhooks(deps),
    secrets(deps, now),
  ])
  const subjectsOf: Found = Object.assign({}, ...found)
  return kinds.flatMap((kind) => {
    const subjects = subjectsOf[kind] ?? []
    return subjects.length === 0
      ? []
      : [{ kind, total: subjects.length, subjects: subjects.slice(0, MOST_NAMED) }]
  })
}

async function refreshes({ refreshing }: AdminDeps): Promise<Found> {
  const latest = await refreshing.state()
  if (latest.state !== 'refused' && latest.state !== 'failed') return {}
  const subject = { id: null, name: `Refresh of ${latest.endedAt}`, message: latest.reason }
  return { [`refresh-${latest.state}`]: [subject] }
}

/** Since yesterday, because a day that has just begun says little. */
async function failingEndpoints({ history }: AdminDeps, now: Date): Promise<Found> {
  const from = new Date(now.getTime() - DAY_MS).toISOString().slice(0, 10)
  const statistics = await history.statistics({ from })
  return {
    'endpoint-failing': statistics
      .filter(({ runs, failed }) => runs >= FEWEST_RUNS && failed >= FAILING_SHARE * runs)
      .map(({ endpointId, endpointName, runs, failed }) => ({
        id: endpointId,
        name: endpointName,
        message: `${failed} of ${runs} runs failed since ${from}`,
      })),
  }
}

/** Those that are paused or inactive do not fail again, so nobody needs to look. */
async function failingSchedules({ store }: AdminDeps): Promise<Found> {
  const failing = await createScheduleOperations({ store }).list({ state: 'Active', failing: true })
  return {
    'schedule-failing': failing.map(({ endpointId, endpointName, name, failuresInARow, lastRun }) => ({
      id: endpointId,
      name: `${endpointName}: ${name}`,
      message: `The last ${failuresInARow === 1 ? 'run' : `${failuresInARow} runs`} failed: ${lastRun?.error ?? 'no reason is known'}`,
    })),
  }
}

async function accounts({ store }: AdminDeps, now: Date): Promise<Found> {
  const usable = (await store.accounts.list()).filter((account) => isUsable(account, now))
  const unusedSince = new Date(now.getTime() - UNUSED_DAYS * DAY_MS).toISOString()
  return {
    'account-expires': usable.filter(expiresSoon(now)).map(({ id, name, expiresAt }) => ({
      id,
      name,
      message: `It expires at ${expiresAt}`,
    })),
    'account-unused': usable
      .filter(({ lastUsedAt, createdAt }) => (lastUsedAt ?? createdAt) < unusedSince)
      .map(({ id, name, lastUsedAt }) => ({
        id,
        name,
        message: lastUsedAt === null ? 'It was never used' : `It was last used at ${lastUsedAt}`,
      })),
  }
}

async function pausedWebhooks({ store }: AdminDeps): Promise<Found> {
  return {
    'webhook-paused': (await store.webhooks.list()).flatMap(
      ({ id, description, clientNumber, pausedReason }) =>
        pausedReason === null
          ? []
          : [{ id, name: description ?? `Webhook of client ${clientNumber}`, message: pausedReason }],
    ),
  }
}

async function secrets({ store }: AdminDeps, now: Date): Promise<Found> {
  const all = (await store.secrets.list()).filter(({ isActive }) => isActive)
  const sealed = await sealedSecret(store, all[0]?.name)
  return {
    'secret-expires': all
      .filter(({ expiresAt }) => expiresAt !== null && expiresAt > now.toISOString())
      .filter(expiresSoon(now))
      .map(({ name, expiresAt }) => ({ id: null, name, message: `It expires at ${expiresAt}` })),
    ...(sealed !== null && { 'secrets-sealed': [sealed] }),
  }
}

/** All secrets have the same key, so one of them shows whether the service has it. */
async function sealedSecret(store: AdminDeps['store'], name: string | undefined): Promise<Subject | null> {
  if (name === undefined) return null
  try {
    await store.secrets.read(name)
    return null
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem
    return { id: null, name, message: problem.message }
  }
}

const expiresSoon =
  (now: Date) =>
  ({ expiresAt }: { readonly expiresAt: string | null }): boolean =>
    expiresAt !== null && Date.parse(expiresAt) < now.getTime() + EXPIRES_WITHIN_DAYS * DAY_MS
