/**
 * Successions as small immutable objects beside the steps. The key has all but the list of clients without steps, which is the
 * content and nearly always empty:
 *
 *     successions/<moment>.<snapshot>.<before>.<compared>.<number of steps>.<number of unknown clients>.<SHA-256 of the content>
 */

import { Problem } from '../../kernel/problem.ts'
import { isOutOfFiles } from '../../observe/open-files.ts'
import { timeOfSnapshot } from '../format/layout.ts'
import type { ObjectStore } from '../objects/object-store.ts'
import { isUnavailable, notReadableNow } from '../problems.ts'
import { CHANGES_FOLDER, type StepFiles, sha256Of } from './step-files.ts'
import { beforeOf, LOST, type NewSuccession, nextMoment, type Succession } from './succession.ts'

/** No client has a folder of this name: those end with a hash. */
const FOLDER = 'successions/'

/**
 * Notes that a snapshot becomes current now. To be called when its steps are stored, just before the switch.
 *
 * @throws Problem when it cannot be stored
 */
export async function noteSuccession(files: StepFiles, succession: NewSuccession): Promise<void> {
  const { store, prefix, list, problemOf } = files
  const failing = (cause: unknown): never => {
    throw cause instanceof Problem ? cause : problemOf(cause)
  }
  const noted = await list(`${prefix}${FOLDER}`).catch(failing)
  const newest = noted.flatMap(({ key }) => partsOf(key)?.at ?? []).sort((one, other) => other - one)[0]
  const before = beforeOf(succession.before, newest)
  const { key, content, sha256 } = objectOf({ ...succession, before, at: nextMoment(Date.now(), newest) })
  await store.put(`${prefix}${key}`, { chunks: [content], bytes: content.byteLength, sha256 }).catch(failing)
}

function objectOf({
  at,
  snapshot,
  before,
  compared,
  steps,
  unknown,
}: NewSuccession & { readonly at: number }) {
  const content = Buffer.from(JSON.stringify(unknown))
  const sha256 = sha256Of(content)
  const name = [
    new Date(at).toISOString().replace(/[-:.]/g, ''),
    ...[snapshot, before ?? NONE, compared ?? NONE],
    ...[steps, unknown.length, sha256],
  ]
  return { key: `${FOLDER}${name.join('.')}`, content, sha256 }
}

/**
 * A file for a data folder that does not get its snapshots: the first snapshot there will not be the first of all.
 *
 * @param snapshot the one that was current
 * @returns the path is relative to the data folder
 */
export function leftOutSnapshots(snapshot: string): { readonly path: string; readonly content: string } {
  const left = { snapshot, before: LOST, compared: null, steps: 0, unknown: [], at: Date.now() }
  const { key, content } = objectOf(left)
  return { path: `${CHANGES_FOLDER}/${key}`, content: String(content) }
}

/** Notes that an earlier snapshot becomes current again. @param before the snapshot that was current */
export const noteReturn = (files: StepFiles, snapshot: string, before: string | undefined): Promise<void> =>
  noteSuccession(files, { snapshot, before: before ?? null, compared: null, steps: 0, unknown: [] })

/** In the order of their moments. @throws Problem of the kind `unavailable` when they cannot be known at the moment */
export async function fileSuccessions({ prefix, list, load }: StepFiles): Promise<readonly Succession[]> {
  const objects = await list(`${prefix}${FOLDER}`).catch(telling)
  const successions = objects.map(async (object): Promise<readonly Succession[]> => {
    const parts = partsOf(object.key)
    if (parts === null) return []
    const { at, snapshot, before, compared, unknownClients, sha256 } = parts
    const succession = { at, snapshot, before, compared, unknown: [] }
    if (unknownClients === 0) return [succession]
    try {
      return [{ ...succession, unknown: JSON.parse(String(await load({ ...object, sha256 }))) }]
    } catch (cause) {
      if (isUnavailable(cause) || isOutOfFiles(cause)) telling(cause)
      // Damaged: of no client it is known any more whether it changed.
      return [{ ...succession, compared: null }]
    }
  })
  return (await Promise.all(successions)).flat().sort((one, other) => one.at - other.at)
}

/**
 * Removes successions of which the steps are too old, and those of which steps are missing: without its succession nothing is
 * concluded from the steps of a snapshot.
 *
 * @param keys may have others
 * @param steps how many there are of each snapshot
 */
export async function removeSuccessions(
  store: ObjectStore,
  keys: readonly string[],
  before: Date,
  steps: ReadonlyMap<string, number>,
): Promise<void> {
  const old = keys.filter((key) => {
    const parts = partsOf(key)
    if (parts === null) return false
    const { at, snapshot, compared } = parts
    // A return has no steps of its own.
    const time = compared === null ? at : Math.min(at, timeOfSnapshot(snapshot))
    return time < before.getTime() || (steps.get(snapshot) ?? 0) < parts.steps
  })
  await store.delete(old)
}

/** Callers are not told the names of servers. */
function telling(cause: unknown): never {
  throw isUnavailable(cause) || isOutOfFiles(cause)
    ? notReadableNow('Which snapshot was current then', cause as Problem)
    : cause
}

const NONE = 'none'

const KEY = /(?:^|\/)successions\/(\w+)\.([\w-]+)\.([\w-]+)\.([\w-]+)\.(\d+)\.(\d+)\.([0-9a-f]{64})$/

/** Null for a file that is no succession. */
function partsOf(key: string) {
  const found = KEY.exec(key)
  if (found === null) return null
  const [, moment = '', snapshot = '', before, compared, steps, unknownClients, sha256 = ''] = found
  return {
    at: timeOfSnapshot(`${moment}-`),
    snapshot,
    before: before === NONE ? null : (before as string),
    compared: compared === NONE ? null : (compared as string),
    steps: Number(steps),
    unknownClients: Number(unknownClients),
    sha256,
  }
}
