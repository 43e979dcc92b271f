/** All persons, or those of one organization. */
import { Button } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { Page } from '../../parts/page.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { personTexts as texts } from '../../texts/persons.ts'
import { useSession } from '../session/session.tsx'
import { AddPerson } from './person-dialogs.tsx'
import { PersonTable } from './person-table.tsx'

export function PersonsPage(): ReactNode {
  const { may } = useSession()
  const navigate = useNavigate()
  const [{ text, sort }, change] = useAddress()
  const [isAdding, setAdding] = useState(false)
  const add = may('createPerson') && (
    <Button size="xs" leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setAdding(true)}>
      {texts.add}
    </Button>
  )
  return (
    <Page
      title={texts.title}
      actions={
        <>
          <SearchField label={texts.search} value={text} onChange={(typed) => change({ text: typed })} />
          {add}
        </>
      }
    >
      <PersonTable
        text={text}
        sort={sort}
        onSort={(by) => change({ sort: by })}
        empty={
          text === undefined
            ? { title: texts.emptyTitle, hint: texts.emptyHint, action: add }
            : { title: texts.noneFound, hint: texts.noneFoundHint }
        }
      />
      {isAdding && (
        <AddPerson
          onAdded={(id) => void navigate({ to: `/persons/${id}` })}
          onClose={() => setAdding(false)}
        />
      )}
    </Page>
  )
}
