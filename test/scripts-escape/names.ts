/** Calls of names that only JavaScript knows, on all kinds of values: none of them is a function of a script. */
import { hostileKeys, isIdentifier, isName } from './hostile-keys.ts'
import type { Payload } from './payload.ts'

const receivers = ['Data', '{}', '[1]', '"text"', '(5)', '(x => x)', '(null)', '{toString: x => x}']

/** Functions of the library have these names in another letter case, so methods find them. */
const known = new Set(['toString', 'toJSON', 'keys', 'values'])

export const namePayloads: readonly Payload[] = [
  ...hostileKeys
    .filter(isIdentifier)
    .map((name): Payload => ({ name: `${name}()`, script: `Data.r = ${name}()`, problem: 'JM4100' })),
  ...hostileKeys
    .filter((name) => isName(name) && !known.has(name))
    .flatMap((name) =>
      receivers.flatMap((receiver): Payload[] => [
        {
          name: `${receiver}.${name}()`,
          script: `Data.r = ${receiver}.${name}("return process")`,
          problem: 'JM4100',
          dialect: 'service',
        },
        {
          name: `${receiver}.${name}()`,
          script: `Data.r = ${receiver}.${name}("return process")`,
          problem: 'JM2000',
          dialect: 'strict',
        },
      ]),
    ),
]
