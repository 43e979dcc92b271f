/**
 * The service in the process of the test, with real threads, sockets and files. It costs a tenth of a start of `bin/tripfolio`
 * (`whileServing`), which is for what only a process has: signals, exit codes, limits, memory and the command itself.
 */
import { loadConfig } from '../../src/config/load-config.ts'
import { startService } from '../../src/service/start-service.ts'
import { openTranscript } from './transcript.ts'
import type { Serving } from './tripfolio-process.ts'

export type ServingHere = Pick<Serving, 'address' | 'output' | 'until'> & {
  /** Ends it before the work is over. The whole log is in the output then. */
  readonly close: () => Promise<void>
}

type Options = {
  /** Threads that answer requests. */
  readonly threads?: number
  readonly source?: string
  /** Further settings, by the names of their environment variables. */
  readonly env?: Readonly<Record<string, string>>
}

/** Serves on a free port, announces what others publish, and closes the service when the work is done. */
export async function whileServingHere<T>(
  data: string,
  work: (serving: ServingHere) => Promise<T>,
  options: Options = {},
): Promise<T> {
  const serving = await serveHere(data, options)
  try {
    return await work(serving)
  } finally {
    await serving.close()
  }
}

/** For the tests of a whole file; the caller closes it. */
export async function serveHere(
  data: string,
  { threads = 1, source, env = {} }: Options = {},
): Promise<ServingHere> {
  const transcript = openTranscript()
  const config = loadConfig({
    env: {
      TRIPFOLIO_SCRIPT_THREADS: '1',
      // Connections that a failed test leaves open are not waited for.
      TRIPFOLIO_STOP_SECONDS: '1',
      // On a busy machine the thread of the tests lags, which must not become an answer of 503.
      TRIPFOLIO_LOAD_SHEDDING_DELAY_MILLISECONDS: '0',
      ...env,
    },
    flags: { data, threads, port: 0, ...(source !== undefined && { source }) },
  })
  const service = await startService(config, { write: transcript.add })
  const stopKeeping = service.keepFresh((cause) => transcript.add(`${cause}\n`))
  let closed: Promise<unknown> | undefined
  const closeService = async () => {
    stopKeeping()
    await service.close()
    transcript.end('The service was closed')
  }
  return {
    address: service.address,
    output: transcript.text,
    until: transcript.until,
    close: async () => {
      closed ??= closeService()
      await closed
    },
  }
}
