/** For the tests of organizations, persons, facets, secrets and notifications: a store in its own folder, and drafts. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Problem } from '../../kernel/problem.ts'
import type {
  AuditRecord,
  FacetDefinitionDraft,
  OrganizationDraft,
  PersonDraft,
} from '../../schema/directory-shapes.ts'
import type { ControlStore } from '../control-store.ts'
import { placeControlStore } from './store-files.ts'
import { openControlStore } from './stores.ts'

export const BY = 'operator:test'

export type TestStores = {
  readonly folder: string
  /** Another store on the same file, closed with the rest. */
  readonly open: () => Promise<ControlStore>
  readonly remove: () => Promise<void>
}

export function makeStores(key: Buffer = Buffer.alloc(32, 7)): TestStores {
  const folder = mkdtempSync(join(tmpdir(), 'tripfolio-people-'))
  const opened: ControlStore[] = []
  return {
    folder,
    open: async () => {
      await placeControlStore(folder)
      const store = await openControlStore(folder, { secretKey: () => key })
      opened.push(store)
      return store
    },
    remove: async () => {
      for (const store of opened) await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}

let made = 0

/** Has a new name unless given. */
export const organization = (members: Partial<OrganizationDraft> = {}): OrganizationDraft => ({
  number: null,
  name: `Organization ${++made}`,
  description: null,
  isActive: true,
  parentOrganizationId: null,
  ...members,
})

export const person = (
  organizationIds: string[],
  members: Omit<Partial<PersonDraft>, 'organizationIds'> = {},
): PersonDraft => ({
  firstName: null,
  lastName: `Person ${++made}`,
  middleName: null,
  prefix: null,
  suffix: null,
  emailAddress: `person${made}@example.com`,
  userPrincipalName: null,
  isActive: true,
  ...members,
  organizationIds,
})

export const facet = (members: Partial<FacetDefinitionDraft> = {}): FacetDefinitionDraft => ({
  resourceType: 'Organization',
  category: 'Travel',
  name: `Facet ${++made}`,
  description: '',
  dataSensitivity: 'Internal',
  isCritical: false,
  allowFreeText: false,
  allowMultipleValues: false,
  values: [],
  isActive: true,
  ...members,
})

/** The changes of one subject, oldest first. */
export const changesOf = async (
  store: ControlStore,
  subjectId: string,
): Promise<readonly Pick<AuditRecord, 'action' | 'before' | 'after'>[]> => {
  const { items } = await store.audit.list({ subjectId, limit: 1000 })
  return items.map(({ action, before, after }) => ({ action, before, after })).reverse()
}

export const refusedWith =
  (code: string, message = /./) =>
  (error: unknown) => {
    assert.ok(error instanceof Problem, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, message)
    return true
  }
