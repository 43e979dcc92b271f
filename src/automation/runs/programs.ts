/**
 * A cache of compiled scripts. A published version never changes, so the key of its program is endpoint and version, together with the modules that it keeps; the key of a
 * draft is the hash of its text.
 */
import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { Endpoints } from '../../directory/endpoints/endpoints.ts'
import { Problem } from '../../kernel/problem.ts'
import type { PublishedModule } from '../../schema/module-shapes.ts'
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

export function createPrograms(endpoints: Pick<Endpoints, 'version' | 'modulesOf'>): Programs {
  const kept = new LRUCache<string, ReadyScript>({ maxSize: MOST_WEIGHT })
  return async ({ endpoint: { id }, source }) => {
    const key = 'version' in source ? `${id} ${source.version}` : draftKey(source)
    const known = kept.get(key)
    if (known !== undefined) return known
    const script = 'version' in source ? await publishedScript(endpoints, id, source.version) : source
    // Another run may have compiled the same script meanwhile.
    return kept.get(key) ?? keep(key, script)
  }

  function keep(key: string, { script: text, modules = [] }: ScriptText): ReadyScript {
    const ready = { text, compilation: compileScript(text, { functions: hostFunctions, modules }) }
    const length = modules.reduce((sum, { script }) => sum + script.length, text.length)
    kept.set(key, ready, { size: BYTES_PER_PROGRAM + BYTES_PER_UNIT * length })
    return ready
  }
}

type ScriptText = { readonly script: string; readonly modules?: readonly PublishedModule[] }

/** Modules are versions that never change, so their scripts need not be hashed. */
const draftKey = ({ script, modules = [] }: ScriptText): string =>
  hash('sha256', [script, ...modules.map(({ name, version }) => `${name}@${version}`)].join('\0'))

async function publishedScript(
  endpoints: Pick<Endpoints, 'version' | 'modulesOf'>,
  id: string,
  version: number,
): Promise<ScriptText> {
  try {
    const { definition } = await endpoints.version(id, version)
    const { script } = definition
    return { script, modules: await endpoints.modulesOf(id, version) }
  } catch (cause) {
    if (cause instanceof Problem && cause.kind === 'not-found') throw endpointGone(version)
    throw cause
  }
}
