/**
 * Runs a refresh in a process of its own, so that reading gigabytes never holds up a request and its memory is given back
 * when it is done. It is the `ingest` command; its summary comes back as JSON on standard output.
 */
import { spawn } from 'node:child_process'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config/load-config.ts'
import { Problem } from '../kernel/problem.ts'
import type { Observe } from '../observe/observation.ts'

/**
 * @throws Problem SRV301 when the refresh was refused or its process failed; the current snapshot is unharmed
 */
export async function refreshInProcess(
  config: Pick<Config, 'data' | 'maxRejectShare' | 'retainSnapshots'>,
  source: string,
  observe: Observe,
  signal?: AbortSignal,
): Promise<{ readonly snapshot: string; readonly rejects: number }> {
  observe({ kind: 'refresh-started', source })
  const started = performance.now()
  const { code, output, complaint } = await runIngest(config, source, signal)
  if (code !== 0) {
    const reason = complaint.trim().replace(/^tripfolio: /, '') || `its process ended with code ${code}`
    observe({ kind: 'refresh-refused', source, code: 'SRV301', reason })
    throw refreshFailed(source, reason)
  }
  const { snapshot, rejects } = JSON.parse(output) as { snapshot: string; rejects: number }
  observe({ kind: 'refresh-published', snapshot, rejects, milliseconds: performance.now() - started })
  return { snapshot, rejects }
}

const refreshFailed = (source: string, reason: string): Problem =>
  new Problem('SRV301', `The refresh from '${source}' failed: ${reason}`, {
    hint: 'The current snapshot keeps serving. Mend the source and run `tripfolio ingest`.',
  })

async function runIngest(
  config: Pick<Config, 'data' | 'maxRejectShare' | 'retainSnapshots'>,
  source: string,
  signal: AbortSignal | undefined,
): Promise<{ code: number | null; output: string; complaint: string }> {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url))
  const flags = [
    '--source',
    source,
    '--data',
    config.data,
    '--max-reject-share',
    String(config.maxRejectShare),
    '--json',
    '--until-stdin-ends',
  ]
  const child = spawn(process.execPath, [...process.execArgv, main, 'ingest', ...flags], {
    // Its input ends when this process does, however that happens.
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(signal === undefined ? {} : { signal }),
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [output, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { code, output, complaint }
}
