/** The trail of changes, newest first. It is written by the changes themselves and altered by nothing. */
import Type from 'typebox'
import { AuditRecord } from '../../schema/directory-shapes.ts'
import type { ResourceRoutes } from '../admin-deps.ts'
import { instantParameter, instantText, pageParameters, pageShape, queryShape } from '../paging.ts'

export const auditRoutes: ResourceRoutes = (add, { store: { audit } }) => {
  add({
    method: 'GET',
    path: '/audit',
    operationId: 'listAudit',
    tag: 'Audit',
    summary: 'Who changed what and when, newest first',
    query: queryShape({
      actor: Type.Optional(Type.String({ description: 'Who, such as `user:ann@example.com`' })),
      action: Type.Optional(
        Type.String({ description: 'What: an action or the beginning of one, such as `account.`' }),
      ),
      subjectId: Type.Optional(Type.String({ description: 'Id of what was changed' })),
      from: instantParameter('From this moment on'),
      to: instantParameter('Before this moment'),
      ...pageParameters,
    }),
    answer: { description: 'A page of the trail', shape: pageShape(AuditRecord) },
    handle: ({ query: { from, to, ...query } }) =>
      audit.list({ ...query, from: instantText('/from', from), to: instantText('/to', to) }),
  })
}
