/**
 * The filter as text, with what the service said about it under the exact character. It is a plain input until someone writes in
 * it or there is an error to show: only then the editor is loaded.
 */
import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { ApiProblem } from '../../api/problem.ts'
import { filterTexts as texts } from '../../texts/filters.ts'
import { useLabelReader } from '../fields/use-labels.ts'
import type { ListQuery } from '../query/list-query.ts'
import classes from './filter.module.css'
import type { FilterEditor } from './filter-editor.ts'
import { useValueReader } from './use-values.ts'

type Props = {
  readonly query: ListQuery
  /** What the service said about the filter of the query. */
  readonly refusal: ApiProblem | undefined
  /** What is written and not applied yet. */
  readonly draft: string | undefined
  readonly onDraft: (text: string) => void
  readonly onApply: (text: string) => void
}

export function FilterText({ query, refusal, draft, onDraft, onApply }: Props): ReactNode {
  const host = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const [isWanted, setWanted] = useState(false)
  const [editor, setEditor] = useState<FilterEditor>()
  const readLabels = useLabelReader(query.list)
  const readValues = useValueReader(query.list)
  const text = draft ?? query.filter
  const latest = useRef({ list: query.list, text, readLabels, readValues, onDraft, onApply })
  latest.current = { list: query.list, text, readLabels, readValues, onDraft, onApply }
  const isRefused = refusal !== undefined
  const isNeeded = isWanted || isRefused
  useEffect(() => {
    if (!isNeeded) return
    let opened: FilterEditor | undefined
    let isGone = false
    void import('./filter-editor.ts').then(({ openFilterEditor }) => {
      if (isGone || host.current === null) return
      opened = openFilterEditor(host.current, {
        text: latest.current.text,
        sources: () => latest.current,
        onChange: (changed) => latest.current.onDraft(changed),
        onApply: (written) => latest.current.onApply(written),
      })
      if (document.activeElement === input.current) opened.focus(input.current?.selectionStart ?? 0)
      setEditor(opened)
      // It stays when the error is gone.
      setWanted(true)
    })
    return () => {
      isGone = true
      opened?.destroy()
    }
  }, [isNeeded])
  const shown = useRef(query.filter)
  useEffect(() => {
    if (shown.current === query.filter) return
    shown.current = query.filter
    latest.current.onDraft(query.filter)
    editor?.write(query.filter)
  }, [editor, query.filter])
  useEffect(() => editor?.mark(refusal?.column), [editor, refusal])
  return (
    <div className={classes.text}>
      <div className={classes.editor} data-refused={isRefused || undefined}>
        {editor === undefined && (
          <input
            ref={input}
            data-filter
            className={classes.plain}
            aria-label={texts.filter}
            placeholder={texts.placeholder[query.list]}
            spellCheck={false}
            title={texts.filterHint}
            value={text}
            onFocus={() => setWanted(true)}
            onChange={({ currentTarget }) => onDraft(currentTarget.value)}
            onKeyDown={({ key }) => key === 'Enter' && onApply(text)}
          />
        )}
        <div ref={host} data-filter-editor />
      </div>
      {refusal !== undefined && <Refusal refusal={refusal} editor={editor} />}
    </div>
  )
}

type RefusalProps = { readonly refusal: ApiProblem; readonly editor: FilterEditor | undefined }

function Refusal({ refusal, editor }: RefusalProps): ReactNode {
  const { column, message } = refusal
  const [leftPx, setLeft] = useState<number>()
  useLayoutEffect(() => {
    setLeft(column === undefined ? undefined : editor?.leftOf(column))
  }, [editor, column])
  return (
    <div role="alert" className={classes.refusal}>
      {leftPx !== undefined && (
        <span aria-hidden className={classes.pointer} style={{ marginInlineStart: `${leftPx}px` }} />
      )}
      <p>
        {column !== undefined && <strong>{texts.atColumn(column)}: </strong>}
        {message}
      </p>
    </div>
  )
}
