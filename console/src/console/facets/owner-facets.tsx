/** The facets of an organization or a person: each definition with the values that it has there. */
import { Button, Table, Text } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import type { components } from '../../../generated/api.d.ts'
import { answerOf, dataOf } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import { FormDialog, type FormField } from '../../parts/form-dialog.tsx'
import { differences } from '../../parts/resource/differences.ts'
import { ChangedMeanwhile } from '../../parts/resource/use-resource.ts'
import { Section } from '../../parts/section.tsx'
import { ErrorState } from '../../parts/states.tsx'
import { dialogTexts } from '../../texts/dialogs.ts'
import { facetTexts as texts } from '../../texts/facets.ts'
import { useSession } from '../session/session.tsx'
import { type FacetDefinition, facetsKey } from './facets-page.tsx'

type Owner = 'organizations' | 'persons'

type Props = {
  readonly owner: Owner
  readonly id: string
  readonly instances: readonly components['schemas']['FacetInstance'][]
  /** Of the owner, which shows the values. */
  readonly queryKey: readonly unknown[]
}

/** More than anybody has; the rest is on the page of the facets. */
const MOST_DEFINITIONS = 500

export function OwnerFacets({ owner, id, instances, queryKey }: Props): ReactNode {
  const { api, may } = useSession()
  const [setting, setSetting] = useState<FacetDefinition>()
  const resourceType = owner === 'organizations' ? 'Organization' : 'Person'
  const definitions = useQuery({
    queryKey: [...facetsKey, 'of', resourceType],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/api/admin/v1/facet-definitions', {
          params: { query: { resourceType, limit: MOST_DEFINITIONS } },
          signal,
        }),
      ),
  })
  if (definitions.error !== null && definitions.data === undefined)
    return <ErrorState title={texts.ofOwner} error={definitions.error} />
  const items = definitions.data?.items ?? []
  const maySet = may(owner === 'organizations' ? 'setOrganizationFacet' : 'setPersonFacet')
  const valuesOf = (definition: FacetDefinition) =>
    instances.find(({ facetDefinitionId }) => facetDefinitionId === definition.id)?.values ?? []
  return (
    <Section title={texts.ofOwner}>
      {definitions.isSuccess && items.length === 0 && <Text c="var(--text-dim)">{texts.noneOfOwner}</Text>}
      {items.length > 0 && (
        <Table fz="sm" aria-label={texts.ofOwner} style={{ overflowWrap: 'anywhere' }}>
          <Table.Tbody>
            {items.map((definition) => (
              <Table.Tr key={definition.id}>
                <Table.Th scope="row" fw={400} c="var(--text-dim)">
                  {definition.category} · {definition.name}
                </Table.Th>
                <Table.Td>{valuesOf(definition).join(', ') || texts.none}</Table.Td>
                <Table.Td ta="right" style={{ whiteSpace: 'nowrap' }}>
                  {maySet && (
                    <Button size="compact-xs" variant="default" onClick={() => setSetting(definition)}>
                      <span className="visually-hidden">{definition.name}: </span>
                      {texts.set}
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
      {setting !== undefined && (
        <SetFacet
          {...{ owner, id, queryKey }}
          definition={setting}
          values={valuesOf(setting)}
          onClose={() => setSetting(undefined)}
        />
      )}
    </Section>
  )
}

type SetProps = Pick<Props, 'owner' | 'id' | 'queryKey'> & {
  readonly definition: FacetDefinition
  readonly values: readonly string[]
  readonly onClose: () => void
}

function SetFacet({ owner, id, queryKey, definition, values, onClose }: SetProps): ReactNode {
  const { api } = useSession()
  const queries = useQueryClient()
  const path = { id, definitionId: definition.id }
  const [from] = useState(values)
  const save = async (next: readonly string[]) => {
    const etag = await etagOf()
    const request = { params: { path, header: { 'if-match': etag } }, body: { values: [...next] } }
    await answerOf(
      owner === 'organizations'
        ? api.PUT('/api/admin/v1/organizations/{id}/facets/{definitionId}', request)
        : api.PUT('/api/admin/v1/persons/{id}/facets/{definitionId}', request),
    )
    await queries.invalidateQueries({ queryKey })
  }
  /** Of the values that the form began with. A facet that was never set has no version. */
  const etagOf = async (): Promise<string> => {
    const read =
      owner === 'organizations'
        ? api.GET('/api/admin/v1/organizations/{id}/facets/{definitionId}', { params: { path } })
        : api.GET('/api/admin/v1/persons/{id}/facets/{definitionId}', { params: { path } })
    const { data: now, etag = '*' } = await answerOf(read).catch((cause: unknown) => {
      if (cause instanceof ApiProblem && cause.status === 404) return { data: { values: [] }, etag: '*' }
      throw cause
    })
    const changes = differences({ values: from }, { values: now.values })
    const show = () => void queries.invalidateQueries({ queryKey })
    if (changes.length > 0) throw new ChangedMeanwhile(changes, show)
    return etag
  }
  return (
    <FormDialog
      title={texts.setTitle(definition.name)}
      action={dialogTexts.save}
      initial={{ one: values[0] ?? '', all: [...values] }}
      fields={[fieldFor(definition)]}
      onSave={({ one, all }) => save(definition.allowMultipleValues ? all : one.trim() === '' ? [] : [one])}
      onClose={onClose}
    >
      {definition.description}
    </FormDialog>
  )
}

function fieldFor({ values, allowFreeText, allowMultipleValues }: FacetDefinition): FormField {
  const choices = values.map((value) => ({ value, label: value }))
  const field = { name: allowMultipleValues ? 'all' : 'one', label: texts.value }
  if (allowFreeText) return { ...field, kind: allowMultipleValues ? 'tags' : 'text' }
  return { ...field, kind: allowMultipleValues ? 'choices' : 'choice', choices }
}
