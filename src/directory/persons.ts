/** Persons and the organizations they belong to, the first of which is their main one. */
import type { Person, PersonDraft } from '../schema/directory-shapes.ts'

export type Persons = {
  /** By last name, first name, email address. */
  readonly list: (filter?: {
    readonly organizationId?: string
    readonly text?: string
  }) => Promise<readonly Person[]>
  readonly byId: (id: string) => Promise<Person | null>
  /** Without regard to case. */
  readonly byEmail: (emailAddress: string) => Promise<readonly Person[]>
  /** @throws Problem DIR4xx for an unknown organization, and for none or more than 50 */
  readonly create: (draft: PersonDraft, by: string) => Promise<Person>
  readonly update: (id: string, draft: PersonDraft, by: string) => Promise<Person>
  readonly remove: (id: string, by: string) => Promise<void>
}
