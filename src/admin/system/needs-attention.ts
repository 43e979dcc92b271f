/** What an operator should look at, found in the stores when it is asked for: nothing here is remembered. */
import { failingEndpoints } from '../../automation/operations/failing-endpoints.ts'
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
  'account-altered',
  'account-expires',
  'account-unused',
  'webhook-paused',
  'secret-expires',
  'secrets-sealed',
] as const

type Kind = (typeof kinds)[number]

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
      name: Type.String({ examples: ['Nightly report'] }),
      message: Type.String({
        description: 'What is the matter',
        examples: ['5 of 6 runs failed since 2026-01-31'],
      }),
    }),
    { description: 'The first of them' },
  ),
})

type Subject = { readonly id: string | null; readonly name: string; readonly message: string }

const DAY_MS = 86_400_000

/** From when on something counts, and how many subjects of each kind are named. */
export type AttentionRules = {
  readonly expiresWithinDays: number
  readonly unusedDays: number
  readonly mostNamed: number
}

export const usualRules: AttentionRules = { expiresWithinDays: 30, unusedDays: 90, mostNamed: 20 }

type Found = Readonly<Partial<Record<Kind, readonly Subject[]>>>

export async function needsAttention(deps: AdminDeps, now: Date, rules = usualRules) {
  const found = await Promise.all([
    refreshes(deps),
    endpoints(deps, now),
    failingSchedules(deps),
    accounts(deps, now, rules),
    alteredAccounts(deps),
    pausedWebhooks(deps),
    secrets(deps, now, rules),
  ])
  const subjectsOf: Found = Object.assign({}, ...found)
  return kinds.flatMap((kind) => {
    const subjects = subjectsOf[kind] ?? []
    return subjects.length === 0
      ? []
      : [{ kind, total: subjects.length, subjects: subjects.slice(0, rules.mostNamed) }]
  })
}

async function refreshes({ refreshing }: AdminDeps): Promise<Found> {
  const latest = await refreshing.state()
  if (latest.state !== 'refused' && latest.state !== 'failed') return {}
  const subject = { id: null, name: `Refresh of ${latest.endedAt}`, message: latest.reason }
  return { [`refresh-${latest.state}`]: [subject] }
}

async function endpoints({ history, store }: AdminDeps, now: Date): Promise<Found> {
  const failing = await failingEndpoints({ endpoints: store.endpoints, history }, now)
  return {
    'endpoint-failing': failing.map(({ endpointId, endpointName, message }) => ({
      id: endpointId,
      name: endpointName,
      message,
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

async function accounts({ store }: AdminDeps, now: Date, rules: AttentionRules): Promise<Found> {
  const usable = (await store.accounts.list()).filter((account) => isUsable(account, now))
  const unusedSince = new Date(now.getTime() - rules.unusedDays * DAY_MS).toISOString()
  return {
    'account-expires': usable.filter(expiresSoon(now, rules)).map(({ id, name, expiresAt }) => ({
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

async function alteredAccounts({ store }: AdminDeps): Promise<Found> {
  const { refused } = await store.accounts.verify()
  return {
    'account-altered': refused.map(({ account: { id, name, clientNumber }, fault, madeForClient }) => ({
      id,
      name,
      message:
        madeForClient !== null && madeForClient !== clientNumber
          ? `It was made for client ${madeForClient}, and its row names client ${clientNumber}: its key and psk are refused`
          : `${faultTexts[fault]}: its key and psk are refused`,
    })),
  }
}

const faultTexts = {
  missing: 'It was changed by an older version, or in SQL',
  altered: 'Its row does not match its checksum',
  'other-key': 'It is sealed with another secret key than that of this service',
} as const

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

async function secrets({ store }: AdminDeps, now: Date, rules: AttentionRules): Promise<Found> {
  const all = (await store.secrets.list()).filter(({ isActive }) => isActive)
  const sealed = await sealedSecret(store, all[0]?.name)
  return {
    'secret-expires': all
      .filter(({ expiresAt }) => expiresAt !== null && expiresAt > now.toISOString())
      .filter(expiresSoon(now, rules))
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
  (now: Date, { expiresWithinDays }: AttentionRules) =>
  ({ expiresAt }: { readonly expiresAt: string | null }): boolean =>
    expiresAt !== null && Date.parse(expiresAt) < now.getTime() + expiresWithinDays * DAY_MS
