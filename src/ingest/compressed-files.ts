/**
 * Tests the compressed files that a mapping may read: they are decompressed to nothing. The database takes the rows before
 * the place where a file was cut off for all of its rows, so nobody would notice the lost ones.
 */
import { readdir, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileDamaged } from './problems.ts'
import { compressionOf } from './sources/file-form.ts'
import { decompressed } from './sources/open-text.ts'

/**
 * @param folder the source folder; it is unknown which files a mapping reads, so all in it count
 * @param tested paths of the files that a reader of this program decompresses anyway
 * @throws Problem ING105 for a file that is damaged or was cut off
 */
export async function refuseDamagedFiles(
  folder: string,
  tested: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name)
    const compression = compressionOf(entry.name)
    if (compression === undefined || tested.has(path)) continue
    try {
      const found = await stat(path)
      if (!found.isFile()) continue
      if (found.size === 0) throw new Error('it has 0 bytes')
      for await (const _ of decompressed(path, compression)) signal?.throwIfAborted()
    } catch (cause) {
      signal?.throwIfAborted()
      throw fileDamaged(relative(folder, path), cause)
    }
  }
}
