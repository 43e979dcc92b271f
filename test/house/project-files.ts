import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'

const root = join(import.meta.dirname, '../..')
const notOurs = ['node_modules', '.git']

/** Every file of the project, as its path from the root with `/` between folders. */
export async function filesOfProject(): Promise<ReadonlySet<string>> {
  const top = (await readdir(root, { withFileTypes: true })).filter(({ name }) => !notOurs.includes(name))
  const files = top.filter((entry) => entry.isFile()).map(({ name }) => name)
  for (const { name } of top.filter((entry) => entry.isDirectory())) {
    const inside = await readdir(join(root, name), { withFileTypes: true, recursive: true })
    for (const entry of inside.filter((one) => one.isFile())) {
      const file = relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/')
      // A workspace has packages of its own.
      if (!file.includes('/node_modules/')) files.push(file)
    }
  }
  return new Set(files)
}
