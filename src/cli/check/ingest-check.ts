/**
 * `tripfolio ingest --check`: says whether a refresh would accept an extract, and why not, and drafts a tripfolio.sql. The exit
 * code is 0 when the extract fits, and that of a refused refresh when it does not. Changes nothing.
 */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { isWarehouse } from '../../config/extract-source.ts'
import { type CheckRequest, checkExtract } from '../../ingest/check/check-extract.ts'
import { writeMapping } from '../../ingest/check/write-mapping.ts'
import { Problem } from '../../kernel/problem.ts'
import { exitCodes } from '../failures/exit-codes.ts'
import type { Invocation } from '../invocation.ts'
import { reportOf } from './check-report.ts'

export type CheckOptions = CheckRequest & {
  /** The file to write the drafted mapping to; it is printed unless given. */
  readonly draft: string | undefined
  readonly json: boolean
}

/**
 * The file of `--mapping` is new, and the draft is written to it. That of a warehouse may exist: then it is what is checked.
 *
 * @param flag that of `--mapping`
 * @param configured that of the flag, or of the setting
 */
export function mappingOfCheck(
  source: string,
  flag: string | undefined,
  configured: string | undefined,
): Pick<CheckOptions, 'mapping' | 'draft'> {
  if (!isWarehouse(source)) return { mapping: undefined, draft: flag }
  if (flag !== undefined && !existsSync(flag)) return { mapping: undefined, draft: flag }
  return { mapping: configured, draft: undefined }
}

/** @throws Problem ING101 or ING107 when the extract cannot be checked, ING170 or ING171 when the file cannot be written */
export async function checkAndPrint(
  cli: Invocation,
  { draft: path, json, ...request }: CheckOptions,
): Promise<void> {
  const check = await checkExtract(request)
  const written = path === undefined || check.mapping === null ? null : resolve(path)
  const failure =
    written === null ? null : await writeMapping(written, check.mapping ?? '').then(() => null, asProblem)
  // The report is useful even when the file cannot be written.
  if (json) cli.printJson({ ...check, mappingFile: failure === null ? written : null })
  else
    cli.print(
      reportOf(check, { withMapping: path === undefined, written: failure === null ? written : null }),
    )
  if (failure !== null) throw failure
  cli.exitCode = check.fits ? exitCodes.done : exitCodes.refused
}

function asProblem(cause: unknown): Problem {
  if (cause instanceof Problem) return cause
  throw cause
}
