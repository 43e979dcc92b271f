/** For commands that work on an installation: they refuse a folder that is none, so that a mistyped name starts no second one. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../../config/load-config.ts'
import { Problem } from '../../kernel/problem.ts'
import { refuseMissingFolder } from '../../snapshot/stored-snapshots.ts'

/** What `serve`, `ingest` or an operator put into a data folder first. */
const MARKS = ['control.db', 'snapshots', 'tripfolio.json'] as const

/**
 * Refuses nothing when the stores are in a database, whose URL names the installation.
 *
 * @throws Problem SNP303 or CFG210
 */
export function refuseOtherFolder({ data, store }: Pick<Config, 'data' | 'store'>): void {
  if (store !== undefined) return
  refuseMissingFolder(data)
  if (!MARKS.some((name) => existsSync(join(data, name)))) throw noInstallation(data)
}

const noInstallation = (folder: string): Problem =>
  new Problem(
    'CFG210',
    `Expected a data folder of Tripfolio, found '${resolve(folder)}', which has none of ${MARKS.join(', ')}`,
    {
      hint: 'Name the folder that `tripfolio serve` and `tripfolio ingest` use with --data or TRIPFOLIO_DATA. Each of the two makes a new one.',
    },
  )
