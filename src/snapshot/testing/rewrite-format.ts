/** For tests: makes a published snapshot look as if another release had written it. */
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { snapshotFolder } from '../format/layout.ts'
import { MANIFEST_FILE } from '../manifest.ts'

/** Corrects the checksum of the manifest too, unless the manifest should look altered. */
export async function rewriteFormat(
  dataFolder: string,
  id: string,
  format: number,
  { isIntact = true } = {},
): Promise<void> {
  const path = join(snapshotFolder(dataFolder, id), MANIFEST_FILE)
  const [checksum, ...lines] = (await readFile(path, 'utf8')).split('\n')
  const json = lines.join('\n').replace(/"format": \d+/, `"format": ${format}`)
  await writeFile(path, `${isIntact ? createHash('sha256').update(json).digest('hex') : checksum}\n${json}`)
}
