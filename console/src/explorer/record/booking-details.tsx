/** A booking: its fields, labels and travellers, with links to its itinerary and invoices. */
import type { ReactNode } from 'react'
import { recordTexts } from '../../texts/records.ts'
import { listFields } from '../fields/list-fields.ts'
import type { ListRecord } from '../list/columns.ts'
import classes from './record.module.css'
import { FieldsOf, Labels, RecordLink, type RecordProps, Section } from './record-parts.tsx'
import { RelatedInvoices } from './related-invoices.tsx'

const texts = recordTexts.record

const names = listFields.bookings.fields.map(({ name }) => name).filter((name) => name !== 'clientNumber')

export const BookingDetails = ({ record }: RecordProps): ReactNode => (
  <>
    <Section title={texts.related}>
      <ul className={classes.plain}>
        <li>
          <RecordLink list="itineraries" record={record}>
            {texts.itinerary}
          </RecordLink>
        </li>
        <RelatedInvoices locator={String(record.recordLocator)} />
      </ul>
    </Section>
    <Section title={texts.details}>
      <FieldsOf list="bookings" record={record} names={names} />
    </Section>
    <Travellers record={record} />
    <Labels record={record} />
  </>
)

export function Travellers({ record }: RecordProps): ReactNode {
  const travellers = (record.travellers ?? []) as readonly ListRecord[]
  if (travellers.length === 0) return null
  return (
    <Section title={texts.travellers}>
      <ul className={classes.plain}>
        {travellers.map(({ name, department }) => (
          <li key={`${name} ${department}`}>
            {String(name ?? '–')}
            {typeof department === 'string' && <span className={classes.aside}> · {department}</span>}
          </li>
        ))}
      </ul>
    </Section>
  )
}
