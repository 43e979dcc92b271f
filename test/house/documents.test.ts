/** Documents name files and folders that exist: a name that was moved or renamed away sends its reader searching. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { describe, it } from 'node:test'
import { filesOfProject } from './project-files.ts'

/** A source file or page, with or without folders in front. Patterns such as `*-server.ts` name no single file. */
const FILE_NAME = /(?<![\w./*>-])[\w.-]+(?:\/[\w.-]+)*\.(?:ts|cjs|md)\b/g

/** A folder of the project, from the root: `src/script/`. Others are folders of data. */
const FOLDER_NAME = /(?<![\w./*>-])(?:src|test|bench|docs|examples)\/(?:[\w.-]+\/)*(?![\w.*<{[-])/g

const files = await filesOfProject()
const documents = [...files].filter(
  (file) =>
    file.endsWith('.md') &&
    (/(?:^|\/)README\.md$/.test(file) || /^(?:CONTRIBUTING|docs\/.*)\.md$/.test(file)),
)

/**
 * A name with folders goes from the root, from `src/` or from the document. A bare name may lie anywhere below the folder that
 * the README describes; in pages that describe no folder, anywhere.
 */
function exists(name: string, document: string): boolean {
  const folder = dirname(document)
  if ([name, join('src', name), join(folder, name)].some((place) => files.has(normalize(place)))) return true
  if (name.includes('/')) return false
  const described = folder === '.' || folder.startsWith('docs') ? '' : `${folder}/`
  return [...files].some((file) => file.startsWith(described) && file.endsWith(`/${name}`))
}

const folderExists = (name: string): boolean => [...files].some((file) => file.startsWith(name))

describe('documents', () => {
  for (const document of documents) {
    it(`name only files and folders that exist: ${document}`, async () => {
      const text = await readFile(join(import.meta.dirname, '../..', document), 'utf8')
      const fileNames = new Set(Array.from(text.matchAll(FILE_NAME), ([name]) => name))
      const folderNames = new Set(Array.from(text.matchAll(FOLDER_NAME), ([name]) => name))
      assert.deepEqual(
        {
          files: [...fileNames].filter((name) => !exists(name, document)),
          folders: [...folderNames].filter((name) => !folderExists(name)),
        },
        { files: [], folders: [] },
      )
    })
  }
})

describe('command lines in the documentation', () => {
  for (const document of documents.filter((file) => file.startsWith('docs/'))) {
    it(`write parameters without $, which a shell may replace: ${document}`, async () => {
      const text = await readFile(join(import.meta.dirname, '../..', document), 'utf8')
      const lines = text.split('\n').filter((line) => /^ {4}.*(?:curl|--data)/.test(line))
      const parameters = /\$(?:filter|orderby|page|pageSize|format)\b/
      assert.deepEqual(
        lines.filter((line) => parameters.test(line)),
        [],
      )
    })
  }
})
