/**
 * The rows of a list, which of them is active, and the record that is open beside them. The open record is in the address; it
 * follows the active row.
 */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useAddress } from '../../parts/use-address.ts'
import { type ListQuery, writeSort } from '../query/list-query.ts'
import type { ListRecord } from './columns.ts'
import { recordKey } from './record-key.ts'
import { type Records, useRecords } from './use-records.ts'

export type ActiveRecord = {
  readonly records: Records
  /** The active row; a new object is a reason to bring it into view. */
  readonly place: { readonly row: number }
  readonly openKey: string | undefined
  /** The open record is not that of the active row, because it is far down, or in another part of the list. */
  readonly isElsewhere: boolean
  /** Whether the open record was opened by keyboard, which then goes on in it. */
  readonly takesFocus: boolean
  readonly onShown: (first: number, last: number) => void
  readonly activate: (row: number) => void
  readonly open: (row: number, by: 'pointer' | 'keyboard') => void
  readonly moveBy: (rows: number) => void
  readonly close: () => void
}

export function useActiveRecord(query: ListQuery): ActiveRecord {
  const { list } = query
  const [{ record: openKey }, changeAddress] = useAddress()
  const [shown, setShown] = useState<readonly [number, number]>([0, 0])
  const [takesFocus, setTakesFocus] = useState(false)
  const order = `${query.filter}\n${writeSort(query.sort)}`
  const [chosen, setChosen] = useState({ order, row: 0 })
  // Other records, or another order of them, begin at the first row.
  const place = useMemo(() => (chosen.order === order ? chosen : { order, row: 0 }), [chosen, order])
  const { row: active } = place
  const setActive = useCallback((row: number) => setChosen({ order, row }), [order])
  const records = useRecords(query, { shown, active })
  const keyAt = (row: number) => {
    const record = records.at(row)
    return record && recordKey(list, record)
  }
  const isFollowing = useRef(false)
  /** The record that was opened here last, until the address has it. */
  const opening = useRef<string>(undefined)
  const openRow = useCallback(
    (key: string, step: 'push' | 'replace') => {
      if (key !== openKey) opening.current = key
      changeAddress({ record: key }, step)
    },
    [changeAddress, openKey],
  )
  const activate = (row: number) => {
    setActive(row)
    if (openKey === undefined) return
    const key = keyAt(row)
    if (key === undefined) isFollowing.current = true
    else openRow(key, 'replace')
  }
  const activeKey = keyAt(active)
  // The row was not read yet when it became the active one.
  useEffect(() => {
    if (!isFollowing.current || activeKey === undefined) return
    isFollowing.current = false
    openRow(activeKey, 'replace')
  }, [activeKey, openRow])
  const located = useRef<string>(undefined)
  // A link that opens a record, or Back, makes its row the active one, if it is among the first.
  useEffect(() => {
    if (records.isStale || located.current === openKey) return
    located.current = openKey
    const isOpening = opening.current !== undefined
    if (opening.current === openKey) opening.current = undefined
    if (openKey === undefined || isOpening) return
    const row = firstRowOf(records, (record) => recordKey(list, record) === openKey)
    if (row >= 0) setActive(row)
  }, [records, openKey, list, setActive])
  return {
    ...{ records, place, openKey, takesFocus, activate },
    isElsewhere:
      opening.current === undefined &&
      openKey !== undefined &&
      activeKey !== undefined &&
      activeKey !== openKey,
    onShown: useCallback((first, last) => setShown([first, last]), []),
    open: (row, by) => {
      const key = keyAt(row)
      if (key === undefined) return
      setActive(row)
      setTakesFocus(by === 'keyboard')
      openRow(key, openKey === undefined ? 'push' : 'replace')
    },
    moveBy: (rows) => {
      // A record that was opened by a link may have no row yet: the active one is next.
      const next = activeKey === openKey ? active + rows : active
      activate(Math.max(0, Math.min(next, (records.total ?? 1) - 1)))
    },
    close: () => changeAddress({ record: undefined }),
  }
}

const LOOKED_AT = 200

function firstRowOf(records: Records, isWanted: (record: ListRecord) => boolean): number {
  for (let row = 0; row < LOOKED_AT; row++) {
    const record = records.at(row)
    if (record !== undefined && isWanted(record)) return row
  }
  return -1
}
