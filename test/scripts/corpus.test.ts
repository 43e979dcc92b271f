/**
 * Runs the corpus, which has a script for each rule of the language reference. Every script that can run does so twice, the
 * second time with a pause at each step, which must not make a difference.
 */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { placeAt, type ScriptProblem } from '../../src/script/problems.ts'
import {
  compileScript,
  type Dialect,
  type Program,
  type RunResult,
  runScript,
} from '../../src/script/script.ts'
import { type ExpectedProblem, readCase, type ScriptCase } from './read-case.ts'
import { isSameJson, keysOf } from './same-json.ts'

const folder = import.meta.dirname
const paths = globSync('**/*.jyro', { cwd: folder }).sort()
const folders = Map.groupBy(paths, (path) => dirname(path))

for (const [name, files] of folders) {
  describe(`scripts: ${name}`, () => {
    for (const path of files) {
      const text = readFileSync(join(folder, path), 'utf8')
      const title = basename(path, '.jyro')
      const expected = readOrNull(text)
      if (expected === null) {
        it(`${title} is a case`, () => assert.ok(readCase(text)))
        continue
      }
      for (const dialect of expected.dialects) {
        it(`${title} (${dialect}): ${expected.about}`, () => check(text, dialect, expected))
      }
    }
  })
}

/** Null for an invalid case, so that its own test reports the fault and the others run. */
function readOrNull(text: string): ScriptCase | null {
  try {
    return readCase(text)
  } catch {
    return null
  }
}

async function check(text: string, dialect: Dialect, expected: ScriptCase): Promise<void> {
  const { program, problems } = compileScript(text, { dialect })
  const found = problems.map((problem, i) => placed(problem, text, expected.problems[i]))
  assert.deepEqual(found, expected.problems.filter(isFoundBeforeRun), 'problems before the run')
  if (program === null) {
    assert.equal(expected.output, null, 'a script that does not run has no output')
    return
  }
  const plain = await run(program, expected)
  checkResult(plain, text, expected)
  const paused = await run(program, expected, 1)
  assert.deepEqual(comparable(paused), comparable(plain), 'with a pause at each step')
}

/** The place of an endless loop when its time is over is random, so it is left out. */
const comparable = (outcome: Outcome): Outcome =>
  outcome.problem?.code === 'JM5903' ? { ...outcome, problem: { ...outcome.problem, at: null } } : outcome

/** The last stage before the run has JM5001. */
const isFoundBeforeRun = ({ code }: ExpectedProblem): boolean => code <= 'JM5001'

type Outcome = Pick<RunResult, 'success' | 'output' | 'problem' | 'returnMessage'>

async function run(program: Program, { input, limits }: ScriptCase, pauseAfter?: number): Promise<Outcome> {
  const { success, output, problem, returnMessage } = await runScript(program, { input, limits, pauseAfter })
  return { success, output, problem, returnMessage }
}

function checkResult(
  { success, output, problem, returnMessage }: Outcome,
  text: string,
  expected: ScriptCase,
) {
  const found = problem === null ? [] : [placed(problem, text, expected.problems[0])]
  assert.deepEqual(found, expected.problems, `problems of the run (${problem?.message ?? 'none'})`)
  assert.equal(success, problem === null)
  assert.equal(returnMessage, expected.message, 'message')
  if (problem?.code === 'JM5004') assert.equal(problem.message, expected.message)
  if (expected.output === null) return
  if (!isSameJson(output, expected.output)) assert.equal(output, expected.output, 'Data')
  if (expected.ordered) assert.deepEqual(keysOf(output), keysOf(expected.output), 'keys in order')
}

/** Brings a problem into the form of the expected one, which may leave the place open. */
function placed(
  { code, at }: ScriptProblem,
  text: string,
  expected: ExpectedProblem | undefined,
): ExpectedProblem {
  if (expected?.place === '?') return { code, place: '?' }
  if (at === null) return { code, place: '-' }
  const { line, column } = placeAt(text, at)
  return { code, place: `${line}:${column}` }
}
