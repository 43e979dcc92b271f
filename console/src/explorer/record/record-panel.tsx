/** The open record beside its table, or over it on narrow screens. j and k go to the next and the previous one. */
import { ActionIcon, Box, Title } from '@mantine/core'
import { IconChevronDown, IconChevronUp, IconX } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { CopyButton } from '../../parts/copy-button.tsx'
import { EmptyState, ErrorState, LoadingState } from '../../parts/states.tsx'
import { recordTexts } from '../../texts/records.ts'
import type { ListName } from '../fields/list-fields.ts'
import type { ListRecord } from '../list/columns.ts'
import { BookingDetails } from './booking-details.tsx'
import { InvoiceDocument } from './invoice-document.tsx'
import { ItineraryTimeline } from './itinerary-timeline.tsx'
import { useRecord } from './read-record.ts'
import classes from './record.module.css'

const texts = recordTexts.record

type Props = {
  readonly list: ListName
  readonly recordKey: string
  readonly takesFocus: boolean
  readonly onMove: (rows: number) => void
  readonly onClose: () => void
}

const steps: Readonly<Record<string, number>> = { j: 1, k: -1, ArrowRight: 1, ArrowLeft: -1 }

export default function RecordPanel({ list, recordKey, takesFocus, onMove, onClose }: Props): ReactNode {
  const { data, error, refetch, isPlaceholderData } = useRecord(list, recordKey)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (takesFocus) heading.current?.focus({ preventScroll: true })
  }, [takesFocus])
  const onKeyDown = (event: KeyboardEvent) => {
    const rows = event.altKey || event.ctrlKey || event.metaKey ? undefined : steps[event.key]
    if (rows === undefined) return
    event.preventDefault()
    onMove(rows)
  }
  const name = nameOf(list, recordKey)
  return (
    <Box className={classes.record} onKeyDown={onKeyDown} aria-busy={isPlaceholderData}>
      <div className={classes.bar}>
        <Title order={2} size="h4" ref={heading} tabIndex={-1} className={classes.title}>
          {recordTexts.records[list]} {name}
        </Title>
        <CopyButton text={name} label={list === 'invoices' ? texts.copyNumber : texts.copyLocator} />
        <ActionIcon
          variant="default"
          aria-label={texts.previous}
          title={texts.previous}
          onClick={() => onMove(-1)}
        >
          <IconChevronUp size={18} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="default" aria-label={texts.next} title={texts.next} onClick={() => onMove(1)}>
          <IconChevronDown size={18} aria-hidden />
        </ActionIcon>
        <ActionIcon variant="subtle" color="gray" aria-label={recordTexts.close} onClick={onClose}>
          <IconX size={18} aria-hidden />
        </ActionIcon>
      </div>
      {error !== null && data === undefined ? (
        <ErrorState title={texts.failed} error={error} onRetry={() => void refetch()} />
      ) : data === undefined ? (
        <LoadingState />
      ) : data === null ? (
        <EmptyState title={texts.missing} hint={texts.missingHint} />
      ) : (
        <Content list={list} record={data} />
      )}
    </Box>
  )
}

const contents = { bookings: BookingDetails, itineraries: ItineraryTimeline, invoices: InvoiceDocument }

function Content({ list, record }: { readonly list: ListName; readonly record: ListRecord }): ReactNode {
  const Shown = contents[list]
  return (
    <div className={classes.content}>
      <Shown record={record} />
    </div>
  )
}

/** The locator, or the number of the invoice. */
function nameOf(list: ListName, key: string): string {
  const last = key.split('/').at(list === 'invoices' ? 1 : 0) ?? key
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}
