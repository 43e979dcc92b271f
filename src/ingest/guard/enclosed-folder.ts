/**
 * The folder of an extract belongs to whoever delivers the extract, and the service reads it with its own rights. So nothing in
 * it may lead out of it: no symbolic link, and nothing that is neither file nor folder. The folder itself may be a link.
 */
import type { BigIntStats, Dirent } from 'node:fs'
import { lstat, readdir, readlink, realpath } from 'node:fs/promises'
import { join, relative, resolve, sep } from 'node:path'
import { dataInside, folderChanged, leadsOut, sourceUnreadable } from '../problems.ts'
import { MAPPING_FILE } from '../sources/file-form.ts'

export type EnclosedFolder = {
  /**
   * Where a mapping may read any file, a link could be put in and taken away while it reads.
   *
   * @throws Problem ING109 when anything in the folder was added, removed or renamed since
   */
  readonly refuseChange: () => Promise<void>
}

/**
 * @param dataFolder may not lie in a folder with a mapping, which may read all that is there
 * @throws Problem ING101, or ING143 for the first entry that leads out of the folder
 */
export async function encloseFolder(root: string, dataFolder: string | undefined): Promise<EnclosedFolder> {
  const folders = new Map<string, BigIntStats>()
  try {
    const real = await realpath(root)
    const entries = await readdir(real, { withFileTypes: true, recursive: true })
    if (entries.some(({ name, parentPath }) => name === MAPPING_FILE && parentPath === real)) {
      // A check may come before there is a data folder.
      const data = dataFolder && (await realpath(dataFolder).catch(() => undefined))
      if (data && isInside(data, real)) throw dataInside(root, data)
      const inside = entries.filter((entry) => entry.isDirectory()).map(pathOf)
      for (const folder of [real, ...inside]) folders.set(folder, await lstat(folder, { bigint: true }))
    }
    for (const entry of entries) {
      const why = await reasonAgainst(entry, real)
      if (why !== null) throw leadsOut(relative(real, pathOf(entry)), root, why)
    }
  } catch (cause) {
    throw cause instanceof Error && 'syscall' in cause ? sourceUnreadable(root, cause) : cause
  }
  return {
    async refuseChange() {
      for (const [folder, then] of folders) {
        const now = await lstat(folder, { bigint: true }).catch(() => null)
        if (now?.ino !== then.ino || now.ctimeNs !== then.ctimeNs) throw folderChanged(root)
      }
    },
  }
}

const pathOf = (entry: Dirent): string => join(entry.parentPath, entry.name)

/** @param real the folder without links in its path */
async function reasonAgainst(entry: Dirent, real: string): Promise<string | null> {
  if (entry.isFile() || entry.isDirectory()) return null
  if (!entry.isSymbolicLink()) return 'it is neither a file nor a folder'
  const path = pathOf(entry)
  // A link to nothing is judged by its text: its target may be there later.
  const target = await realpath(path).catch(async () => resolve(entry.parentPath, await readlink(path)))
  return isInside(target, real) ? null : `it is a link to '${target}'`
}

const isInside = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
