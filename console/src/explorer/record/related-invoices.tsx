/** The invoices of a booking, as links. */
import type { ReactNode } from 'react'
import { Day } from '../../parts/time.tsx'
import { recordTexts } from '../../texts/records.ts'
import { formatAmount } from './amounts.ts'
import { useInvoicesOf } from './read-record.ts'
import classes from './record.module.css'
import { RecordLink } from './record-parts.tsx'

const texts = recordTexts.record

export function RelatedInvoices({ locator }: { readonly locator: string }): ReactNode {
  const { data } = useInvoicesOf(locator)
  if (data === undefined) return null
  if (data.length === 0) return <li className={classes.nothing}>{texts.noInvoices}</li>
  return data.map((invoice) => (
    <li key={`${invoice.company} ${invoice.invoiceNumber}`}>
      <RecordLink list="invoices" record={invoice}>
        {texts.invoice(String(invoice.invoiceNumber))}
      </RecordLink>{' '}
      <span className={classes.aside}>
        <Day value={String(invoice.invoiceDate)} />
        {typeof invoice.totalAmount === 'number' && ` · ${formatAmount(invoice.totalAmount)}`}{' '}
        {String(invoice.currencyCode ?? '')}
      </span>
    </li>
  ))
}
