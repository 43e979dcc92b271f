/** An invoice as a document: its head, its lines, and sums. */
import type { ReactNode } from 'react'
import { Day } from '../../parts/time.tsx'
import { fieldTexts } from '../../texts/fields.ts'
import { recordTexts } from '../../texts/records.ts'
import { listFields } from '../fields/list-fields.ts'
import type { ListRecord } from '../list/columns.ts'
import { formatAmount, sumOf } from './amounts.ts'
import classes from './record.module.css'
import { FieldsOf, Labels, RecordLink, type RecordProps, Section } from './record-parts.tsx'

const texts = recordTexts.record

const amounts = ['netAmount', 'gstAmount', 'totalAmount', 'balanceAmount'] as const
const notInHead: readonly string[] = ['clientNumber', 'recordLocator', ...amounts]
const head = listFields.invoices.fields.map(({ name }) => name).filter((name) => !notInHead.includes(name))

export const InvoiceDocument = ({ record }: RecordProps): ReactNode => (
  <>
    {typeof record.recordLocator === 'string' && (
      <Section title={texts.related}>
        <ul className={classes.plain}>
          <li>
            <RecordLink list="bookings" record={record}>
              {texts.booking} {record.recordLocator}
            </RecordLink>
          </li>
          <li>
            <RecordLink list="itineraries" record={record}>
              {texts.itinerary}
            </RecordLink>
          </li>
        </ul>
      </Section>
    )}
    <Section title={texts.details}>
      <FieldsOf list="invoices" record={record} names={head} />
    </Section>
    <Lines record={record} />
    <Payments record={record} />
    <Labels record={record} />
  </>
)

const amountOf = (value: unknown): string => (typeof value === 'number' ? formatAmount(value) : '–')

function Lines({ record }: RecordProps): ReactNode {
  const lines = (record.lineItems ?? []) as readonly ListRecord[]
  const sum = sumOf(lines.map((line) => line.lineAmountIncGst as number | null))
  const total = record.totalAmount
  const currency = String(record.currencyCode ?? '')
  return (
    <Section title={texts.lines}>
      {lines.length === 0 ? (
        <p className={classes.nothing}>{texts.noLines}</p>
      ) : (
        <div className={classes.wide}>
          <table className={classes.lines}>
            <thead>
              <tr>
                <th scope="col">{fieldTexts.description}</th>
                <th scope="col">{fieldTexts.quantity}</th>
                <th scope="col">{fieldTexts.unitPrice}</th>
                <th scope="col">{fieldTexts.gstPercent}</th>
                <th scope="col">{fieldTexts.lineAmountIncGst}</th>
              </tr>
            </thead>
            <tbody>
              {lines.map((line) => (
                <Line key={String(line.lineNumber)} line={line} />
              ))}
            </tbody>
            <tfoot>
              <tr>
                <th scope="row" colSpan={4}>
                  {texts.sumOfLines}
                </th>
                <td>{formatAmount(sum)}</td>
              </tr>
              {amounts.map((name) => (
                <tr key={name} className={name === 'totalAmount' ? classes.total : undefined}>
                  <th scope="row" colSpan={4}>
                    {fieldTexts[name]} {name === 'totalAmount' && currency}
                  </th>
                  <td>{amountOf(record[name])}</td>
                </tr>
              ))}
            </tfoot>
          </table>
        </div>
      )}
      {typeof total === 'number' && lines.length > 0 && sum !== sumOf([total]) && (
        <p className={classes.aside}>{texts.differs(formatAmount(sum), formatAmount(total))}</p>
      )}
    </Section>
  )
}

const besides = ['productCode', 'travellerName', 'vendorName', 'ticketNumber', 'originalTicketNumber']

const Line = ({ line }: { readonly line: ListRecord }): ReactNode => (
  <tr>
    <td>
      <span className={classes.lineType}>{String(line.lineType)}</span> {String(line.description ?? '')}
      <div className={classes.aside}>
        {besides
          .map((name) => line[name])
          .filter((value) => typeof value === 'string')
          .join(' · ')}
        {typeof line.lineDiscountAmount === 'number' && (
          <div>
            {fieldTexts.lineDiscountAmount}: {formatAmount(line.lineDiscountAmount)}
          </div>
        )}
      </div>
    </td>
    <td>{typeof line.quantity === 'number' ? line.quantity : '–'}</td>
    <td>{amountOf(line.unitPrice)}</td>
    <td>{typeof line.gstPercent === 'number' ? `${line.gstPercent}%` : '–'}</td>
    <td>{amountOf(line.lineAmountIncGst)}</td>
  </tr>
)

function Payments({ record }: RecordProps): ReactNode {
  const payments = (record.payments ?? []) as readonly ListRecord[]
  return (
    <Section title={texts.payments}>
      {payments.length === 0 ? (
        <p className={classes.nothing}>{texts.noPayments}</p>
      ) : (
        <ul className={classes.plain}>
          {payments.map((payment) => (
            <li key={JSON.stringify(payment)}>
              {amountOf(payment.amount)}{' '}
              <span className={classes.aside}>
                {typeof payment.receivedDate === 'string' && <Day value={payment.receivedDate} />}{' '}
                {[payment.formOfPayment, payment.cardNumber, payment.cardHolder, payment.merchant]
                  .filter((text) => typeof text === 'string')
                  .join(' · ')}
              </span>
            </li>
          ))}
        </ul>
      )}
    </Section>
  )
}
