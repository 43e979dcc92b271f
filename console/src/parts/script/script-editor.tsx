/**
 * The editor of scripts: colours, completion, documentation, and problems as one types, all by the code of the language itself.
 * Below it are the place of the cursor, the function there, and the list of problems.
 */
import { openSearchPanel } from '@codemirror/search'
import type { EditorView } from '@codemirror/view'
import { Button, Modal, useComputedColorScheme } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { notifications } from '@mantine/notifications'
import { IconKeyboard, IconSearch, IconWand } from '@tabler/icons-react'
import { type ReactNode, useEffect, useEffectEvent, useRef, useState } from 'react'
import { dialogTexts } from '../../texts/dialogs.ts'
import { scriptEditorTexts as texts } from '../../texts/scripts/script-editor.ts'
import { functions, type ModuleSource } from './assistance.ts'
import type { Finding } from './check-script.ts'
import { FindingList } from './finding-list.tsx'
import { goTo, type OpenedEditor, openEditor, replaceText } from './open-editor.ts'
import { calledAt } from './scan-script.ts'
import { scannedField } from './scanned-field.ts'
import classes from './script-editor.module.css'
import { scriptLanguage } from './script-language.ts'
import { signatureText } from './signatures.ts'

export type ScriptEditorProps = {
  readonly label: string
  readonly value: string
  readonly modules: ModuleSource
  /** Without it the script can only be read. */
  readonly onChange?: ((text: string) => void) | undefined
  /** The name of the script when it is a module. */
  readonly moduleName?: string
  /** Where to go; a new object goes there again. */
  readonly target?: ScriptPlace | undefined
}

/** Both count from 1. */
export type ScriptPlace = { readonly line: number; readonly column: number }

type Cursor = { readonly line: number; readonly column: number; readonly signature: string | undefined }

export function ScriptEditor(props: ScriptEditorProps): ReactNode {
  const { label, value, modules, onChange, moduleName, target } = props
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<OpenedEditor>(undefined)
  const [findings, setFindings] = useState<readonly Finding[]>()
  const [cursor, setCursor] = useState<Cursor>({ line: 1, column: 1, signature: undefined })
  const isDark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark'
  const isReadOnly = onChange === undefined

  const format = async () => {
    const view = editor.current?.view
    if (view === undefined) return
    const before = view.state.doc.toString()
    const formatted = await scriptLanguage.format(before)
    if (formatted === null) notifications.show({ color: 'red', message: texts.notFormatted })
    else if (view.state.doc.toString() === before) replaceText(view, formatted)
  }

  /** The texts that were given to the caller, until they come back as its value. */
  const given = useRef<string[]>([])
  const changed = useEffectEvent((text: string) => {
    given.current.push(text)
    onChange?.(text)
  })
  const open = useEffectEvent((element: HTMLDivElement, isReadOnly: boolean) =>
    openEditor({
      ...{ host: element, label, text: value, isDark, isReadOnly, moduleName, modules },
      onChange: changed,
      onFindings: setFindings,
      onCursor: (view) => setCursor(cursorOf(view)),
      onFormat: () => void format(),
    }),
  )
  useEffect(() => {
    if (host.current === null) return
    const opened = open(host.current, isReadOnly)
    editor.current = opened
    return () => opened.close()
  }, [isReadOnly])
  useEffect(() => editor.current?.setDark(isDark), [isDark])
  useEffect(() => {
    // While somebody types, a value of a moment ago comes back; only another one replaces the text.
    const index = given.current.lastIndexOf(value)
    if (index >= 0) given.current.splice(0, index + 1)
    else if (editor.current !== undefined) replaceText(editor.current.view, value)
  }, [value])
  useEffect(() => {
    const view = editor.current?.view
    if (target === undefined || view === undefined) return
    const line = view.state.doc.line(Math.min(target.line, view.state.doc.lines))
    goTo(view, Math.min(line.from + target.column - 1, line.to))
  }, [target])

  return (
    <div className={classes.editor}>
      <Tools view={() => editor.current?.view} {...(!isReadOnly && { onFormat: () => void format() })} />
      <div ref={host} className={classes.host} />
      <div className={classes.status}>
        <span>{texts.position(cursor.line, cursor.column)}</span>
        {cursor.signature !== undefined && <span className={classes.signature}>{cursor.signature}</span>}
      </div>
      {findings !== undefined && (
        <FindingList
          text={value}
          findings={findings}
          onGo={(at) => editor.current !== undefined && goTo(editor.current.view, at)}
        />
      )}
    </div>
  )
}

function cursorOf(view: EditorView): Cursor {
  const { head } = view.state.selection.main
  const line = view.state.doc.lineAt(head)
  const called = functions.get(calledAt(view.state.field(scannedField).tokens, head) ?? '')
  return {
    line: line.number,
    column: head - line.from + 1,
    signature: called === undefined ? undefined : `${signatureText(called)} → ${called.returns}`,
  }
}

type ToolsProps = { readonly view: () => EditorView | undefined; readonly onFormat?: () => void }

function Tools({ view, onFormat }: ToolsProps): ReactNode {
  const [isHelpOpen, help] = useDisclosure()
  const find = () => {
    const shown = view()
    if (shown !== undefined) openSearchPanel(shown)
  }
  return (
    <div className={classes.tools}>
      {onFormat !== undefined && <Tool icon={IconWand} label={texts.format} onClick={onFormat} />}
      <Tool icon={IconSearch} label={texts.find} onClick={find} />
      <Tool icon={IconKeyboard} label={texts.keys} onClick={help.open} />
      <Modal
        opened={isHelpOpen}
        onClose={help.close}
        title={texts.keys}
        closeButtonProps={{ 'aria-label': dialogTexts.close }}
      >
        <dl className={classes.keys}>
          {texts.keysOf.flatMap(([keys, meaning]) => [
            <dt key={keys}>{keys}</dt>,
            <dd key={meaning}>{meaning}</dd>,
          ])}
        </dl>
      </Modal>
    </div>
  )
}

type ToolProps = {
  readonly icon: typeof IconWand
  readonly label: string
  readonly onClick: () => void
}

const Tool = ({ icon: Icon, label, onClick }: ToolProps): ReactNode => (
  <Button
    variant="subtle"
    color="gray"
    size="compact-sm"
    leftSection={<Icon size={15} aria-hidden />}
    onClick={onClick}
  >
    {label}
  </Button>
)
