/** What the run noted in notepads; nothing when it noted nothing. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { dataOf } from '../../api/client.ts'
import { Section } from '../../parts/section.tsx'
import { Moment } from '../../parts/time.tsx'
import { executionTexts as texts } from '../../texts/executions.ts'
import { useSession } from '../session/session.tsx'
import { RecordedBody } from './recorded-body.tsx'

export function ExecutionNotepads({ id }: { readonly id: string }): ReactNode {
  const { api } = useSession()
  const notepads = useQuery({
    queryKey: ['execution-notepads', id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/api/admin/v1/executions/{id}/notepads', { params: { path: { id } }, signal })),
  })
  const items = notepads.data?.items ?? []
  if (items.length === 0) return null
  return (
    <Section title={texts.notepads}>
      {items.map((notepad) => (
        <article key={notepad.id}>
          <Moment value={notepad.createdAt} />
          <RecordedBody body={JSON.stringify(notepad.content)} isTruncated={false} label={texts.notepads} />
        </article>
      ))}
    </Section>
  )
}
