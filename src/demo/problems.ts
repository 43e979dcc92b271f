/** Problems of demo extracts: numbers out of range, and folders that must not be written to. */
import { Problem } from '../kernel/problem.ts'

export const numberOutOfRange = (name: string, least: number, most: number, found: number): Problem =>
  new Problem('ING001', `Expected a whole number of ${name} from ${least} to ${most}, found ${found}`)

export const notAFolder = (out: string): Problem =>
  new Problem('ING002', `Expected a folder for the demo extract, found a file: ${out}`, {
    hint: 'Name a folder that is empty or does not exist yet.',
  })

/** A real extract has the same file names as a demo one, so only a folder with the mark may be replaced. */
export const foreignFiles = (out: string, foreign: readonly string[]): Problem =>
  new Problem(
    'ING003',
    `Expected an empty folder or an earlier demo extract, found other files in ${out}: ${listed(foreign)}`,
    { hint: 'Name a folder that is empty or does not exist yet; this one was not changed.' },
  )

export const cannotWrite = (out: string, cause: unknown): Problem =>
  new Problem('ING004', `Cannot write the demo extract to ${out}: ${reason(cause)}`, {
    hint: 'Check that the folder is writable and that the disk has space.',
    cause,
  })

const LISTED = 5

const listed = (names: readonly string[]): string =>
  names.length > LISTED
    ? `${names.slice(0, LISTED).join(', ')} and ${names.length - LISTED} more`
    : names.join(', ')

const reason = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))
