/** What a service that starts cannot read at the moment, although its settings name it: it serves all the same. */
import { opendirSync } from 'node:fs'
import { tokenKeysFault } from '../auth/tokens/keys.ts'
import { tokenRules } from '../auth/tokens/rules.ts'
import type { Config } from '../config/load-config.ts'
import { sourceUnreadable } from '../ingest/problems.ts'

export type StartFault = { readonly setting: string; readonly reason: string }

export function startFaults(config: Config): readonly StartFault[] {
  const faults = {
    jwtKeys: tokenKeysFault(tokenRules(config).keys),
    source: config.source === undefined ? null : sourceFault(config.source),
  }
  return Object.entries(faults).flatMap(([setting, reason]) => (reason === null ? [] : { setting, reason }))
}

function sourceFault(folder: string): string | null {
  try {
    opendirSync(folder).closeSync()
    return null
  } catch (cause) {
    return sourceUnreadable(folder, cause).message
  }
}
