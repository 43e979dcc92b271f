import assert from 'node:assert/strict'
import { it } from 'node:test'
import { changesCsv } from './changes-csv.ts'

it('writes a column for each member that names a record, quoted, and no formulas', () => {
  const csv = changesCsv(
    [
      { _change: 'added', company: 'Acme, "Ltd"', invoiceNumber: 'I1' },
      { _change: 'removed', company: '=cmd()', invoiceNumber: '7' },
    ],
    ['company', 'invoiceNumber'],
  )
  assert.equal(csv, `change,company,invoiceNumber\r\nadded,"Acme, ""Ltd""",I1\r\nremoved,'=cmd(),7\r\n`)
})
