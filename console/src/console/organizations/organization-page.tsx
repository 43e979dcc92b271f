/** One organization: what it is, what is below it, who belongs to it, and its facets. */
import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { Fields } from '../../parts/fields.tsx'
import { Identifier } from '../../parts/identifier.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Page } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource/use-resource.ts'
import { Columns, Section } from '../../parts/section.tsx'
import { ErrorState, LoadingState } from '../../parts/states.tsx'
import { Moment } from '../../parts/time.tsx'
import { Tone } from '../../parts/tone.tsx'
import { TypedConfirmDialog } from '../../parts/typed-confirm-dialog.tsx'
import { useList } from '../../parts/use-list.ts'
import { organizationTexts as texts } from '../../texts/organizations.ts'
import { OwnerFacets } from '../facets/owner-facets.tsx'
import { PersonTable } from '../persons/person-table.tsx'
import { useSession } from '../session/session.tsx'
import { AddOrganization, ChangeOrganization } from './organization-dialogs.tsx'
import { OrganizationLink } from './organization-link.tsx'
import { type Organization, organizationKey, organizationsKey } from './organization-queries.ts'

export function OrganizationPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { readonly id: string }
  const { api, may } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'edit' | 'remove' | 'add'>()
  const resource = useResource<Organization>({
    key: organizationKey(id),
    read: (signal) =>
      api.GET('/api/admin/v1/organizations/{id}', { params: { path: { id } }, ...(signal && { signal }) }),
    ignored: ['updatedAt'],
  })
  const organization = resource.seen?.data
  if (organization === undefined) {
    return (
      <Page title={texts.title}>
        {resource.error === null ? (
          <LoadingState />
        ) : (
          <ErrorState title={texts.notFound} error={resource.error} onRetry={resource.retry} />
        )}
      </Page>
    )
  }
  const close = () => setAsked(undefined)
  const go = (path: string) => void navigate({ to: path })
  const remove = async () => {
    await resource.remove((ifMatch) =>
      api.DELETE('/api/admin/v1/organizations/{id}', {
        params: { path: { id }, header: { 'if-match': ifMatch } },
      }),
    )
    void queries.invalidateQueries({ queryKey: organizationsKey })
    go('/organizations')
  }
  return (
    <Page
      title={organization.name}
      note={
        <Tone tone={organization.isActive ? 'good' : 'neutral'}>
          {organization.isActive ? texts.active : texts.inactive}
        </Tone>
      }
      actions={
        <>
          {may('createOrganization') && (
            <Button size="xs" variant="default" onClick={() => setAsked('add')}>
              {texts.addBelow}
            </Button>
          )}
          {may('updateOrganization') && (
            <Button size="xs" variant="default" onClick={() => setAsked('edit')}>
              {texts.edit}
            </Button>
          )}
          {may('removeOrganization') && (
            <Button size="xs" variant="default" c="var(--tone-bad)" onClick={() => setAsked('remove')}>
              {texts.remove}
            </Button>
          )}
        </>
      }
    >
      <Columns>
        <Section title={texts.details}>
          <Fields fields={fieldsOf(organization)} />
        </Section>
        {may('listFacetDefinitions') && (
          <OwnerFacets
            owner="organizations"
            id={id}
            instances={organization.facetInstances}
            queryKey={organizationKey(id)}
          />
        )}
      </Columns>
      <Section title={texts.children}>
        <Children parentId={id} onOpen={(child) => go(`/organizations/${child}`)} />
      </Section>
      {may('listPersons') && (
        <Section title={texts.persons}>
          <PersonTable organizationId={id} empty={{ title: texts.noPersons }} />
        </Section>
      )}
      {asked === 'add' && (
        <AddOrganization parentId={id} onAdded={(added) => go(`/organizations/${added}`)} onClose={close} />
      )}
      {asked === 'edit' && <ChangeOrganization resource={resource} onClose={close} />}
      <TypedConfirmDialog
        isOpen={asked === 'remove'}
        title={texts.removeTitle(organization.name)}
        name={organization.name}
        action={texts.remove}
        onConfirm={remove}
        onClose={close}
      >
        <Text>{texts.removeText}</Text>
      </TypedConfirmDialog>
    </Page>
  )
}

const fieldsOf = (organization: Organization) =>
  [
    [texts.number, organization.number],
    [
      texts.parent,
      organization.parentOrganizationId && (
        <OrganizationLink key="parent" id={organization.parentOrganizationId} />
      ),
    ],
    [texts.description, organization.description],
    [texts.created, <Moment key="created" value={organization.createdAt} />],
    [texts.changed, <Moment key="changed" value={organization.updatedAt} />],
    [texts.id, <Identifier key="id" name={texts.id} value={organization.id} />],
  ] as const

const childColumns: readonly Column<Organization>[] = [
  { id: 'name', header: texts.name, cell: ({ name }) => name },
  { id: 'number', header: texts.number, cell: ({ number }) => number ?? '–' },
  {
    id: 'state',
    header: texts.state,
    isWide: true,
    cell: ({ isActive }) => (
      <Tone tone={isActive ? 'good' : 'neutral'}>{isActive ? texts.active : texts.inactive}</Tone>
    ),
  },
]

type ChildrenProps = { readonly parentId: string; readonly onOpen: (id: string) => void }

function Children({ parentId, onOpen }: ChildrenProps): ReactNode {
  const { api } = useSession()
  const list = useList<Organization>({
    key: [...organizationsKey, 'below', parentId],
    read: (after, signal) =>
      dataOf(
        api.GET('/api/admin/v1/organizations', { params: { query: given({ parentId, after }) }, signal }),
      ),
  })
  return (
    <ListTable
      label={texts.children}
      list={list}
      columns={childColumns}
      rowKey={({ id }) => id}
      onOpen={({ id }) => onOpen(id)}
      empty={{ title: texts.noChildren }}
    />
  )
}
