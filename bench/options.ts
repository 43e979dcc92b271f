/** Reads the command line of the bench. Refuses unknown workloads and names the known ones. */
import { parseArgs } from 'node:util'
import { checkoutQuestionNames } from './checkouts.ts'

export type Options = {
  /** The workloads to run; empty for all. */
  readonly names: readonly string[]
  readonly quick: boolean
  readonly profiling: boolean
  readonly list: boolean
  /** Folders of other checkouts of the project, to compare this one with. */
  readonly against: readonly string[]
  /** Measures each checkout a second time, without its request log. */
  readonly withoutLog: boolean
}

export function readOptions(args: readonly string[], workloads: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      against: { type: 'string', multiple: true, default: [] },
      'without-log': { type: 'boolean', default: false },
    },
  })
  const known = values.against.length > 0 ? checkoutQuestionNames : workloads
  const unknown = positionals.find((name) => !known.includes(name))
  if (unknown !== undefined) {
    throw new Error(`Expected names of workloads, found '${unknown}'. Known: ${known.join(', ')}`)
  }
  return {
    names: positionals,
    quick: values.quick,
    profiling: values.profile,
    list: values.list,
    against: values.against,
    withoutLog: values['without-log'],
  }
}
