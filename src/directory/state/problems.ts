/** Problems of the state of scripts (DIR480 to DIR484). */
import { Problem } from '../../kernel/problem.ts'

export const badStateKey = (longest: number, found: number) =>
  new Problem('DIR480', `Expected a key of 1 to ${longest} characters, found one of ${found}`, {
    hint: 'Use a short name, such as "cursor" or "seen:4711".',
  })

export const stepAsStateKey = (key: string) =>
  new Problem('DIR480', `Expected a key other than . and .., found '${key}'`, {
    hint: 'Write a word in front of values that come from others, such as "seen:" + id.',
  })

export const stateValueTooLong = (key: string, mostBytes: number, bytes: number) =>
  new Problem(
    'DIR481',
    `Expected a value of at most ${mostBytes} bytes of JSON for '${key}', found ${bytes}`,
    {
      hint: 'Keep a number, an id or a short list; long lists belong in several keys or in notepads.',
    },
  )

export const stateIsFull = (key: string, most: string, found: string) =>
  new Problem(
    'DIR482',
    `Expected at most ${most} in the state of an endpoint, found ${found} with '${key}'`,
    {
      hint: 'Delete keys that are no longer needed with DeleteState, or delete them in the admin API.',
    },
  )

export const stateIsNoNumber = (key: string, found: string) =>
  new Problem('DIR483', `Expected a number in the state '${key}' to add to, found ${found}`, {
    hint: 'Set the key to a number, or delete it: counting then begins at 0.',
  })

export const unknownState = (key: string) =>
  new Problem('DIR484', `Expected a key of the endpoint's state, found '${key}', which it does not have`, {
    hint: 'The list of the state shows the keys.',
  })
