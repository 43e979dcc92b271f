/**
 * Writes the invoices of one booking, with their lines and payments. Every amount is an integer scaled by 10^5 and adds up: a
 * line is quantity times price less discount, rounded to cents, plus its GST rounded to cents; a balance is lines less payments.
 */

import { formatDate } from '../../kernel/calendar.ts'
import type { InvoiceLine, InvoiceRow, WriteRow } from '../extract-rows.ts'
import type { Sale } from './booking.ts'
import { companies, currencies } from './client-list.ts'
import { creditLines, extraLines, saleLines, serviceLines } from './invoice-lines.ts'
import { unknownLine } from './line-amounts.ts'
import { paymentsOf } from './payments.ts'
import { choose, type Random } from './random.ts'

/** Counts the invoices of each company. All companies start with the same number, so several use one number. */
export type InvoiceNumbers = { next(company: number, kind: InvoiceKind): string }

type InvoiceKind = 'invoice' | 'credit'

export function startInvoiceNumbers(): InvoiceNumbers {
  const used = { invoice: companies.map(() => 0), credit: companies.map(() => 0) }
  return {
    next: (company, kind) => {
      const number = (used[kind][company] ?? 0) + 1
      used[kind][company] = number
      return kind === 'invoice' ? `INV${100_000 + number}` : `CN${50_000 + number}`
    },
  }
}

export function writeInvoices(random: Random, sale: Sale, numbers: InvoiceNumbers, write: WriteRow): void {
  const { occurs } = sale
  const issue = issuer(random, sale, numbers, write)
  if (occurs('invoice-without-booking', 0.02)) {
    issue({ kind: 'invoice', linked: false, daysLater: 0, lines: serviceLines(random) })
  }
  if (occurs('not-invoiced', 0.07)) return
  const lines = sale.nothingKnown ? [unknownLine] : saleLines(random, sale)
  issue({ kind: 'invoice', linked: true, daysLater: random.pickEarly([0, 1, 2, 3]), lines })
  if (occurs('invoiced-twice', 0.05)) {
    issue({
      kind: 'invoice',
      linked: true,
      daysLater: random.between(2, 10),
      lines: extraLines(random, sale),
    })
  }
  if (occurs('credit-note', sale.isCancelled ? 0.7 : 0.005)) {
    issue({ kind: 'credit', linked: true, daysLater: random.between(1, 20), lines: creditLines(lines) })
  }
}

type Draft = {
  readonly kind: InvoiceKind
  /** Whether the invoice belongs to the booking, or only to its client. */
  readonly linked: boolean
  readonly daysLater: number
  readonly lines: readonly InvoiceLine[]
}

function issuer(
  random: Random,
  sale: Sale,
  numbers: InvoiceNumbers,
  write: WriteRow,
): (draft: Draft) => void {
  const company = companyOf(sale)
  return ({ kind, linked, daysLater, lines }) => {
    const key = {
      clientNumber: sale.client.clientNumber,
      company: companies[company] ?? '',
      invoiceNumber: numbers.next(company, kind),
    }
    const invoiceDate = Math.min(sale.bookingDay + daysLater, sale.lastDay)
    const total = lines.reduce((sum, { lineAmountIncGst }) => sum + (lineAmountIncGst ?? 0), 0)
    const payments = paymentsOf(random, sale, invoiceDate, total)
    const balance = payments.reduce((left, { amount }) => left - amount, total)
    write('invoices', {
      ...key,
      recordLocator: linked ? sale.recordLocator : null,
      invoiceDate,
      ...termsAndReferences(random, sale, invoiceDate, balance),
      currencyCode: sale.nothingKnown ? null : (currencies[company] ?? null),
    })
    for (const [index, line] of lines.entries()) {
      write('invoice_lines', { ...key, lineNumber: (index + 1) * LINE_STEP, ...line })
    }
    for (const payment of payments) write('payments', { ...key, ...payment })
  }
}

/** Accounting systems leave gaps between line numbers. */
const LINE_STEP = 10

function companyOf({ client, occurs }: Sale): number {
  const step = occurs('sister-company', 0.015) ? 1 : occurs('second-sister-company', 0.01) ? 2 : 0
  return (client.company + step) % companies.length
}

type TermsAndReferences = Omit<
  InvoiceRow,
  'company' | 'invoiceNumber' | 'clientNumber' | 'recordLocator' | 'invoiceDate' | 'currencyCode'
>

function termsAndReferences(
  random: Random,
  { client, travellers, nothingKnown }: Sale,
  invoiceDate: number,
  balance: number,
): TermsAndReferences {
  const { code, days } = choose(terms, client.key)
  if (nothingKnown) return { ...nothingReferred, dueDate: invoiceDate + days }
  const tool = random.chance(0.55) ? choose(tools, client.key) : null
  const statement = `ST-${formatDate(invoiceDate).slice(0, 7)}-${client.clientNumber}`
  return {
    paymentTermsCode: random.chance(0.97) ? code : null,
    dueDate: invoiceDate + days,
    obtSource: tool,
    sourceTravelHeader: random.chance(0.9) ? `TH${random.between(1_000_000, 9_999_999)}` : null,
    collectiveStatementNo: client.key % 5 < 2 ? statement : null,
    custLedgerEntryNo: random.chance(0.95) ? String(random.between(100_000, 9_999_999)) : null,
    department: random.chance(0.8) ? (travellers[0]?.department ?? null) : null,
    balanceAmount: random.chance(0.98) ? balance : null,
  }
}

const nothingReferred: Omit<TermsAndReferences, 'dueDate'> = {
  paymentTermsCode: null,
  obtSource: null,
  sourceTravelHeader: null,
  collectiveStatementNo: null,
  custLedgerEntryNo: null,
  department: null,
  balanceAmount: null,
}

const terms = [
  { code: 'NET30', days: 30 },
  { code: 'NET14', days: 14 },
  { code: 'NET7', days: 7 },
  { code: 'NET45', days: 45 },
  { code: 'COD', days: 0 },
] as const

/** Online booking tools. */
const tools: readonly string[] = ['Concur', 'Serko Zeno', 'Cytric', 'GetThere', 'Deem "Etta"']
