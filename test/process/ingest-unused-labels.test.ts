/** A label that no record of its client shows gets one warning, with the spelling in the data that is probably meant. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type ExtractTables, rowsOf } from '../fixtures/extract-rows.ts'
import { fixtureExtract, harbour, limmat } from '../fixtures/fixture-extract.ts'
import { writeExtract } from '../fixtures/write-extract.ts'
import { makeFolders, refresh } from './ingest-fixture.ts'

const none = { travellers: [], segments: [], invoices: [], invoice_lines: [], payments: [] }
const bookings = fixtureExtract.bookings.filter(
  ({ client_number, record_locator }) => client_number === harbour && record_locator === 'ABC123',
)

type Label = readonly [field: string, label: string]

const extractWith = (
  labels: readonly Label[],
  captured: Readonly<Record<string, string>>,
  client = harbour,
): ExtractTables => ({
  ...fixtureExtract,
  ...none,
  bookings: bookings.map((row) => ({
    ...row,
    cost_centre: '0042',
    department: '\u00a0',
    purchase_order: null,
  })),
  custom_field_labels: rowsOf(
    'custom_field_labels',
    labels.map(([field, label]) => ({ client_number: client, field, label })),
  ),
  booking_custom_data: rowsOf(
    'booking_custom_data',
    Object.entries(captured).map(([field, value]) => ({
      client_number: harbour,
      record_locator: 'ABC123',
      field,
      value,
    })),
  ),
})

describe('a label that is in no record', () => {
  const warned = async (t: Parameters<typeof makeFolders>[0], extract: ExtractTables) => {
    const folders = await makeFolders(t)
    await writeExtract(folders.source, extract, 'csv')
    const { warnings } = await refresh(folders)
    return warnings.filter(({ kind }) => kind === 'label-unused').map(({ message }) => message)
  }

  it('is named once, with the nearest spelling that the data has', async (t) => {
    const labels: readonly Label[] = [
      ['Project', 'Case'],
      ['trip ', 'Blank behind'],
      ['caf\u00e9', 'Composed'],
      ['tour code', 'Underscore'],
      ['costCentre', 'Column'],
      ['Purchase-Order', 'Empty column'],
      ['department', 'Blank'],
      // Nothing in the data is near these.
      ['record_locator', 'No column of labels'],
      ['nowhere', 'Nothing'],
      ['blank', 'Captured blank'],
      // These are in records.
      ['Cost_Centre', 'Shown'],
      ['approval', 'Captured'],
    ]
    const captured = {
      project: 'P-1',
      trip: 'x',
      'cafe\u0301': 'x',
      tour_code: 'x',
      Department: 'x',
      blank: ' \t',
      approval: 'yes',
    }
    const inNone = (label: string, field: string, near: string) =>
      `Label '${label}' of client ${harbour} is in no record: its field '${field}' is no column of bookings, and no value was captured under it${near}`
    assert.deepEqual(
      (await warned(t, extractWith(labels, captured))).toSorted(),
      [
        `Label 'Blank' of client ${harbour} is in no record: column 'department' has no value in its bookings; the nearest is 'Department', with 1 value`,
        inNone('Blank behind', 'trip ', `; the nearest is 'trip' with other blanks, with 1 value`),
        inNone('Case', 'Project', `; the nearest is 'project', with 1 value`),
        inNone('Column', 'costCentre', `; the nearest is column 'cost_centre'`),
        inNone(
          'Composed',
          'caf\u00e9',
          `; the nearest is 'cafe\u0301' in another Unicode form, with 1 value`,
        ),
        inNone(
          'Empty column',
          'Purchase-Order',
          `; the nearest is column 'purchase_order', which has no value either`,
        ),
        inNone('Underscore', 'tour code', `; the nearest is 'tour_code', with 1 value`),
      ].toSorted(),
    )
  })

  it('is of the client whose records lack it: others do not count, and one without bookings has none', async (t) => {
    assert.deepEqual(await warned(t, extractWith([['project', 'Project']], { project: 'x' }, limmat)), [])
    assert.deepEqual(await warned(t, extractWith([['project', 'Project']], { project: 'x' })), [])
  })

  it('is counted beyond the first twenty', async (t) => {
    const many = Array.from({ length: 23 }, (_, at): Label => [`Field ${at}`, `Label ${at}`])
    const captured = Object.fromEntries(many.map(([field]) => [field.toLowerCase(), 'x']))
    const messages = await warned(t, extractWith(many, captured))
    assert.equal(messages.length, 21)
    assert.match(messages[0] ?? '', /^Label 'Label 0' .* nearest is 'field 0'/)
    assert.equal(messages.at(-1), '3 more labels of clients are in no record')
  })
})
