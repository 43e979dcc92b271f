/** Refusals about refreshes (DIR49x). */
import { Problem } from '../../kernel/problem.ts'

export const unknownRefresh = (id: string) =>
  new Problem('DIR490', `There is no refresh '${id.length > 80 ? `${id.slice(0, 80)}…` : id}'`, {
    hint: 'GET /api/admin/v1/refreshes lists those that are kept.',
  })

/** Not thrown: the reason of a refresh that is recorded as lost. */
export const refreshLost = () =>
  new Problem('DIR491', 'The process of the refresh died before it had noted how the refresh ended', {
    hint: 'Look with `tripfolio snapshot list` whether it has published, then refresh again.',
  })
