/** The audit trail: who changed what and when, with the members before and after. */
import { Drawer } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import type { components } from '../../../generated/api.d.ts'
import { dataOf } from '../../api/client.ts'
import { given } from '../../api/given.ts'
import { Fields } from '../../parts/fields.tsx'
import { FilterField } from '../../parts/filters/filter-field.tsx'
import { type Column, ListTable } from '../../parts/list-table.tsx'
import { Page } from '../../parts/page.tsx'
import { SearchField } from '../../parts/search-field.tsx'
import { Age, Moment } from '../../parts/time.tsx'
import { useAddress } from '../../parts/use-address.ts'
import { useList } from '../../parts/use-list.ts'
import { auditTexts as texts } from '../../texts/audit.ts'
import { dialogTexts } from '../../texts/dialogs.ts'
import { useSession } from '../session/session.tsx'
import classes from './audit-page.module.css'
import { diffLines, memberChanges } from './change-lines.ts'
import { SubjectLink } from './subject-link.tsx'

type AuditRecord = components['schemas']['AuditRecord']

const columns: readonly Column<AuditRecord>[] = [
  { id: 'at', header: texts.at, cell: ({ at }) => <Age value={at} /> },
  { id: 'actor', header: texts.actor, isWide: true, cell: ({ actor }) => actor },
  {
    id: 'action',
    header: texts.action,
    isLong: true,
    cell: ({ action, actor }) => (
      <>
        {action}
        <div className="narrow-only">{actor}</div>
      </>
    ),
  },
  { id: 'subject', header: texts.subject, isWide: true, cell: (record) => <SubjectLink {...record} /> },
]

/** In the order of the form; each is a parameter of the API. */
const filters = [
  ['actor', texts.actor, texts.actorHint],
  ['action', texts.action, texts.actionHint],
  ['subjectId', texts.subject, ''],
  ['from', texts.from, '2026-01-31'],
  ['to', texts.to, '2026-02-28'],
] as const

export function AuditPage(): ReactNode {
  const { api } = useSession()
  const [address, change] = useAddress()
  const [opened, setOpened] = useState<AuditRecord>()
  const { text, actor, action, subjectId, from, to } = address
  const chosen = given({ text, actor, action, subjectId, from, to })
  const list = useList<AuditRecord>({
    key: ['audit', chosen],
    read: (after, signal) =>
      dataOf(api.GET('/api/admin/v1/audit', { params: { query: given({ ...chosen, after }) }, signal })),
  })
  return (
    <Page
      title={texts.title}
      actions={
        <SearchField label={texts.search} value={text} onChange={(typed) => change({ text: typed })} />
      }
    >
      <div className={classes.filters}>
        {filters.map(([name, label, example]) => (
          <FilterField
            key={name}
            label={label}
            example={example}
            value={address[name]}
            onChange={(value) => change({ [name]: value })}
          />
        ))}
      </div>
      <ListTable
        label={texts.title}
        list={list}
        columns={columns}
        rowKey={({ id }) => id}
        onOpen={setOpened}
        openedKey={opened?.id}
        empty={
          Object.keys(chosen).length === 0
            ? { title: texts.emptyTitle, hint: texts.emptyHint }
            : { title: texts.noneFound, hint: texts.noneFoundHint }
        }
      />
      <Drawer
        opened={opened !== undefined}
        onClose={() => setOpened(undefined)}
        position="right"
        size="lg"
        title={opened?.action}
        closeButtonProps={{ 'aria-label': dialogTexts.close }}
      >
        {opened !== undefined && <Change record={opened} />}
      </Drawer>
    </Page>
  )
}

function Change({ record }: { readonly record: AuditRecord }): ReactNode {
  const changes = memberChanges(record.before, record.after)
    .map(({ member, before = [], after = [] }) => ({ member, lines: diffLines(before, after) }))
    // A member that had no value and has none has nothing to show.
    .filter(({ lines }) => lines.length > 0)
  return (
    <>
      <Fields
        fields={[
          [texts.at, <Moment key="at" value={record.at} />],
          [texts.actor, record.actor],
          [texts.subject, <SubjectLink key="subject" {...record} />],
        ]}
      />
      {changes.length === 0 && <p>{texts.noChanges}</p>}
      {changes.map(({ member, lines }) => (
        <section key={member} aria-label={member} className={classes.member}>
          <h3>{member}</h3>
          <pre className={classes.lines}>
            {lines.map(({ kind, text, place }) => (
              <span key={place} data-kind={kind}>
                <span className="visually-hidden">{kind === 'same' ? '' : `${texts[nameOf[kind]]}: `}</span>
                {text}
                {'\n'}
              </span>
            ))}
          </pre>
        </section>
      ))}
    </>
  )
}

const nameOf = { removed: 'before', added: 'after' } as const
