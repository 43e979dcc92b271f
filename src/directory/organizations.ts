/** Organizations: a forest by their parents. Each change is one transaction with its audit entry. */
import type { Organization, OrganizationDraft } from '../schema/directory-shapes.ts'

export type Organizations = {
  /** By name. */
  readonly list: () => Promise<readonly Organization[]>
  /** Null when there is none; malformed ids are unknown ones. */
  readonly byId: (id: string) => Promise<Organization | null>
  /** Direct ones only, by name. */
  readonly children: (id: string) => Promise<readonly Organization[]>
  /** @throws Problem DIR4xx: a name or number that is taken, an unknown parent */
  readonly create: (draft: OrganizationDraft, by: string) => Promise<Organization>
  /** Replaces all members. @throws Problem as above, and for a parent that would close a circle */
  readonly update: (id: string, draft: OrganizationDraft, by: string) => Promise<Organization>
  /** @throws Problem while it has children, or is the only organization of a person */
  readonly remove: (id: string, by: string) => Promise<void>
}
