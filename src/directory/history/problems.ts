/** Refusals of wrong parameters of queries on the history (DIR654 to DIR657, DIR73x). */
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

export const badBeginningOfId = (found: string) =>
  new Problem('DIR654', `Expected the id of a run or its beginning, found '${found.slice(0, 80)}'`, {
    hint: 'Write at least its first eight characters, such as 019aa1b2.',
  })

export const badResponseStatus = (found: string) =>
  new Problem('DIR655', `Expected a status of HTTP or a class of them, found '${found.slice(0, 80)}'`, {
    hint: 'Write 404, or 4xx for all from 400 to 499.',
  })

export const contentByDuration = () =>
  new Problem(
    'DIR656',
    'Expected a search for a content in the order of start, found the order of duration',
    {
      hint: 'Leave out `sort`, or find the slow runs with minExecutionTimeMs.',
    },
  )

export const tooManyPoints = (found: number, most: number) =>
  new Problem('DIR657', `Expected a time of 1 to ${most} points, found ${found}`, {
    hint: 'Choose a longer step, or a shorter time from `from` to `to`.',
  })
