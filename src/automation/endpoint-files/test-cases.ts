/**
 * Finds the sample requests of endpoints in files. Beside NAME.yaml, NAME.request.json and NAME.CASE.request.json are requests;
 * the same names with `expect` have what to expect.
 */
import { readdir } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { unreadableFile } from './problems.ts'

export type TestCase = {
  /** Such as `spend-report` or `spend-report.unknown`. */
  readonly name: string
  readonly requestPath: string
  readonly expectPath: string
  /** Whether there is a file at `expectPath`. */
  readonly isExpected: boolean
}

const REQUEST = '.request.json'

/** @throws Problem END143 */
export async function testCasesOf(yamlPath: string): Promise<readonly TestCase[]> {
  const folder = dirname(yamlPath)
  const names = await readdir(folder).catch((cause) => {
    throw unreadableFile('the folder', folder, cause)
  })
  const stems = names.filter((name) => /\.ya?ml$/.test(name)).map(stemOf)
  const stem = stemOf(yamlPath)
  return names
    .filter((name) => name.endsWith(REQUEST))
    .map((name) => name.slice(0, -REQUEST.length))
    .filter((name) => ownerOf(name, stems) === stem)
    .sort()
    .map((name) => ({
      name,
      requestPath: join(folder, `${name}${REQUEST}`),
      expectPath: join(folder, `${name}.expect.json`),
      isExpected: names.includes(`${name}.expect.json`),
    }))
}

const stemOf = (path: string): string => basename(path, extname(path))

/** The longest name wins: `a.b.request.json` belongs to `a.b.yaml` if there is one, else to `a.yaml`. */
const ownerOf = (name: string, stems: readonly string[]): string | undefined =>
  stems.filter((stem) => name === stem || name.startsWith(`${stem}.`)).sort((a, b) => b.length - a.length)[0]
