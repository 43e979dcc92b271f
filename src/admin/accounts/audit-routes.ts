/** The audit trail, newest first. Each change writes its entry; nothing alters an entry. */
import Type from '../../kernel/type.ts'
import { AuditRecord } from '../../schema/directory-shapes.ts'
import type { ResourceRoutes } from '../admin-deps.ts'
import { instantParameter, instantText, listShape, pageParameters, queryShape } from '../paging.ts'

export const auditRoutes: ResourceRoutes = (add, { store: { audit } }) => {
  add({
    method: 'GET',
    path: '/audit',
    operationId: 'listAudit',
    role: 'support or author',
    tag: 'Audit',
    summary: 'List changes: who changed what and when, newest first',
    query: queryShape({
      actor: Type.Optional(
        Type.String({ description: 'Who made the change, such as `user:ann@example.com`' }),
      ),
      action: Type.Optional(
        Type.String({ description: 'What was done: an action or the beginning of one, such as `account.`' }),
      ),
      subjectId: Type.Optional(Type.String({ description: 'Id of what was changed' })),
      text: Type.Optional(
        Type.String({
          description:
            'A part of the actor, the action, the subject id or the changed members; letter case matters',
        }),
      ),
      from: instantParameter('Changes at or after this time'),
      to: instantParameter('Changes before this time'),
      ...pageParameters,
    }),
    answer: { description: 'A page of the audit trail', shape: listShape(AuditRecord) },
    handle: ({ query: { from, to, ...query } }) =>
      audit.list({ ...query, from: instantText('/from', from), to: instantText('/to', to) }),
  })
}
