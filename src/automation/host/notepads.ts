/** Host functions for notepads: what runs leave for later ones, kept as long as the run that wrote it. */
import type { Notepad } from '../../schema/execution-shapes.ts'
import { ScriptFailure } from '../../script/problems.ts'
import { any, define, fromPlain, type NativeFunction, optional, writeJson } from '../../script/values.ts'
import { refused, unlessRefused } from './failures.ts'
import { listOf } from './host-answers.ts'
import { idOf, optionsOf, plainText } from './host-arguments.ts'
import { hostOf } from './run-host.ts'

const category = 'Notepads'

/** Of one notepad, as JSON. */
const MOST_BYTES = 2 ** 20

/** Of one run. */
const MOST_NOTEPADS = 100
const MOST_BYTES_OF_RUN = 8 * 2 ** 20

const createNotepad = define({
  name: 'CreateNotepad',
  category,
  parameters: [any('content')],
  returns: 'string or null',
  about:
    'Keeps a value, with its keys in camelCase, and answers the id of its notepad, or null when it cannot be kept: it has to be JSON of 1 MiB at most, and a run keeps 100 notepads of 8 MiB together at most. Credentials in it are redacted.',
  async waits(context, content) {
    let json: string
    try {
      const { work, allocate } = context
      json = writeJson(content, { work, allocate, mostBytes: MOST_BYTES, escapes: 'plain' })
    } catch (cause) {
      const isContent = cause instanceof ScriptFailure && (cause.code === 'JM5911' || cause.code === 'JM5002')
      if (!isContent) throw cause
      return refused(context, 'CreateNotepad', null, cause.message)
    }
    const { notepads, endpointId, executionId, actor, now, redaction, written } = hostOf(context)
    written.notepads++
    written.notepadBytes += Buffer.byteLength(json)
    if (written.notepads > MOST_NOTEPADS || written.notepadBytes > MOST_BYTES_OF_RUN) {
      const most = `a run may keep ${MOST_NOTEPADS} notepads of ${MOST_BYTES_OF_RUN} bytes together`
      return refused(context, 'CreateNotepad', null, most)
    }
    const notepad: Notepad = {
      id: crypto.randomUUID(),
      sourceId: endpointId,
      executionId,
      createdAt: new Date(now()).toISOString(),
      createdBy: actor,
      // Notepads are part of the history, which holds no credentials.
      content: camelCased(JSON.parse(redaction.body(json, 'json'))),
    }
    return unlessRefused(context, 'CreateNotepad', null, async () => {
      await notepads.create(notepad)
      return context.text(notepad.id)
    })
  },
})

const getNotepads = define({
  name: 'GetNotepads',
  category,
  parameters: [optional(any('options'))],
  returns: 'array',
  about:
    'Lists notepads: those of this run, or by {executionId} or {sourceId} those of another run or of all runs of an endpoint.',
  async waits(context, options) {
    const { notepads, executionId } = hostOf(context)
    const given = optionsOf('GetNotepads', options)
    const execution = plainText(given.get('executionid'))
    const source = plainText(given.get('sourceid'))
    const filter = {
      ...(execution === null ? {} : { executionId: execution.toLowerCase() }),
      ...(source === null ? {} : { sourceId: source.toLowerCase() }),
    }
    const isEmpty = execution === null && source === null
    return listOf(context, await notepads.list(isEmpty ? { executionId } : filter), (notepad) => notepad)
  },
})

const getNotepadContent = define({
  name: 'GetNotepadContent',
  category,
  parameters: [any('notepadId')],
  returns: 'any',
  about: 'Answers what a notepad holds, or null when there is none with that id.',
  async waits(context, notepadId) {
    const id = idOf(notepadId)
    const found = id === null ? null : await hostOf(context).notepads.find(id)
    return fromPlain(found?.content ?? null, context)
  },
})

const deleteNotepad = define({
  name: 'DeleteNotepad',
  category,
  parameters: [any('notepadId')],
  returns: 'boolean',
  about: 'Deletes a notepad; answers false when there is none with that id.',
  async waits(context, notepadId) {
    const id = idOf(notepadId)
    if (id === null) return false
    return unlessRefused(context, 'DeleteNotepad', false, () => hostOf(context).notepads.remove(id))
  },
})

export const notepadFunctions: readonly NativeFunction[] = [
  createNotepad,
  getNotepads,
  getNotepadContent,
  deleteNotepad,
]

/**
 * Keys as notepads keep them: a name that begins with capitals begins with small letters, `URLValue` with `urlValue`.
 *
 * @param value of JSON, at any depth that JSON.parse can make
 */
function camelCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelCased)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [camelCasedKey(key), camelCased(member)]),
  )
}

/** The last of several capitals belongs to the next word where one follows. */
function camelCasedKey(key: string): string {
  const capitals = /^[A-Z]+/.exec(key)?.[0].length ?? 0
  if (capitals === 0) return key
  const isWhole = capitals === 1 || capitals === key.length || !/[a-z]/.test(key.charAt(capitals))
  const lowered = isWhole ? capitals : capitals - 1
  return key.slice(0, lowered).toLowerCase() + key.slice(lowered)
}
