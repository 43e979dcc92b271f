/** Refusals of wrong parameters of queries on the history (DIR73x). */
import { Problem } from '../../kernel/problem.ts'

export const badPagePosition = (found: string) =>
  new Problem('DIR730', `Expected the position of a page of executions, found '${found.slice(0, 80)}'`, {
    hint: 'Send the `next` of the page before, unchanged; leave it out for the newest executions.',
  })

export const badMoment = (found: string) =>
  new Problem('DIR731', `Expected a date or a date-time, found '${found.slice(0, 80)}'`, {
    hint: 'Write 2026-01-31 (its first minute, UTC) or 2026-01-31T17:00:00+10:00.',
  })

export const badDay = (found: string) =>
  new Problem('DIR732', `Expected a date, found '${found.slice(0, 80)}'`, {
    hint: 'Write it as 2026-01-31.',
  })
