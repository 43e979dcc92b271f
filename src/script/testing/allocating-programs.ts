/** Draws scripts that allocate without end, in ways that keep some of it. */
import { kindsOfValues } from './kinds-of-values.ts'

const makes = kindsOfValues.flatMap(({ each }) => (each === undefined ? [] : [each]))

/** Where the values of a round go. `kept` is a new array in each round. */
const places: readonly string[] = [
  'all.add(kept)',
  'for item in [0] do all.add(kept) end',
  'index["round" + round] = kept',
  'Data.last = {"kept": kept, "before": Data.last}',
  'all.add(x => kept)',
  'all.add(Clone(kept))',
  'all = all + kept',
  'Data.text = Data.text + Length(kept) + "x"',
  'all.add(ToString(round) + PadLeft("", 300, "y"))',
  'if round % 3 == 0 then all = [] end\nall.add(kept)',
  'dropped = kept',
]

/** @param draw a number from 0 up to but not including its argument */
export function allocatingProgram(draw: (below: number) => number): string {
  const pick = (from: readonly string[]): string => from[draw(from.length)] as string
  const bodies = Array.from({ length: 1 + draw(3) }, () => pick(makes))
  const kept = Array.from({ length: 1 + draw(2) }, () =>
    pick(places).replaceAll('for item in', 'foreach item in'),
  )
  return `
var all = []
var index = {}
var dropped = null
var one = PadRight("a", 10000, "b")
var round = 0
Data.text = ""
while true do
  round = round + 1
  var kept = []
  for i in round to round + ${1 + draw(60)} do
${bodies.map((body) => `if true then\n${body}\nend`).join('\n')}
  end
${kept.join('\n')}
  Data.all = all
end`
}
