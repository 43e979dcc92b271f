/**
 * A cache of compiled scripts. A published version never changes, so the key of its program is endpoint and version; the key of a
 * draft is the hash of its text.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Endpoints } from '../../directory/endpoints/endpoints.ts'
import { Problem } from '../../kernel/problem.ts'
import { type Compilation, compileScript } from '../../script/script.ts'
import { hostFunctions } from '../host/host-functions.ts'
import { endpointGone } from '../problems.ts'
import type { RunJob } from './run-states.ts'

export type ReadyScript = { readonly text: string; readonly compilation: Compilation }

/** @throws Problem END110 when the version was deleted */
export type Programs = (job: Pick<RunJob, 'endpoint' | 'source'>) => Promise<ReadyScript>

/** The size of the cache, in bytes. */
const MOST_WEIGHT = 64 * 2 ** 20

/** An estimate: bytes of a program per character of its script. */
const BYTES_PER_UNIT = 32
const BYTES_PER_PROGRAM = 4096

export function createPrograms(endpoints: Pick<Endpoints, 'version'>): Programs {
  const kept = new LRUCache<string, ReadyScript>({ maxSize: MOST_WEIGHT })
  return async ({ endpoint: { id }, source }) => {
    const key = 'version' in source ? `${id} ${source.version}` : hash('sha256', source.script)
    const known = kept.get(key)
    if (known !== undefined) return known
    const text = 'version' in source ? await publishedScript(endpoints, id, source.version) : source.script
    // Another run may have compiled the same script meanwhile.
    return kept.get(key) ?? keep(key, text)
  }

  function keep(key: string, text: string): ReadyScript {
    const ready = { text, compilation: compileScript(text, { functions: hostFunctions }) }
    kept.set(key, ready, { size: BYTES_PER_PROGRAM + BYTES_PER_UNIT * text.length })
    return ready
  }
}

async function publishedScript(
  endpoints: Pick<Endpoints, 'version'>,
  id: string,
  version: number,
): Promise<string> {
  try {
    return (await endpoints.version(id, version)).definition.script
  } catch (cause) {
    if (cause instanceof Problem && cause.kind === 'not-found') throw endpointGone(version)
    throw cause
  }
}
