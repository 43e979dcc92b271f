/**
 * `tripfolio ingest --check`: says whether a refresh would accept an extract, and why not, and drafts a tripfolio.sql. The exit
 * code is 0 when the extract fits, and that of a refused refresh when it does not. Changes nothing.
 */
import { resolve } from 'node:path'
import { type CheckRequest, checkExtract } from '../../ingest/check/check-extract.ts'
import { writeMapping } from '../../ingest/check/write-mapping.ts'
import { Problem } from '../../kernel/problem.ts'
import { exitCodes } from '../failures/exit-codes.ts'
import type { Invocation } from '../invocation.ts'
import { reportOf } from './check-report.ts'

export type CheckOptions = CheckRequest & {
  /** The file to write the mapping to; it is printed unless given. */
  readonly mapping: string | undefined
  readonly json: boolean
}

/** @throws Problem ING101 or ING107 when the extract cannot be checked, ING170 or ING171 when the file cannot be written */
export async function checkAndPrint(
  cli: Invocation,
  { mapping: path, json, ...request }: CheckOptions,
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
