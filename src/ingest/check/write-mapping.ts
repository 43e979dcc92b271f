/** Writes a drafted mapping to a new file. An operator may have worked on an old one, so none is ever replaced. */
import { writeFile } from 'node:fs/promises'
import { mappingExists, mappingNotWritten } from '../problems.ts'

/** @throws Problem ING170 or ING171 */
export async function writeMapping(path: string, text: string): Promise<void> {
  await writeFile(path, text, { flag: 'wx' }).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === 'EEXIST' ? mappingExists(path) : mappingNotWritten(path, cause)
  })
}
