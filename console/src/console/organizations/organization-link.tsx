/** The name of an organization, as a link to its page. */
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { TextLink } from '../../parts/text-link.tsx'
import { useSession } from '../session/session.tsx'
import { nameQuery, titleOf } from './organization-queries.ts'

export function OrganizationLink({ id }: { readonly id: string }): ReactNode {
  const { api } = useSession()
  const { data } = useQuery(nameQuery(api, id))
  return <TextLink to={`/organizations/${id}`}>{data === undefined ? id : titleOf(data)}</TextLink>
}

/** The names of everything above, from the top. */
export function OrganizationPath({ parentId }: { readonly parentId: string | null }): ReactNode {
  const { api } = useSession()
  const { data } = useQuery({ ...nameQuery(api, parentId ?? ''), enabled: parentId !== null })
  if (parentId === null || data === undefined) return null
  return (
    <>
      <OrganizationPath parentId={data.parentOrganizationId} />
      {data.name}
      {' › '}
    </>
  )
}
