/**
 * Compares the script language with QuickJS, a sandboxed engine compiled to WebAssembly, and with Node.js, from the JSON of
 * the input to the JSON of the result. Also measures how long compiling a script takes, and starting a compiled one.
 */
import { isDeepStrictEqual } from 'node:util'
import { getQuickJS, type QuickJSWASMModule } from 'quickjs-emscripten'
import { serviceLimits } from '../../src/script/problems.ts'
import { compileScript, type Program, runScript } from '../../src/script/script.ts'
import { median, rounded } from '../statistics.ts'
import { judge, judgementCells } from '../target.ts'
import type { Bench, Row, WorkloadResult } from '../workload.ts'
import { type Source, sources } from './script-sources.ts'

/** The limits of endpoints would end some of these tasks, which are longer than those of endpoints. */
const limits = { ...serviceLimits, statements: 1e9, loops: 1e9, milliseconds: 60_000, memoryBytes: 2 ** 29 }

export async function script({ pace }: Bench): Promise<WorkloadResult> {
  const engine = await getQuickJS()
  const rows: Row[] = []
  const ratios: number[] = []
  for (const source of sources) {
    const times = await measureSource(engine, source, pace.repeats)
    const ratio = times.quickJs / times.script
    ratios.push(ratio)
    rows.push({
      work: source.about,
      'script ms': rounded(times.script),
      'QuickJS ms': rounded(times.quickJs),
      'Node.js ms': rounded(times.node),
      'times QuickJS': rounded(ratio),
      'of Node.js': rounded(times.node / times.script),
    })
  }
  const typical = median(ratios)
  rows.push({
    work: 'median',
    'times QuickJS': rounded(typical),
    ...judgementCells([judge({ atLeast: 1 }, typical)]),
  })
  return {
    what: 'Scripts under the limits of a sandbox, from JSON to JSON, each in turn with the other engines',
    tables: [{ rows }, { title: 'Compiling and starting, warm', rows: await startingRows(pace.repeats) }],
  }
}

type Times = { readonly script: number; readonly quickJs: number; readonly node: number }

async function measureSource(engine: QuickJSWASMModule, source: Source, repeats: number): Promise<Times> {
  const input = JSON.stringify(source.input())
  const program = compiled(source.script)
  const contenders = {
    script: async () => {
      const { output, problem } = await runScript(program, { input, limits })
      if (problem !== null) throw new Error(`${source.name}: ${problem.code} ${problem.message}`)
      return output
    },
    quickJs: async () => inQuickJs(engine, source, input),
    node: async () => {
      const data = JSON.parse(input)
      source.javaScript(data)
      return JSON.stringify(data)
    },
  }
  const times: { [C in keyof typeof contenders]: number[] } = { script: [], quickJs: [], node: [] }
  const results = new Map<string, unknown>()
  for (let round = 0; round < WARM_UP_ROUNDS + repeats; round++) {
    for (const [name, run] of Object.entries(contenders)) {
      const began = performance.now()
      const output = await run()
      const milliseconds = performance.now() - began
      if (round >= WARM_UP_ROUNDS) times[name as keyof typeof contenders].push(milliseconds)
      results.set(name, JSON.parse(output))
    }
  }
  const [first, ...others] = [...results.values()]
  if (others.some((other) => !isDeepStrictEqual(other, first))) {
    throw new Error(`The engines have different results for ${source.name}: ${JSON.stringify([...results])}`)
  }
  return { script: median(times.script), quickJs: median(times.quickJs), node: median(times.node) }
}

const WARM_UP_ROUNDS = 2

/** Each run has a context of its own, as in a sandbox. */
function inQuickJs(engine: QuickJSWASMModule, { javaScript }: Source, input: string): string {
  const context = engine.newContext()
  try {
    context.newString(input).consume((text) => context.setProp(context.global, 'input', text))
    const code = `const Data = JSON.parse(input); (${javaScript.toString()})(Data); JSON.stringify(Data)`
    return context.unwrapResult(context.evalCode(code)).consume((result) => context.getString(result))
  } finally {
    context.dispose()
  }
}

/** Times the compilation of a script of 200 lines, and runs of a small compiled one. */
async function startingRows(repeats: number): Promise<Row[]> {
  const long = Array.from({ length: 40 }, (_, i) => block(i)).join('\n')
  const lines = long.split('\n').length
  const preparing: number[] = []
  for (let i = 0; i < 100 + 20 * repeats; i++) {
    const began = performance.now()
    compiled(long)
    preparing.push(performance.now() - began)
  }
  const small = compiled('Data.r = Data.a + 1')
  const STARTS = 1000
  const starting: number[] = []
  for (let i = 0; i < 10 + repeats; i++) {
    const began = performance.now()
    for (let run = 0; run < STARTS; run++)
      await runScript(small, { input: '{"a": 1}', limits: serviceLimits })
    starting.push((performance.now() - began) / STARTS)
  }
  const [preparingMs, startingUs] = [median(preparing.slice(100)), 1000 * median(starting.slice(10))]
  return [
    {
      what: `reading, checking and compiling a script of ${lines} lines`,
      figure: `${rounded(preparingMs)} ms`,
      ...judgementCells([judge({ atMost: 2 }, preparingMs, 'ms')]),
    },
    {
      what: 'starting, running and ending a compiled script of one statement',
      figure: `${rounded(startingUs)} us`,
      ...judgementCells([judge({ atMost: 20 }, startingUs, 'us')]),
    },
  ]
}

const block = (i: number): string => `var total${i} = 0
foreach item in Data.items${i} do
  if item.amount > ${i} and Contains(item.name, "a") then total${i} += item.amount * 2 end
end
Data.result${i} = {sum: total${i}, label: "block " + ${i}, parts: Where(Data.items${i}, x => x.open)}`

function compiled(text: string): Program {
  const { program, problems } = compileScript(text)
  if (program === null) throw new Error(problems.map(({ code, message }) => `${code} ${message}`).join('\n'))
  return program
}
