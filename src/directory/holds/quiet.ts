/**
 * A quiet installation sends nothing to others by itself, so that a copy can run beside its original. It is quiet by a hold in
 * its store. A node can also start quiet for itself, which leaves other nodes of its store as they are: by the setting `quiet`,
 * or by the mark that a restore leaves in the data folder. Both end when somebody resumes the installation after that.
 */
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../config/load-config.ts'
import type { Held } from './held.ts'
import type { Holds } from './holds.ts'
import { outboundIsHeld } from './problems.ts'

const markPath = (dataFolder: string): string => join(dataFolder, QUIET_MARK)

export const QUIET_MARK = 'quiet.json'

/** The content of a mark. */
export const quietMark = (held: Held): string => `${JSON.stringify(held)}\n`

/** The settings of a node that starts now, with why it is quiet for itself. */
export function startingQuiet(config: Config): Config {
  const { data, quiet, sources } = config
  const mark = readMark(data)
  if (mark !== null) return { ...config, startedQuiet: mark }
  if (!quiet) return config
  const reason = `it was started with the setting quiet (${sources.quiet})`
  return { ...config, startedQuiet: { at: new Date().toISOString(), by: 'service:start', reason } }
}

export const removeQuietMark = (dataFolder: string): void => rmSync(markPath(dataFolder), { force: true })

export const hasQuietMark = (dataFolder: string): boolean => readMark(dataFolder) !== null

/** One that cannot be read counts, too, and from now on. */
function readMark(dataFolder: string): Held | null {
  let text: string
  try {
    text = readFileSync(markPath(dataFolder), 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return null
    text = ''
  }
  try {
    const { at, by, reason } = JSON.parse(text) as Partial<Held>
    if (typeof at === 'string' && typeof by === 'string' && typeof reason === 'string')
      return { at, by, reason }
  } catch {}
  const reason = `${QUIET_MARK} in the data folder cannot be read`
  return { at: new Date().toISOString(), by: 'service:start', reason }
}

/** What a node knows of it: its store, and how it was started. */
export type QuietPlace = {
  readonly holds: Pick<Holds, 'find'>
  readonly startedQuiet: Held | null
}

/** Why nothing goes out at the moment; null when everything does. */
export const quietNow = async ({ holds, startedQuiet }: QuietPlace): Promise<Held | null> => {
  const { held, resumedAt } = await holds.find('outbound')
  return held ?? ownQuiet(startedQuiet, resumedAt)
}

/** A resumption counts for nodes that started quiet before it. */
export const ownQuiet = (startedQuiet: Held | null, resumedAt: string | null): Held | null =>
  startedQuiet === null || (resumedAt ?? '') > startedQuiet.at ? null : startedQuiet

/** @throws Problem DIR840 */
export async function refuseWhileQuiet(place: QuietPlace): Promise<void> {
  const held = await quietNow(place)
  if (held !== null) throw outboundIsHeld(held)
}
