/** What the machine refuses, whoever asks for it: these are faults neither of the input nor of this program (DIR850 to DIR852). */
import { Problem } from '../problem.ts'
import type { StorageFault } from './storage-fault.ts'

export const temporaryFolderRefused = (
  folder: string,
  { code, reason }: Pick<StorageFault, 'code' | 'reason'>,
  cause: unknown,
): Problem =>
  new Problem('DIR850', `Cannot write in the temporary folder '${folder}': ${reason} (${code})`, {
    hint: 'Give it room and this user the right to write there, or set TMPDIR to another folder.',
    cause,
  })

/** @param place a file or folder; undefined when the system does not say which */
export const machineRefuses = (
  place: string | undefined,
  { code, reason, hint }: StorageFault,
  cause: unknown,
): Problem =>
  new Problem('DIR851', `Cannot use ${place === undefined ? 'a file' : `'${place}'`}: ${reason} (${code})`, {
    hint,
    cause,
  })

export const noMoreFiles = ({ code, reason, hint }: StorageFault, cause: unknown): Problem =>
  new Problem('DIR852', `No more files can be opened: ${reason} (${code})`, { hint, cause })
