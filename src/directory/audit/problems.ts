/** Refusals of wrong parameters of queries on the trail of changes (DIR8xx). */
import { Problem } from '../../kernel/problem.ts'

export const badAuditPlace = (found: string) =>
  new Problem('DIR830', `Expected the \`next\` of an earlier page, found '${found.slice(0, 80)}'`, {
    hint: 'Leave it out to begin with the newest change.',
  })

export const badAuditMoment = (found: string) =>
  new Problem('DIR831', `Expected a date or a date-time, found '${found.slice(0, 80)}'`, {
    hint: 'Write 2026-06-30 (its first minute, UTC) or 2026-06-30T17:00:00Z.',
  })
