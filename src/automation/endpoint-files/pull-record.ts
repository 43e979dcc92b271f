/**
 * Remembers in `.tripfolio-pulled.json` of a folder what its endpoint and module files had when they were last pulled or pushed, as
 * a hash by name: other content is an edit. The hash is of what the files mean, so that comments and line ends do not count,
 * and is the same for every service. The first pull creates the file; it may be kept in Git or deleted.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fold } from '../../kernel/text.ts'
import type { EndpointDefinition } from '../../schema/endpoint-shapes.ts'
import { plainScript } from './plain-script.ts'
import { replaceFile } from './replace-file.ts'

const RECORD = '.tripfolio-pulled.json'

/** What an endpoint or a module is in its files. */
export type Content = EndpointDefinition | { readonly module: string; readonly script: string }

/** @returns whether the content is what was pulled or pushed last */
export async function contentIn(folder: string): Promise<(content: Content) => boolean> {
  const hashes = await readRecord(folder)
  return (content) => hashes.get(keyOf(content)) === hashOf(content)
}

/** @throws Problem END144 */
export async function recordContent(
  folder: string,
  contents: readonly Content[],
  { create }: { readonly create: boolean },
): Promise<void> {
  const path = join(folder, RECORD)
  if (contents.length === 0 || !(create || existsSync(path))) return
  const hashes = await readRecord(folder)
  const before = textOf(hashes)
  for (const content of contents) hashes.set(keyOf(content), hashOf(content))
  if (textOf(hashes) !== before) await replaceFile(path, textOf(hashes))
}

/** A record that cannot be read is none: then more counts as edited. */
async function readRecord(folder: string): Promise<Map<string, unknown>> {
  try {
    const value: unknown = JSON.parse(await readFile(join(folder, RECORD), 'utf8'))
    return new Map(Object.entries(value as object))
  } catch {
    return new Map()
  }
}

const textOf = (hashes: ReadonlyMap<string, unknown>): string =>
  `${JSON.stringify(Object.fromEntries([...hashes].sort(([a], [b]) => (a < b ? -1 : 1))), null, 2)}\n`

const keyOf = (content: Content): string =>
  'module' in content ? `module ${content.module}` : fold(content.name)

function hashOf({ script, ...members }: Content): string {
  const content = JSON.stringify({ ...members, script: plainScript(script) }, inOrder)
  return createHash('sha256').update(content).digest('base64url')
}

const inOrder = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value
