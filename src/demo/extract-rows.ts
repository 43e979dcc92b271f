/**
 * One row of each extract table, members named and typed as the fields of {@link extractTables}: dates are days, times
 * are minutes, amounts are integers scaled by 10^5. The format writers turn them into text by the definition of the table.
 */
import type { Segment } from './content/trip.ts'

type ExtractRows = {
  readonly clients: { clientNumber: string; name: string }
  readonly custom_field_labels: { clientNumber: string; field: string; label: string }
  readonly bookings: BookingRow
  readonly booking_custom_data: BookingKey & { field: string; value: string | null }
  readonly travellers: BookingKey & { name: string | null; department: string | null }
  readonly segments: BookingKey & { segmentNumber: number } & Segment
  readonly invoices: InvoiceRow
  readonly invoice_lines: InvoiceKey & { lineNumber: number } & InvoiceLine
  readonly payments: InvoiceKey & Payment
}

/** Writes a row to its table. */
export type WriteRow = <Name extends keyof ExtractRows>(table: Name, row: ExtractRows[Name]) => void

type BookingKey = { clientNumber: string; recordLocator: string }

type InvoiceKey = { clientNumber: string; company: string; invoiceNumber: string }

export type BookingRow = BookingKey & {
  originatingAgency: string
  bookingDate: number
  modifiedAt: number
  isTicketed: boolean
  isInternational: boolean
  tripStartLocal: number
  tripEndLocal: number
  traveller: string | null
  department: string | null
  employeeId: string | null
  costCentre: string | null
  purchaseOrder: string | null
  bookedBy: string | null
  authorisedBy: string | null
  customData1: string | null
  customData2: string | null
  tripStartUtc: number | null
  tripEndUtc: number | null
  totalAirDistance: number | null
  totalAirDuration: string | null
  totalAirDurationSeconds: number | null
  currencyCode: string | null
}

export type InvoiceRow = InvoiceKey & {
  recordLocator: string | null
  invoiceDate: number
  paymentTermsCode: string | null
  dueDate: number
  obtSource: string | null
  sourceTravelHeader: string | null
  collectiveStatementNo: string | null
  custLedgerEntryNo: string | null
  department: string | null
  balanceAmount: number | null
  currencyCode: string | null
}

export type InvoiceLine = {
  lineType: string
  productCode: string | null
  description: string | null
  quantity: number | null
  unitPrice: number | null
  lineDiscountAmount: number | null
  lineAmountExGst: number | null
  lineAmountIncGst: number | null
  gstPercent: number | null
  travellerName: string | null
  vendorName: string | null
  ticketNumber: string | null
  originalTicketNumber: string | null
}

export type Payment = {
  merchant: string | null
  receivedDate: number | null
  formOfPayment: string | null
  cardNumber: string | null
  cardHolder: string | null
  amount: number
}
