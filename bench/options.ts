/** Reads the command line of the bench. Refuses unknown workloads and names the known ones. */
import { parseArgs } from 'node:util'

export type Options = {
  /** The workloads to run; empty for all. */
  readonly names: readonly string[]
  readonly quick: boolean
  readonly profiling: boolean
  readonly list: boolean
}

export function readOptions(args: readonly string[], known: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
    },
  })
  const unknown = positionals.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new Error(`Expected names of workloads, found '${unknown}'. Known: ${known.join(', ')}`)
  }
  return { names: positionals, quick: values.quick, profiling: values.profile, list: values.list }
}
