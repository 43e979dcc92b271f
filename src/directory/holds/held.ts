/** What can be held, and how it is held. */

/** `outbound`: schedules, scheduled refreshes, HTTP requests and mail of scripts, and webhooks. */
export const heldSubjects = ['refreshes', 'schedules', 'outbound'] as const

export type HeldSubject = (typeof heldSubjects)[number]

export type HoldRow = {
  readonly subject: string
  /** These three are null while it is not held. */
  readonly held_at: string | null
  readonly held_by: string | null
  readonly reason: string | null
  readonly resumed_at: string | null
}

export type Held = { readonly at: string; readonly by: string; readonly reason: string }

export type HoldState = {
  readonly subject: HeldSubject
  readonly held: Held | null
  /** The last time that it was resumed. */
  readonly resumedAt: string | null
}
