/** What a page of the explorer or the console loads before it shows anything, in bytes as they are sent. */
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

const dist = join(import.meta.dirname, '../dist')

type Chunk = { readonly file: string; readonly imports?: readonly string[]; readonly css?: readonly string[] }

export type WebPage = 'explore' | 'console'

/** The page itself, and the scripts and style sheets that it names or that those import statically; sorted. */
export function firstFiles(page: WebPage): readonly string[] {
  const manifest = JSON.parse(readFileSync(join(dist, 'manifest.json'), 'utf8')) as Readonly<
    Record<string, Chunk>
  >
  const files = new Set([`${page}.html`])
  const seen = new Set<string>()
  const visit = (name: string) => {
    if (seen.has(name)) return
    seen.add(name)
    const { file, imports = [], css = [] } = manifest[name] as Chunk
    for (const each of [file, ...css]) files.add(each)
    for (const each of imports) visit(each)
  }
  visit(`${page}.html`)
  return [...files].sort()
}

/** As browsers get them: compressed with Brotli. */
export const compressedBytes = (file: string): number => statSync(join(dist, `${file}.br`)).size

export const firstLoadBytes = (page: WebPage): number =>
  firstFiles(page).reduce((sum, file) => sum + compressedBytes(file), 0)
