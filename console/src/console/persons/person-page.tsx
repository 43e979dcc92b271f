/** One person: who it is, where it belongs, and its facets. */
import { Button, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Fields } from '../../parts/fields.tsx'
import { Identifier } from '../../parts/identifier.tsx'
import { Page } from '../../parts/page.tsx'
import { useResource } from '../../parts/resource/use-resource.ts'
import { Columns, Section } from '../../parts/section.tsx'
import { ErrorState, LoadingState } from '../../parts/states.tsx'
import { Moment } from '../../parts/time.tsx'
import { Tone } from '../../parts/tone.tsx'
import { TypedConfirmDialog } from '../../parts/typed-confirm-dialog.tsx'
import { personTexts as texts } from '../../texts/persons.ts'
import { OwnerFacets } from '../facets/owner-facets.tsx'
import { OrganizationLink } from '../organizations/organization-link.tsx'
import { useSession } from '../session/session.tsx'
import { ChangePerson } from './person-dialogs.tsx'
import { nameOf, type Person, personKey, personsKey } from './person-queries.ts'

export function PersonPage(): ReactNode {
  const { id } = useParams({ strict: false }) as { readonly id: string }
  const { api, may } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'edit' | 'remove'>()
  const resource = useResource<Person>({
    key: personKey(id),
    read: (signal) =>
      api.GET('/api/admin/v1/persons/{id}', { params: { path: { id } }, ...(signal && { signal }) }),
    ignored: ['updatedAt'],
  })
  const person = resource.seen?.data
  if (person === undefined) {
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
  const remove = async () => {
    await resource.remove((ifMatch) =>
      api.DELETE('/api/admin/v1/persons/{id}', {
        params: { path: { id }, header: { 'if-match': ifMatch } },
      }),
    )
    void queries.invalidateQueries({ queryKey: personsKey })
    void navigate({ to: '/persons' })
  }
  return (
    <Page
      title={nameOf(person)}
      note={
        <Tone tone={person.isActive ? 'good' : 'neutral'}>
          {person.isActive ? texts.active : texts.inactive}
        </Tone>
      }
      actions={
        <>
          {may('updatePerson') && (
            <Button size="xs" variant="default" onClick={() => setAsked('edit')}>
              {texts.edit}
            </Button>
          )}
          {may('removePerson') && (
            <Button size="xs" variant="default" c="var(--tone-bad)" onClick={() => setAsked('remove')}>
              {texts.remove}
            </Button>
          )}
        </>
      }
    >
      <Columns>
        <Section title={texts.details}>
          <Fields
            fields={[
              [texts.email, person.emailAddress],
              [texts.signIn, person.userPrincipalName],
              [texts.organizations, organizationsOf(person)],
              [texts.created, <Moment key="created" value={person.createdAt} />],
              [texts.changed, <Moment key="changed" value={person.updatedAt} />],
              [texts.id, <Identifier key="id" name={texts.id} value={person.id} />],
            ]}
          />
        </Section>
        {may('listFacetDefinitions') && (
          <OwnerFacets owner="persons" id={id} instances={person.facetInstances} queryKey={personKey(id)} />
        )}
      </Columns>
      {asked === 'edit' && <ChangePerson resource={resource} onClose={close} />}
      <TypedConfirmDialog
        isOpen={asked === 'remove'}
        title={texts.removeTitle(nameOf(person))}
        name={person.lastName}
        action={texts.remove}
        onConfirm={remove}
        onClose={close}
      >
        <Text>{texts.removeText}</Text>
      </TypedConfirmDialog>
    </Page>
  )
}

const organizationsOf = ({ organizationIds }: Person): ReactNode =>
  organizationIds.map((id, index) => (
    <span key={id}>
      {index > 0 && ', '}
      <OrganizationLink id={id} />
    </span>
  ))
