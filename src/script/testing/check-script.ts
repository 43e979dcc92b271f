/** For tests of scripts: the tree of a text, and problems as `JM3100 1:5`. */
import assert from 'node:assert/strict'
import { placeAt, type ScriptProblem } from '../script-problem.ts'
import type { Dialect, Script } from '../syntax/ast.ts'
import { parseScript } from '../syntax/parse-script.ts'

export function parsed(text: string, dialect: Dialect): Script {
  const { script, problems } = parseScript(text, dialect)
  assert.ok(script !== null, `${text}: ${problems.map(({ message }) => message)}`)
  return script
}

export const placed = (text: string, problems: readonly ScriptProblem[]): readonly string[] =>
  problems.map(({ code, at }) => {
    assert.ok(at !== null)
    const { line, column } = placeAt(text, at)
    return `${code} ${line}:${column}`
  })
