import { readFile, stat } from 'node:fs/promises'

/** All of it is checked before any of it runs. The worked mapping has 4 kB. */
const MOST_BYTES = 2 ** 20

/** The text of a mapping, without a byte order mark. */
export async function mappingText(path: string): Promise<string> {
  const found = await stat(path)
  if (!found.isFile()) throw new Error('expected a file of SQL, found something else')
  if (found.size > MOST_BYTES)
    throw new Error(`expected at most ${MOST_BYTES} bytes of SQL, found ${found.size}`)
  return (await readFile(path, 'utf8')).replace(/^\uFEFF/, '')
}
