/** Modules: files of functions that scripts of endpoints import. */
import type { Static } from 'typebox'
import Type from '../kernel/type.ts'
import { nullable } from './shapes.ts'

const script = Type.String({
  maxLength: 2 ** 20,
  description: 'Functions, unions and imports of other modules',
})

export const ModuleDraft = Type.Object(
  {
    description: Type.String({ maxLength: 1000, default: '' }),
    script,
  },
  { additionalProperties: false },
)

export const ModuleName = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,59}$',
  description: 'The name that scripts import; it never changes',
})

export const ModuleVersion = Type.Object({
  version: Type.Integer({ minimum: 1 }),
  script,
  publishedAt: Type.String({ format: 'date-time' }),
  publishedBy: Type.String({ description: 'User who published it' }),
  note: nullable(Type.String({ description: 'Why it was published' })),
})

export const Module = Type.Object(
  {
    name: ModuleName,
    description: Type.String(),
    script,
    draftRevision: Type.Integer({ description: 'Increases with every change of the draft' }),
    draftChangedAt: Type.String({ format: 'date-time' }),
    draftChangedBy: Type.String(),
    hasUnpublishedChanges: Type.Boolean({
      description: 'The draft differs from the newest published version',
    }),
    version: nullable(Type.Integer({ description: 'The newest published version' })),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { description: 'A module with its draft; scripts import published versions' },
)

export type ModuleDraft = Static<typeof ModuleDraft>
export type ModuleVersion = Static<typeof ModuleVersion>
export type Module = Static<typeof Module>

/** A published version as scripts import it. */
export type PublishedModule = { readonly name: string; readonly version: number; readonly script: string }
