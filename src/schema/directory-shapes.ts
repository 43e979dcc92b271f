/** The shapes of the directory: organizations, people, facets, secrets, notifications and audit, for scripts and admin API. */
import type { Static } from 'typebox'
import Type from '../kernel/type.ts'
import { moment, nullable } from './shapes.ts'

const id = Type.String({ format: 'uuid' })
const strict = { additionalProperties: false } as const
const name = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^\\S(.*\\S)?$', description })

export const FacetInstance = Type.Object({
  facetDefinitionId: id,
  values: Type.Array(Type.String()),
})

export const resourceTypes = ['Organization', 'Person'] as const
export const dataSensitivities = ['PII', 'Confidential', 'Internal', 'Public'] as const

const facetDraft = {
  resourceType: Type.Enum([...resourceTypes], { description: 'Which resources can have it' }),
  category: name(100, 'For grouping'),
  name: name(100, 'Unique per resource type; letter case does not count'),
  description: Type.String({ maxLength: 500, default: '' }),
  dataSensitivity: Type.Enum([...dataSensitivities], { default: 'Internal' }),
  isCritical: Type.Boolean({ default: false }),
  allowFreeText: Type.Boolean({
    default: false,
    description: 'Values other than those in the list are allowed',
  }),
  allowMultipleValues: Type.Boolean({ default: false }),
  values: Type.Array(name(200, 'A value to choose'), { maxItems: 1000, uniqueItems: true, default: [] }),
  isActive: Type.Boolean({
    default: true,
    description: 'Inactive definitions cannot be read or written by scripts',
  }),
}
export const FacetDefinitionDraft = Type.Object(facetDraft, strict)
export const FacetDefinition = Type.Object({
  id,
  ...facetDraft,
  createdAt: moment('Creation'),
  updatedAt: moment('Last change'),
})

const organizationDraft = {
  number: nullable(name(50, "The client's number; unique unless null")),
  name: name(200, 'Unique among the organizations with the same parent; letter case does not count'),
  description: nullable(Type.String({ maxLength: 1000 })),
  isActive: Type.Boolean({ default: true }),
  parentOrganizationId: nullable(id),
}
export const OrganizationDraft = Type.Object(organizationDraft, strict)
export const Organization = Type.Object({
  id,
  tenantId: id,
  ...organizationDraft,
  createdAt: moment('Creation'),
  updatedAt: moment('Last change'),
  facetInstances: Type.Array(FacetInstance),
})
export const DeletedOrganization = Type.Object(
  {
    id,
    number: organizationDraft.number,
    name: organizationDraft.name,
    deletedAt: moment('Deletion'),
    deletedBy: Type.String({ description: 'Who deleted it, as in the audit trail' }),
  },
  { description: 'An organization that a script has deleted, and that can be restored' },
)

/** The most organizations of one person. */
export const MOST_ORGANIZATIONS = 50

/** How deep organizations may be nested: one without a parent is on the first level. */
export const MOST_ORGANIZATION_LEVELS = 100

const personDraft = {
  firstName: nullable(Type.String({ maxLength: 100 })),
  lastName: name(100, 'Family name'),
  middleName: nullable(Type.String({ maxLength: 100 })),
  prefix: nullable(Type.String({ maxLength: 50 })),
  suffix: nullable(Type.String({ maxLength: 50 })),
  emailAddress: Type.String({ maxLength: 254, pattern: '^[^\\s@]+@[^\\s@]+$' }),
  userPrincipalName: nullable(Type.String({ maxLength: 254, description: 'Sign-in name' })),
  organizationIds: Type.Array(id, { minItems: 1, maxItems: MOST_ORGANIZATIONS, uniqueItems: true }),
  isActive: Type.Boolean({ default: true }),
}
export const PersonDraft = Type.Object(personDraft, strict)
export const Person = Type.Object({
  id,
  tenantId: id,
  ...personDraft,
  createdAt: moment('Creation'),
  updatedAt: moment('Last change'),
  facetInstances: Type.Array(FacetInstance),
})

/** A secret in lists, without its value. */
export const SecretSummary = Type.Object({
  name: Type.String(),
  description: nullable(Type.String()),
  isActive: Type.Boolean(),
  expiresAt: nullable(moment('From this time on, the secret cannot be used')),
  createdAt: moment('Creation'),
  updatedAt: moment('Last change'),
})
export const SecretDraft = Type.Object(
  {
    value: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 65_536,
        description: 'Write-only; if it is left out, the value stays',
      }),
    ),
    description: Type.Optional(nullable(Type.String({ maxLength: 500 }))),
    isActive: Type.Optional(Type.Boolean()),
    expiresAt: Type.Optional(nullable(moment('Time in the future'))),
  },
  strict,
)

export const notificationTypes = ['Info', 'Success', 'Warning', 'Error'] as const
export const Notification = Type.Object({
  id,
  sequence: Type.Integer({
    description: 'Increases with every notification; the id of its event in the stream',
  }),
  audience: nullable(Type.String({ description: '`user:<email>`; null for all users' })),
  title: Type.String(),
  message: Type.String(),
  type: Type.Enum([...notificationTypes]),
  link: nullable(Type.String()),
  createdAt: moment('Creation'),
  createdBy: Type.String(),
  readAt: nullable(moment('When the calling user read it')),
})

export const Tenant = Type.Object({ id, name: Type.String() })

export const AuditRecord = Type.Object({
  id,
  at: moment('When it happened'),
  actor: Type.String({ description: 'Who did it' }),
  action: Type.String({ description: 'What was done, such as `endpoint.publish`' }),
  subjectId: Type.String(),
  before: Type.Unknown({
    description: 'The changed members before the change, without secrets; null if there are none',
  }),
  after: Type.Unknown(),
})

export type FacetInstance = Static<typeof FacetInstance>
export type FacetDefinitionDraft = Static<typeof FacetDefinitionDraft>
export type FacetDefinition = Static<typeof FacetDefinition>
export type OrganizationDraft = Static<typeof OrganizationDraft>
export type Organization = Static<typeof Organization>
export type DeletedOrganization = Static<typeof DeletedOrganization>
export type PersonDraft = Static<typeof PersonDraft>
export type Person = Static<typeof Person>
export type SecretSummary = Static<typeof SecretSummary>
export type SecretDraft = Static<typeof SecretDraft>
export type NotificationType = (typeof notificationTypes)[number]
export type Notification = Static<typeof Notification>
export type Tenant = Static<typeof Tenant>
export type AuditRecord = Static<typeof AuditRecord>
