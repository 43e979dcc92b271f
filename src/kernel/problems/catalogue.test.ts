import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { explanations, problemStages, retiredCodes } from './catalogue.ts'
import { kindOfCode, type ProblemCode } from './codes.ts'

const root = join(import.meta.dirname, '../../..')
const codes: readonly string[] = Object.keys(kindOfCode)

/** Texts of all TypeScript files below a folder. */
function sources(folder: string): ReadonlyMap<string, string> {
  const paths = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.includes('node_modules'))
    .map((path) => `${folder}/${path}`)
  return new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

const all = new Map([...sources('src'), ...sources('test')])
const isTest = (path: string): boolean => path.endsWith('.test.ts') || path.startsWith('test/')
const isTesting = (path: string): boolean => path.includes('/testing/')

/** The catalogue itself, and a test that lists codes without raising them. */
const walksOver = (path: string): boolean =>
  path.startsWith('src/kernel/problem') || path === 'src/http/problem-status.test.ts'

function textOf(wanted: (path: string) => boolean): string {
  return [...all]
    .filter(([path]) => wanted(path) && !walksOver(path))
    .map(([, text]) => text)
    .join('\n')
}

const product = textOf((path) => !isTest(path) && !isTesting(path))
const tests = textOf((path) => isTest(path) || isTesting(path))

describe('the catalogue of problems', () => {
  it('has every code once', () => {
    const listed = problemStages.flatMap(({ rows }) => Object.keys(rows))
    assert.deepEqual(listed.toSorted(), codes.toSorted())
    assert.equal(new Set(listed).size, listed.length)
  })

  it('has only codes that product code raises', () => {
    assert.deepEqual(
      codes.filter((code) => !product.includes(`'${code}'`)),
      [],
    )
  })

  it('has only codes that a test asserts where they are raised', () => {
    assert.deepEqual(
      codes.filter((code) => !tests.includes(code)),
      [],
    )
  })

  it('explains every code in sentences', () => {
    for (const [code, { meaning, action }] of Object.entries(explanations)) {
      for (const text of [meaning, action]) {
        assert.match(text, /^[A-Z`$a-z][^|\n]*\.$/, `${code}: ${text}`)
      }
    }
  })

  it('does not use a retired code again', () => {
    for (const code of Object.keys(retiredCodes)) {
      assert.ok(!(code in kindOfCode), code)
      assert.ok(!product.includes(code), code)
    }
  })

  it('is used without looking at the digits of a code', () => {
    const asked = [...all].filter(
      ([path, text]) =>
        !isTest(path) &&
        !isTesting(path) &&
        /\/\^?\(?(?:\?:)?(?:QRY|AUT|ING|SNP|CFG|DIR|SRV|SCR|END|ADM)|code\.(?:slice|startsWith|substring|match)\(|(?:problem|error|cause|refusal)\.code [!=]==? '[A-Z]{3}\d/.test(
          text.replaceAll(/code\.startsWith\('FST_'\)/g, ''),
        ),
    )
    assert.deepEqual(
      asked.map(([path]) => path),
      [],
    )
  })
})

describe('the type of codes', () => {
  it('has the codes of the catalogue and no others', () => {
    type IsCode<Text extends string> = Text extends ProblemCode ? true : false
    const known: IsCode<'DIR101'> = true
    const retired: IsCode<'END111'> = false
    const unknown: IsCode<'DIR999'> = false
    assert.deepEqual([known, retired, unknown], [true, false, false])
  })
})
