/** What several kinds of records show. */
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Fields } from '../../parts/fields.tsx'
import { recordTexts } from '../../texts/records.ts'
import { labelOf } from '../fields/field-label.ts'
import type { ListName } from '../fields/list-fields.ts'
import { placeOf } from '../fields/paths.ts'
import { Cell } from '../list/cell.tsx'
import type { ListRecord } from '../list/columns.ts'
import { recordKey } from '../list/record-key.ts'
import classes from './record.module.css'

const texts = recordTexts.record

export type RecordProps = { readonly record: ListRecord }

export const Section = ({
  title,
  children,
}: {
  readonly title: string
  readonly children: ReactNode
}): ReactNode => (
  <section className={classes.section}>
    <h3 className={classes.heading}>{title}</h3>
    {children}
  </section>
)

type FieldsOfProps = RecordProps & { readonly list: ListName; readonly names: readonly string[] }

/** Those that the record has. */
export const FieldsOf = ({ list, record, names }: FieldsOfProps): ReactNode => (
  <Fields
    fields={names.flatMap((name) => {
      const place = placeOf(list, name)
      const value = record[name]
      if (place === undefined || value === null || value === undefined || value === '') return []
      return [[labelOf(place), <Cell key={name} record={record} place={place} />] as const]
    })}
  />
)

export function Labels({ record }: RecordProps): ReactNode {
  const labels = Object.entries((record.customDataFields ?? {}) as Readonly<Record<string, string>>)
  return (
    <Section title={texts.labels}>
      {labels.length === 0 ? <p className={classes.nothing}>{texts.noLabels}</p> : <Fields fields={labels} />}
    </Section>
  )
}

type RecordLinkProps = RecordProps & { readonly list: ListName; readonly children: ReactNode }

export const RecordLink = ({ list, record, children }: RecordLinkProps): ReactNode => (
  <Link to={`/${list}`} search={{ record: recordKey(list, record) }} className={classes.link}>
    {children}
  </Link>
)
